package setting

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Value is a setting with what it holds in the end.
type Value struct {
	Setting
	Values []string // one, or those of a list
	From   string   // "flag", "BACKSTEP_PLAYERS", "server.yaml:3" or "default"
}

// From returns where the value of a setting comes from.
func From(name string, set map[string]bool, given map[string]Given) string {
	if set[name] {
		return "flag"
	}
	if g, ok := given[name]; ok {
		return g.From
	}
	return "default"
}

// Print writes all settings as a file that Read reads, with where each comes from in a comment. Of a secret it
// writes the file's name only if there is such a file: else the user may have given the secret itself.
func Print(w io.Writer, all []Value) error {
	width := 0
	lines := make([]string, len(all))
	for i, v := range all {
		lines[i] = v.Name + ": " + v.text()
		width = max(width, min(len(lines[i]), 48))
	}
	for i, v := range all {
		if _, err := fmt.Fprintf(w, "%-*s  # %s\n", width, lines[i], v.From); err != nil {
			return err
		}
	}
	return nil
}

func (v *Value) text() string {
	if v.List {
		texts := make([]string, len(v.Values))
		for i, s := range v.Values {
			texts[i] = v.one(s)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return v.one(strings.Join(v.Values, ","))
}

// bare is text that means itself in YAML, in a list too.
var bare = regexp.MustCompile(`^[A-Za-z0-9/.][A-Za-z0-9/._-]*$`)

// one returns a value as YAML.
func (v *Value) one(s string) string {
	if _, err := os.Stat(s); v.Secret && s != "" && err != nil {
		return `"(hidden: there is no such file)"`
	}
	if bare.MatchString(s) && !strings.EqualFold(s, "null") {
		return s
	}
	return strconv.Quote(s)
}
