package armoury

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
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
		return "armoury: " + e.File + ": " + e.Text
	}
	return "armoury: " + e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Text
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

// didYouMean is the end of a message: the word that is nearest to got, and the first of
// several such.
func didYouMean(got string, words []string) string {
	best, least := "", 1<<30
	a := folded(got)
	for _, w := range words {
		if d := distance(a, folded(w)); d < least {
			best, least = w, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + strconv.Quote(best) + "?"
}

// folded is what counts of a word: its first runes without case, dashes and spaces as
// underscores.
func folded(s string) []rune {
	out := []rune(strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(clip(s))))
	return out[:min(len(out), 40)]
}

// distance is how many insertions, deletions and substitutions turn a into b.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, change)
		}
	}
	return row[len(b)]
}

// describe names a value in a message.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list of " + strconv.Itoa(len(n.Content))
	case n.Tag == "!!null":
		return "nothing"
	case n.Style == 0 && n.Tag != "!!str":
		return clip(n.Value)
	}
	return strconv.Quote(clip(n.Value))
}

// clip keeps what a message quotes short.
func clip(s string) string {
	if utf8.RuneCountInString(s) <= 40 {
		return s
	}
	return string([]rune(s[:min(len(s), 40*utf8.UTFMax)])[:40]) + "…"
}
