package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxErrors is the largest number of errors that a Reader lists.
const MaxErrors = 20

// Error is one error in a file.
type Error struct {
	// File is the file, or the override whose value is wrong.
	File string
	// Line counts from 1; zero means that the error has no line.
	Line int
	// Text says what is wrong, and ends in `; did you mean "…"?` where a valid word is near.
	Text string
}

// Error returns FILE:LINE: TEXT.
func (e Error) Error() string {
	if e.Line <= 0 {
		return e.File + ": " + e.Text
	}
	return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Text
}

// Errors are the errors of a file in the order of their lines, at most MaxErrors; never empty
// where it is returned as an error.
type Errors []Error

// Error returns one line for each.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i := range e {
		lines[i] = e[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find each Error.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i := range e {
		all[i] = e[i]
	}
	return all
}

// Reader decodes one document and collects its errors. Lines below zero stand for overrides:
// line −1 is the first one.
type Reader struct {
	// Keys collects the range of each key that the schema asked for, by mapping and key:
	// "blast.radius" is "0.1 … 50 m". Nil collects nothing; tests hold documents to it.
	Keys map[string]string

	file      string
	overrides []string
	found     []located
}

type located struct {
	line int
	text string
}

// Errorf reports an error in a line; zero is the whole file.
func (r *Reader) Errorf(line int, format string, args ...any) {
	if !r.full() {
		r.found = append(r.found, located{line, fmt.Sprintf(format, args...)})
	}
}

// full reports that no further error is listed, so nothing more needs checking.
func (r *Reader) full() bool { return len(r.found) >= MaxErrors }

// Count returns how many errors were found so far.
func (r *Reader) Count() int { return len(r.found) }

// Err returns nil where no error was found, and else [Errors]: overrides first, then by line.
func (r *Reader) Err() error {
	if len(r.found) == 0 {
		return nil
	}
	slices.SortStableFunc(r.found, func(a, b located) int { return cmp.Compare(rank(a.line), rank(b.line)) })
	var out Errors
	for _, l := range r.found {
		out = append(out, ErrorAt(r.file, r.overrides, l.line, l.text))
	}
	return out
}

// rank orders overrides, in their order, before the lines of the file.
func rank(line int) int {
	if line < 0 {
		return -1<<31 - line
	}
	return line
}

// ErrorAt returns the error of a line of a file, or of an override where the line is below zero.
func ErrorAt(file string, overrides []string, line int, text string) Error {
	if i := -line - 1; line < 0 && i < len(overrides) {
		return Error{File: overrides[i], Text: text}
	}
	return Error{File: file, Line: max(line, 0), Text: text}
}
