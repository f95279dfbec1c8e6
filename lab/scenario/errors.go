package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Error is one thing that is wrong with a scenario.
type Error struct {
	// File is the scenario's file, or `--set key=value` where that is at fault.
	File string
	// Line counts from 1; zero means that no line is at fault.
	Line int
	// Text says what is wrong, and ends in `; did you mean "…"?` where a valid
	// word is near.
	Text string
}

// Error is FILE:LINE: TEXT.
func (e Error) Error() string {
	if e.Line <= 0 {
		return e.File + ": " + e.Text
	}
	return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Text
}

// Errors are all that is wrong with a scenario, in the order of the lines, at
// most MaxErrors; never empty where it is returned as an error.
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

// complaints gathers what is wrong. A line below zero is a --set.
type complaints struct {
	file string
	sets []string // each key=value
	list []placed
}

type placed struct {
	line int
	text string
}

func (c *complaints) add(line int, format string, args ...any) {
	if !c.full() {
		c.list = append(c.list, placed{line, fmt.Sprintf(format, args...)})
	}
}

// full reports that nothing more will be listed, so nothing more need be looked
// for.
func (c *complaints) full() bool { return len(c.list) >= MaxErrors }

// err is nil where there was no complaint.
func (c *complaints) err() error {
	if len(c.list) == 0 {
		return nil
	}
	return c.errors()
}

func (c *complaints) errors() Errors {
	slices.SortStableFunc(c.list, func(a, b placed) int { return cmp.Compare(rank(a.line), rank(b.line)) })
	var out Errors
	for _, p := range c.list {
		out = append(out, at(c.file, c.sets, p.line, p.text))
	}
	return out
}

// rank puts the settings before the file, in their order.
func rank(line int) int {
	if line < 0 {
		return -1<<31 - line
	}
	return line
}

// at names the place of a line, which is a --set where it is below zero.
func at(file string, sets []string, line int, text string) Error {
	if i := -line - 1; line < 0 && i < len(sets) {
		return Error{File: "--set " + sets[i], Text: text}
	}
	return Error{File: file, Line: max(line, 0), Text: text}
}
