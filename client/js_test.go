package client_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/internal/deps"
	"github.com/backstep-net/backstep/internal/targets"
)

// A Go client for GOOS=js joins a real host over the WebSocket of Node, plays, leaves, and gets the
// reason of a refusal.
func TestAClientUnderJavaScript(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it compiles for another target")
	}
	node := nodeWithWebSocket(t)
	program := filepath.Join(t.TempDir(), "client.wasm")
	build := exec.Command("go", "build", "-o", program, "./testdata/jsclient")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	level := box(60)
	s := open(t, level, newMatch(level, 1))
	want := "by websocket: player 1 walked over 5 m: true\n"
	if got, err := runNode(t, node, program, s.url); got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	dial(t, s.url, client.Config{}) // its seat was free at once
	want = "error: client: refused by the server: session: the match is full\n"
	if got, err := runNode(t, node, program, s.url); got != want || err == nil {
		t.Errorf("in a full match: got %q, %v, want %q", got, err, want)
	}
}

// nodeWithWebSocket returns the command that runs Go's JavaScript programs, or skips the test.
func nodeWithWebSocket(t *testing.T) []string {
	t.Helper()
	root, err := deps.Root()
	if err == nil {
		_, err = deps.Sources(root) // go test notices when one changes
	}
	if err != nil {
		t.Fatal(err)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	// Node 20 has a WebSocket behind the flag, later ones without and take the flag too.
	front := []string{"node", "--experimental-websocket", "--no-warnings", "--stack-size=8192"}
	out, err := exec.Command(front[0], append(front[1:], "-p", "typeof WebSocket")...).CombinedOutput()
	if strings.TrimSpace(string(out)) != "function" {
		why := "a Go client under JavaScript: no Node with a WebSocket here (20 or later): " + string(out)
		if err != nil {
			why += err.Error()
		}
		targets.NotRun(t, why)
		t.Skip(why)
	}
	return append(front, filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec_node.js"))
}

// runNode runs the program against a server and returns what it printed.
func runNode(t *testing.T, node []string, program, url string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node[0], append(node[1:], program, url)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, time.Second
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")} // Go's loader bounds the environment
	err := cmd.Run()
	if errs.Len() > 0 {
		t.Logf("standard error: %s", &errs)
	}
	return out.String(), err
}
