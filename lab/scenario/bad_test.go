package scenario

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/bad.txt with what is got")

// TestBadFiles is a transcript of files with errors and all their errors. A file without the keys
// that every scenario needs gets them at its end, unless it begins with "# bare".
func TestBadFiles(t *testing.T) {
	const path = "testdata/bad.txt"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	blocks := strings.Split(string(b), "\n== ")
	out.WriteString(blocks[0])
	for _, block := range blocks[1:] {
		title, rest, _ := strings.Cut(block, "\n")
		text, want, _ := strings.Cut(rest, "----")
		want = strings.TrimSpace(want)
		got := errorsOf(text)
		if got != want && !*update {
			t.Errorf("%s:\n%sgot:\n%s\nwant:\n%s", title, text, got, want)
		}
		out.WriteString("\n== " + title + "\n" + text + "----\n" + got + "\n")
	}
	if len(blocks) <= 60 {
		t.Errorf("%d bad files, want 60 at least", len(blocks)-1)
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// errorsOf returns the errors of a file; lines that begin with --set are overrides.
func errorsOf(text string) string {
	var sets []string
	for strings.HasPrefix(text, "--set ") {
		set, rest, _ := strings.Cut(text, "\n")
		sets, text = append(sets, strings.TrimPrefix(set, "--set ")), rest
	}
	f, err := Open("x.yaml", []byte(whole(text)))
	for _, set := range sets {
		if err == nil {
			path, value, _ := strings.Cut(set, "=")
			err = f.Set(path, value)
		}
	}
	if err == nil {
		_, err = f.Scenario(words)
	}
	if err == nil {
		return "nothing is wrong"
	}
	return err.Error()
}

// words are those of a game with one weapon and no buttons.
var words = Options{
	Levels: []string{"yard", "arena"}, Weapons: []string{"rifle"}, Buttons: []string{},
	Tunables: []string{"gravity", "max_walk_speed", "mass", "walkable_slope", "walk_off_ledges"}, Switches: []string{"walk_off_ledges"},
	Figures: []string{"ticks", "*.corrections", "*.up", "shots.agreement"},
}

// whole adds the keys that every scenario needs.
func whole(text string) string {
	if strings.HasPrefix(text, "# bare\n") {
		return text
	}
	for _, line := range []string{"duration: 1s", "geometry: []", "players: [{name: ann}, {name: bob}]"} {
		key, _, _ := strings.Cut(line, ":")
		if !strings.Contains("\n"+text, "\n"+key+":") {
			text += line + "\n"
		}
	}
	return text
}
