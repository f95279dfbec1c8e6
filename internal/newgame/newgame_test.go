package newgame

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each kind of game is written whole: with its own import path and nothing of the template's.
func TestEveryKindIsWritten(t *testing.T) {
	for _, kind := range Kinds {
		folder := filepath.Join(t.TempDir(), "tag")
		if err := Write(folder, Options{Name: "example.com/tag", Kind: kind, Version: "v0.1.0"}); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"go.mod", ".gitignore", "README.md", "game/game.go", "game/game_test.go", "game/bot.go", "server/main.go", "bot/main.go", "web/core/main.go", "web/main.ts", "web/package.json"} {
			b, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Errorf("%s: %v", kind, err)
			}
			if s := string(b); strings.Contains(s, "newgame") || strings.Contains(s, "NAME") {
				t.Errorf("%s: %s still names the template", kind, name)
			}
		}
		server, _ := os.ReadFile(filepath.Join(folder, "server/main.go"))
		if !strings.Contains(string(server), "\"example.com/tag/game\"") {
			t.Errorf("%s: the server imports another game", kind)
		}
	}
}

// What cannot be written is an error that says what to do, and writes nothing.
func TestBadProjects(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		folder  string
		options Options
		want    string
	}{
		{filepath.Join(full, "a"), Options{Name: "My Game", Version: "v0.1.0"}, "no module path: use letters"},
		{filepath.Join(full, "a"), Options{Name: "../tag", Version: "v0.1.0"}, "no module path"},
		{filepath.Join(full, "a"), Options{Name: "tag"}, "--library VERSION"},
		{filepath.Join(full, "a"), Options{Name: "tag", Version: "v0.1.0", Kind: "racing"}, `no template "racing": take one of third, shooter`},
		{full, Options{Name: "tag", Version: "v0.1.0"}, "is not empty: choose another name"},
	} {
		if err := Write(c.folder, c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.options, err, c.want)
		}
	}
	if list, _ := os.ReadDir(full); len(list) != 1 {
		t.Errorf("got %v, want nothing written", list)
	}
}
