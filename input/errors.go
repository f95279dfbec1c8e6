package input

import (
	"strconv"
	"unicode/utf8"
)

// Error is an error in a text of bindings.
type Error struct {
	Line       int    // from 1
	Word       string // the offending word; empty if the whole line or text is wrong
	Reason     string // follows the word in a sentence: is no key
	Suggestion string // the most similar valid word; empty if none is similar
}

// Error returns one sentence for a player.
func (e *Error) Error() string {
	text := "input: line " + strconv.Itoa(e.Line) + ": "
	if e.Word != "" {
		text += strconv.Quote(e.Word) + " "
	}
	text += e.Reason
	if e.Suggestion != "" {
		text += "; did you mean " + e.Suggestion + "?"
	}
	return text
}

// maxWord is the most bytes of a word that errors repeat and compare: a text from elsewhere must not
// fill the screen, nor a comparison take long.
const maxWord = 32

// errorAt returns an error about a word of this line; near has the words that would be valid.
func (p *parser) errorAt(word, why string, near []string) error {
	if len(word) > maxWord {
		end := maxWord
		for end > 0 && !utf8.RuneStart(word[end]) {
			end--
		}
		word = word[:end]
	}
	return &Error{Line: p.line, Word: word, Reason: why, Suggestion: nearest(word, near)}
}

// spell formats a number as a text of bindings has it.
func spell(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// nearest returns the word with the smallest edit distance, the first of several, or none where
// at least half of the letters would have to change: a suggestion that is nothing like the word
// would mislead.
func nearest(word string, words []string) string {
	best, least := "", (len(word)+1)/2
	for _, w := range words {
		if d := distance(word, w); d < least {
			best, least = w, d
		}
	}
	return best
}

// distance returns the edit distance between a and b ignoring case: letters inserted, dropped,
// changed or swapped with their neighbour (optimal string alignment).
func distance(a, b string) int {
	a, b = a[:min(len(a), maxWord)], b[:min(len(b), maxWord)]
	// Three rows of the table are enough; a swap looks back two.
	var before, row, next [maxWord + 1]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if lower(a[i]) == lower(b[j]) {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && lower(a[i]) == lower(b[j-1]) && lower(a[i-1]) == lower(b[j]) {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
