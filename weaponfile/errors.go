package weaponfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxErrors is how many errors are listed at most.
const MaxErrors = 20

// Error is one thing that is wrong with a file.
type Error struct {
	File string
	Line int // counts from 1; zero means that no line is at fault
	// Text says what is wrong, and ends in `; did you mean "…"?` where a valid word is near.
	Text string
}

// Error is FILE:LINE: TEXT.
func (e Error) Error() string {
	if e.Line <= 0 {
		return "weaponfile: " + e.File + ": " + e.Text
	}
	return "weaponfile: " + e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Text
}

// Errors are all that is wrong with a file, in the order of the lines, at most MaxErrors;
// never empty where it is returned as an error.
type Errors []Error

// Error is a line for each.
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

// reader gathers what is wrong with a file.
type reader struct {
	file   string
	errors Errors
}

func (r *reader) add(line int, format string, args ...any) {
	if len(r.errors) < MaxErrors {
		r.errors = append(r.errors, Error{r.file, line, fmt.Sprintf(format, args...)})
	}
}

// err is nil where there was no complaint.
func (r *reader) err() error {
	if len(r.errors) == 0 {
		return nil
	}
	slices.SortStableFunc(r.errors, func(a, b Error) int { return cmp.Compare(a.Line, b.Line) })
	return r.errors
}
