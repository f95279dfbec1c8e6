package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/client/native"
	"github.com/backstep-net/backstep/examples/hockey"
	"github.com/backstep-net/backstep/internal/targets"
	"github.com/backstep-net/backstep/serve"
)

// library is the folder of backstep.h and of the skeletons, from here.
var library = filepath.Join("..", "..", "..", "client", "native")

// patience is how long a test waits for what must come; nothing is timed by it.
const patience = time.Minute

// Programs in C and C# join a real server through the library, beside a bot in Go: they skate, see it
// and the puck, read fields and figures, and the server corrects nothing. A name that the server refuses
// ends them with the reason. [ENT-13]
func TestSlowProgramsInOtherLanguagesPlay(t *testing.T) {
	folder := build(t)
	address := open(t)
	bot(t, address)

	play := run(t, folder, "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", "play", here(t, "c/play.c"),
		"-I.", "-I"+here(t, library), "-L.", "-lgame", "-lm")
	if play {
		want := regexp.MustCompile(`^Ada is player \d+: 180 frames, \d+\.\d m, \d\.\d s of stamina, score \d+
1 others, [1-9]\d* events, \d+ hits, round trip \d+\.\d ms, 0 corrections
$`)
		if got, err := program(folder, "./play", address, "Ada", "3"); err != nil || !want.MatchString(got) {
			t.Errorf("in C: got %v\n%s\nwant\n%s", err, got, want)
		}
		if got, err := program(folder, "./play", address, "", "3"); err == nil || !strings.Contains(got, "a name is 1 to 24") {
			t.Errorf("in C without a name: got %v, %q, want the reason", err, got)
		}
	}
	if run(t, folder, "mcs", "-warnaserror", "-out:play.exe", here(t, "cs/Play.cs"), here(t, library, "unity/Backstep.cs"), "Game.cs") {
		want := regexp.MustCompile(`^Eve is player \d+: 180 frames, \d\.\d s of stamina
1 others, [1-9]\d* events, 0 corrections
$`)
		if got, err := program(folder, "mono", "play.exe", address, "Eve", "3"); err != nil || !want.MatchString(got) {
			t.Errorf("in C#: got %v\n%s\nwant\n%s", err, got, want)
		}
	}
}

// The skeletons for Godot and Unity compile without the engines, against their names alone.
func TestSlowTheSkeletonsCompile(t *testing.T) {
	folder := t.TempDir()
	headers(t, folder)
	sources, _ := filepath.Glob(here(t, library, "godot/*.cpp"))
	run(t, folder, "c++", append([]string{"-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I.",
		"-I" + here(t, library), "-I" + here(t, library, "testdata/godot")}, sources...)...)
	run(t, folder, "mcs", "-warnaserror", "-target:library", "-out:skeleton.dll", here(t, library, "unity/Backstep.cs"),
		here(t, library, "unity/BackstepPlayer.cs"), here(t, library, "testdata/unity/UnityEngine.cs"), "Game.cs")
}

// The frame that the book shows compiles.
func TestSlowTheFrameOfTheBookCompiles(t *testing.T) {
	page, err := os.ReadFile(here(t, "../../../docs/howto/c.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```c\n")
	block, _, found := strings.Cut(block, "```")
	if !found {
		t.Fatal("docs/howto/c.md has no block in C")
	}
	folder := t.TempDir()
	headers(t, folder)
	text := "#include \"game.h\"\ngame_input keys(void);\nvoid draw(bs_view *, bs_entity *, int);\nvoid sound(bs_event *);\n" +
		"int main(void) {\n" + block + "return 0;\n}\n"
	if err := os.WriteFile(filepath.Join(folder, "frame.c"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, folder, "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I.", "-I"+here(t, library), "frame.c")
}

// headers writes what the game's native main prints.
func headers(t *testing.T, folder string) {
	t.Helper()
	for name, text := range map[string]string{"game.h": native.Header(), "Game.cs": native.CSharp()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// build builds the library, in a new folder with the headers.
func build(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	headers(t, folder)
	command := exec.Command("go", "build", "-buildmode=c-shared", "-o", filepath.Join(folder, "libgame.so"), ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := command.CombinedOutput(); err != nil {
		if _, missing := exec.LookPath("cc"); missing != nil {
			targets.NotRun(t, "the C library: no C compiler here: install gcc")
			t.Skip("no C compiler here")
		}
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return folder
}

// here returns the absolute path of a file, named from this folder.
func here(t *testing.T, path ...string) string {
	t.Helper()
	absolute, err := filepath.Abs(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return absolute
}

// run runs a compiler in the folder, and returns false where there is none.
func run(t *testing.T, folder, compiler string, args ...string) bool {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		targets.NotRun(t, "the C library in another language: "+compiler+" is not here: install gcc, g++ and mono-mcs")
		return false
	}
	if out, err := program(folder, compiler, args...); err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	return true
}

// program runs a program in the folder and returns what it has printed.
func program(folder, name string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = folder, append(os.Environ(), "LD_LIBRARY_PATH="+folder)
	out, err := command.CombinedOutput()
	return string(out), err
}

// log is what the server has logged so far.
type log struct {
	sync.Mutex
	bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(b)
}

func (l *log) text() string {
	l.Lock()
	defer l.Unlock()
	return l.String()
}

// open serves hockey until the test ends, and returns the address.
func open(t *testing.T) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	logged, done := new(log), make(chan error, 1)
	go func() {
		done <- serve.Run(ctx, hockey.Rules(), hockey.Config(), []string{"-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0"}, logged)
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	address := regexp.MustCompile(`http=(\S+)`)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if found := address.FindStringSubmatch(logged.text()); found != nil {
			return "http://" + found[1]
		}
	}
	t.Fatalf("the server does not say where it serves:\n%s", logged.text())
	return ""
}

// bot plays hockey in Go until the test ends.
func bot(t *testing.T, address string) {
	t.Helper()
	c, err := client.Dial(context.Background(), address, hockey.Rules(), client.Config{Name: "Bot"})
	if err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		defer c.Close()
		for {
			select {
			case <-stop:
				done <- nil
				return
			case <-time.After(time.Second / 60):
				if err := c.Frame(new(hockey.Think(c.Client))); err != nil && !errors.Is(err, client.ErrClosed) {
					done <- fmt.Errorf("the bot: %w", err)
					return
				}
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
