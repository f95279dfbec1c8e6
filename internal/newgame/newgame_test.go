package newgame

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"go/format"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
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
		files, _ := filepath.Glob(filepath.Join(folder, "*", "*.go"))
		for _, file := range files {
			b, _ := os.ReadFile(file)
			if f, err := format.Source(b); err != nil || !bytes.Equal(f, b) {
				t.Errorf("%s: %s is not as gofmt would have it (%v)", kind, file, err)
			}
		}
		server, _ := os.ReadFile(filepath.Join(folder, "server/main.go"))
		if !strings.Contains(string(server), "\"example.com/tag/game\"") {
			t.Errorf("%s: the server imports another game", kind)
		}
	}
}

// The tests of each game pass as it is written. An overlay puts the written files in the place of the
// template, since a module of its own would have to be resolved over the network.
func TestSlowWrittenGamesPassTheirTests(t *testing.T) {
	for _, kind := range Kinds[1:] { // the first is written as it is here
		folder := filepath.Join(t.TempDir(), kind)
		if err := Write(folder, Options{Name: here + kind, Kind: kind, Version: "v0.1.0"}); err != nil {
			t.Fatal(err)
		}
		overlay := overlayOf(t, folder, filepath.Join("templates", kind))
		at := "./templates/" + kind
		command(t, ".", "go", "test", "-c", "-vet=off", "-ldflags=-w", "-overlay", overlay, "-o", folder, at+"/game", at+"/server")
		command(t, folder, filepath.Join(folder, "game.test"))
		command(t, folder, filepath.Join(folder, "server.test"))
		command(t, ".", "go", "build", "-ldflags=-w", "-overlay", overlay, "-o", filepath.Join(folder, "bin")+"/", at+"/bot", at+"/server")
		playBot(t, folder)
	}
}

// A match of each game goes on after a restart of its server with -checkpoint. The tests are not part of the games,
// since they use a package of this module's own.
func TestSlowWrittenGamesGoOnAfterARestart(t *testing.T) {
	for _, kind := range Kinds {
		folder := filepath.Join(t.TempDir(), kind)
		if err := Write(folder, Options{Name: here + kind, Kind: kind, Version: "v0.1.0"}); err != nil {
			t.Fatal(err)
		}
		test, err := os.ReadFile(filepath.Join("testdata", "restart", kind+"_test.go.txt"))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, "server", "restart_test.go"), test, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		overlay := overlayOf(t, folder, filepath.Join("templates", kind))
		command(t, ".", "go", "test", "-c", "-vet=off", "-ldflags=-w", "-overlay", overlay, "-o", folder, "./templates/"+kind+"/server")
		command(t, folder, filepath.Join(folder, "server.test"), "-test.run", "Restart")
	}
}

// playBot starts the server of a game, and lets its bot join and play for two seconds.
func playBot(t *testing.T, folder string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	ctx, stop := context.WithCancel(t.Context())
	server := exec.CommandContext(ctx, filepath.Join(folder, "bin", "server"), "-addr", address, "-quic", "127.0.0.1:0")
	var said bytes.Buffer
	server.Stdout, server.Stderr, server.Dir = &said, &said, folder
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { stop(); _ = server.Wait() }()
	bot := exec.CommandContext(ctx, filepath.Join(folder, "bin", "bot"), "http://"+address)
	out, err := bot.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
			break
		}
		if time.Now().After(until) {
			stop()
			_ = server.Wait()
			t.Fatalf("%s: no server: %v\n%s", folder, err, &said)
		}
	}
	if err := bot.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.Contains(lines.Text(), "joined as player") {
		t.Errorf("%s: the bot says %q, want that it has joined", folder, lines.Text())
	}
	ended := time.AfterFunc(2*time.Second, func() { _ = bot.Process.Kill() })
	for lines.Scan() {
		t.Errorf("%s: the bot says %s", folder, lines.Text())
	}
	_ = bot.Wait()
	if ended.Stop() {
		t.Errorf("%s: the bot ended by itself", folder)
	}
}

// overlayOf returns an overlay file for the go command by which the Go files of a folder stand in another one.
func overlayOf(t *testing.T, folder, at string) string {
	t.Helper()
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	at, err := filepath.Abs(at)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Go files in %s: %v", folder, err)
	}
	for _, f := range files {
		overlay.Replace[at+strings.TrimPrefix(f, folder)] = f
	}
	b, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// command runs a program in a folder.
func command(t *testing.T, folder, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = folder
	if b, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", c, err, b)
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
		{filepath.Join(full, "a"), Options{Name: "tag", Version: "0.1.0"}, "--library 0.1.0 is no version"},
		{filepath.Join(full, "a"), Options{Name: "tag", Version: "latest"}, "--library latest is no version"},
		{filepath.Join(full, "a"), Options{Name: "tag", Version: "v1"}, "want something like v0.1.0"},
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

// The module file is one that the go command reads: with the version, or with the checkout in the place
// of a version, also if there is a space in its path. The npm packages come from the same place.
func TestModuleFiles(t *testing.T) {
	for _, c := range []struct {
		what, version, local string
		required, replaced   string
		npm                  string
	}{
		{"a version", "v0.1.0", "", "v0.1.0", "", "0.1.0"},
		{"a version before the first", "v0.2.0-rc.1", "", "v0.2.0-rc.1", "", "0.2.0-rc.1"},
		{"a commit", "v0.0.0-20261128184318-a3b49cae0000", "", "v0.0.0-20261128184318-a3b49cae0000", "", "0.0.0-20261128184318-a3b49cae0000"},
		{"a checkout", "", "/src/backstep", "v0.0.0", "/src/backstep", "file:/src/backstep/web/client"},
		{"a checkout beats a version", "v0.1.0", "/src/backstep", "v0.0.0", "/src/backstep", "file:/src/backstep/web/client"},
		{"a checkout in a folder with spaces", "", "/home/ann/my games/backstep", "v0.0.0", "/home/ann/my games/backstep", "file:/home/ann/my games/backstep/web/client"},
	} {
		folder := filepath.Join(t.TempDir(), "tag")
		if err := Write(folder, Options{Name: "example.com/tag", Version: c.version, Local: c.local}); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		b, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		mod, err := modfile.Parse("go.mod", b, nil)
		if err != nil {
			t.Errorf("%s: the go command cannot read\n%s\n%v", c.what, b, err)
			continue
		}
		replaced := ""
		for _, r := range mod.Replace {
			replaced += r.New.Path
		}
		if mod.Module.Mod.Path != "example.com/tag" || len(mod.Require) != 1 || mod.Require[0].Mod.Path != Module || mod.Require[0].Mod.Version != c.required || replaced != c.replaced || mod.Tool[0].Path != Module+"/cmd/backstep" {
			t.Errorf("%s: got\n%s\nwant version %s and %q in its place", c.what, b, c.required, c.replaced)
		}
		var page struct{ Dependencies map[string]string }
		if b, err = os.ReadFile(filepath.Join(folder, "web", "package.json")); err != nil || json.Unmarshal(b, &page) != nil || page.Dependencies["@backstep/client"] != c.npm {
			t.Errorf("%s: the page needs %v (%v), want @backstep/client of %s", c.what, page.Dependencies, err, c.npm)
		}
	}
}
