package strictyaml

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Nearest returns the word with the least edit distance to got, and the first of
// several such; "" where there are no words.
func Nearest(got string, words []string) string {
	best, least := "", 1<<30
	a := folded(got)
	for _, w := range words {
		if d := distance(a, folded(w)); d < least {
			best, least = w, d
		}
	}
	return best
}

// DidYouMean returns the end of an error text, empty where there are no words.
func DidYouMean(got string, words []string) string {
	if w := Nearest(got, words); w != "" {
		return "; did you mean " + strconv.Quote(w) + "?"
	}
	return ""
}

// folded returns the form of a word that distances compare: its first 64 runes in lower case,
// dashes and spaces as underscores.
func folded(s string) []rune {
	s = s[:min(len(s), 64*utf8.UTFMax)]
	out := []rune(strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(s)))
	return out[:min(len(out), 64)]
}

// distance returns the cost of turning a into b: insertions, deletions and swaps of neighbours
// cost 2, substitutions 3, insertions at the end 1 (optimal string alignment), so a word cut
// short is nearer than another of its length.
func distance(a, b []rune) int {
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = 2 * j
	}
	insertion := 2
	for i := 1; i <= len(a); i++ {
		if i == len(a) {
			insertion = 1
		}
		row := make([]int, len(b)+1)
		row[0] = 2 * i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+2, row[j-1]+insertion, last[j-1]+differ(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+2)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

func differ(a, b rune) int {
	if a == b {
		return 0
	}
	return 3
}

// describe names a value in an error text.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list of " + strconv.Itoa(len(n.Content))
	case n.Tag == "!!null":
		return "nothing"
	case n.Style == 0 && n.Tag != "!!str":
		return Clip(n.Value)
	}
	return strconv.Quote(Clip(n.Value))
}

// Clip shortens what an error text quotes to 40 characters.
func Clip(s string) string {
	if utf8.RuneCountInString(s) <= 40 {
		return s
	}
	return string([]rune(s[:min(len(s), 40*utf8.UTFMax)])[:40]) + "…"
}
