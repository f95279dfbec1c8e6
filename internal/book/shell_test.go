package book

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// tries says how each command of the documents is tried, by the first pattern that matches it: as
// it is, or bounded where it serves, takes minutes or writes into the module. Commands run in the
// module's folder, with backstep in the path and a folder OUT for what they write. A command with
// a reason instead is not run.
var tries = []struct{ command, form, reason string }{
	{command: `^make ([a-z]+).*`, form: `make --no-print-directory -n $1 >/dev/null`},
	{command: `^(?:backstep|go run \./cmd/backstep) lab run (\S+).* --html \S+$`, form: `backstep lab run $1 --html "$$OUT/report.html"`},
	{command: `^backstep lab run (\S+).* --seeds \d+ (.*)$`, form: `backstep lab run $$(ls $1 | head -1) --seeds 1 $2`},
	{command: `^(?:backstep|go run \./cmd/backstep) (bots|lab|serve|front|replay|level|wasm|dev|new|check|token|doctor|bench|version)(.*)$`, form: `backstep $1$2 --help >/dev/null`},
	{command: `^go run \./examples/(\w+)/wasm > .*`, form: `go run ./examples/$1/wasm >"$$OUT/game.d.ts"`},
	{command: `^go run \./examples/(\w+)/server .*`, form: `go build -ldflags=-w -o "$$OUT/server" ./examples/$1/server && serves "$$OUT/server" -addr 127.0.0.1:0 -quic 127.0.0.1:0`},
	{command: `^go run \./examples/(\w+)$`, form: `go build -ldflags=-w -o "$$OUT/example" ./examples/$1`},
	{command: `^go test (\./\S+) .*?((?:Test|Fuzz)\w+).*`, form: `grep -q "^func $2" $1/*_test.go`},
	{command: `^(?:mkdir|cd|npm|npx) .*|^go (?:mod|get -tool|tool|test \./game|run \./(?:server|bot|web/core)).*`, reason: "TestSlowYourFirstGame plays docs/first-game.md in an empty folder"},
	{command: `^go (?:build -buildmode=c-shared|run \./clib|list -f) ?.*`, reason: "the test of examples/hockey/clib builds and plays them"},
	{command: `^(?:git clone|go install) .*`, reason: "of a published version"},
	{command: `^\(cd web && (?:npx vitest run|npm run e2e).*`, reason: "make test runs them"},
	{command: `^(?:ln|\(cd web && npx vite build).*`, reason: "web/e2e/examples.mjs builds the pages of the examples"},
}

// functions are what the forms call: serves starts a server and stops it when it serves.
const functions = `set -euo pipefail
serves() {
	: >"$OUT/log" # or what the server before has said would count
	"$@" >"$OUT/log" 2>&1 &
	for _ in $(seq 600); do
		if grep -q serving "$OUT/log"; then kill -INT $!; wait $!; return; fi
		sleep 0.1
	done
	kill $!; cat "$OUT/log"; return 1
}
`

// Every command of a shell block in the documents works.
func TestSlowShellCommands(t *testing.T) {
	openSources(t)
	environment := append(withBackstep(t), "OUT="+t.TempDir())
	tried := map[string]bool{}
	for _, p := range pages(t) {
		for _, b := range p.Blocks {
			if b.Info != "sh" {
				continue
			}
			for _, line := range commandsOf(b.Text) {
				form, ok := formOf(line)
				if !ok {
					t.Errorf("%s:%d: %q: say in tries how this is tried", p.File, b.Line, line)
				}
				if form == "" || tried[form] {
					continue
				}
				tried[form] = true
				began := time.Now()
				run := exec.CommandContext(t.Context(), "bash", "-c", functions+form)
				run.Dir = root
				run.Env = environment
				text, err := run.CombinedOutput()
				if err != nil {
					t.Errorf("%s:%d: %s: %v\n%s", p.File, b.Line, form, err, text)
				}
				t.Logf("%4.1f s  %s", time.Since(began).Seconds(), form)
			}
		}
	}
}

// commandsOf returns the commands of a block, without comments.
func commandsOf(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if line, _, _ = strings.Cut(line, " #"); strings.TrimSpace(line) != "" && line[0] != '#' {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// formOf returns the form in which a command is tried; it is empty for one that is not run.
func formOf(line string) (form string, ok bool) {
	for _, try := range tries {
		if r := regexp.MustCompile(try.command); r.MatchString(line) {
			return r.ReplaceAllString(line, try.form), true
		}
	}
	return "", false
}

// The forms are what they should be.
func TestForms(t *testing.T) {
	for line, want := range map[string]string{
		"make run": "make --no-print-directory -n run >/dev/null",
		"backstep lab run a/*.yaml --seeds 20 --markdown": "backstep lab run $(ls a/*.yaml | head -1) --seeds 1 --markdown",
		"go run ./cmd/backstep bots --n 20":               "backstep bots --n 20 --help >/dev/null",
		"ln -s a b":                                       "",
	} {
		if got, ok := formOf(line); got != want || !ok {
			t.Errorf("%s: got %q, %v, want %q", line, got, ok, want)
		}
	}
	if _, ok := formOf("rm -rf /"); ok {
		t.Error("a command that no pattern matches is tried")
	}
	if _, err := os.Stat(filepath.Join(root, "Makefile")); err != nil {
		t.Fatal(err)
	}
}
