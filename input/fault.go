package input

import (
	"strconv"
	"unicode/utf8"
)

// Error is what is wrong with a text of bindings.
type Error struct {
	Line int    // from 1
	Word string // where it stopped; empty where it is about the whole
	Why  string
	Near string // what may have been meant; empty where nothing is like it
}

// Error is one sentence for a player.
func (e *Error) Error() string {
	text := "input: line " + strconv.Itoa(e.Line) + ": "
	if e.Word != "" {
		text += strconv.Quote(e.Word) + " "
	}
	text += e.Why
	if e.Near != "" {
		text += "; did you mean " + e.Near + "?"
	}
	return text
}

// longest bounds the words that errors repeat and compare, in bytes.
const longest = 32

// fault makes an error about a word of this line; near are words that it may have
// been meant to be.
func (p *parser) fault(word, why string, near []string) error {
	if len(word) > longest {
		end := longest
		for end > 0 && !utf8.RuneStart(word[end]) {
			end--
		}
		word = word[:end]
	}
	return &Error{Line: p.line, Word: word, Why: why, Near: nearest(word, near)}
}

// spell writes a number as a text of bindings would.
func spell(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// nearest is the word that takes the fewest changes to reach, the first of several;
// empty where half of the letters and more would have to change.
func nearest(word string, words []string) string {
	best, least := "", (len(word)+1)/2
	for _, w := range words {
		if d := distance(word, w); d < least {
			best, least = w, d
		}
	}
	return best
}

// distance counts the letters to insert, drop, change, or swap with their
// neighbour, that make b of a whatever their case (optimal string alignment).
func distance(a, b string) int {
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	var before, row, next [longest + 1]int
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
