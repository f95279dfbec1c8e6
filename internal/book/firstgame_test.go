package book

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/internal/deps"
)

// firstGame is a page that is played as a whole.
const firstGame = "docs/first-game.md"

// instead says what is run in place of a command of the page: the module is this one, in a workspace, so that the build
// cache has its packages already; servers and bots run beside each other; what only builds the page is for the browser
// tests; the tool is the one in the path.
var instead = []struct{ command, form string }{
	{`^mkdir crown && cd crown$`, ""},
	{`^go get -tool .*`, "go mod edit -require=" + module + "@v0.0.0 -replace=" + module + "=$MODULE -tool=" + module + "/cmd/backstep && cp $MODULE/go.sum . && go work init . $MODULE"},
	{`^go run \./(server|bot).*`, ""},
	{`^go tool backstep wasm .*`, "go list tool | grep -q '/cmd/backstep$' && backstep wasm --help >/dev/null && GOOS=wasip1 GOARCH=wasm go vet ./web/core"},
	{`^(cd|npm|npx) .*`, ""},
	{`.*`, "$0"},
}

const module = deps.Module

// shown matches a file of the page, which its path in bold comes before, and a block of commands.
var shown = regexp.MustCompile("(?s)(?:\\*\\*([\\w./-]+)\\*\\*\n\n)?```(\\w+)\n(.*?)```")

// The files and commands of docs/first-game.md, in an empty folder, are a game: its test passes, its server
// serves, and two of its bots join.
func TestSlowYourFirstGame(t *testing.T) {
	openSources(t)
	folder := t.TempDir()
	page, err := os.ReadFile(filepath.Join(root, firstGame))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range shown.FindAllStringSubmatch(string(page), -1) {
		if m[1] != "" {
			writeFile(t, filepath.Join(folder, m[1]), m[3])
			continue
		}
		if m[2] == "sh" {
			for _, line := range strings.Split(strings.TrimSpace(m[3]), "\n") {
				shell(t, folder, substitute(line))
			}
		}
	}
	types, err := os.ReadFile(filepath.Join(folder, "web/game.d.ts"))
	if err != nil || !strings.Contains(string(types), "readonly breath: number") {
		t.Errorf("the page's types have no breath (%v)", err)
	}
	joinBots(t, folder)
	web, err := filepath.Abs(root + "/web")
	if err != nil {
		t.Fatal(err)
	}
	webPackages(t, web)
	typecheck(t, web, filepath.Join(folder, "web"))
}

// writeFile writes a file of the page.
func writeFile(t *testing.T, file, text string) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// substitute returns what is run in place of a command.
func substitute(line string) string {
	for _, i := range instead {
		if r := regexp.MustCompile(i.command); r.MatchString(line) {
			return strings.ReplaceAll(i.form, "$0", line)
		}
	}
	return line
}

// shell runs a command line in a folder.
func shell(t *testing.T, folder, line string) {
	t.Helper()
	if line == "" {
		return
	}
	this, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "bash", "-c", line)
	c.Dir, c.Env = folder, append(withBackstep(t), "MODULE="+this)
	began := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	t.Logf("%5.1f s  %s", time.Since(began).Seconds(), line)
}

// joinBots starts the page's server and two of its bots, and waits until both have joined.
func joinBots(t *testing.T, folder string) {
	shell(t, folder, "mkdir bin && go build -ldflags=-w -o bin ./server ./bot")
	server := exec.CommandContext(t.Context(), filepath.Join(folder, "bin/server"), "-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0")
	log, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines, address := bufio.NewScanner(log), ""
	for address == "" && lines.Scan() {
		if m := regexp.MustCompile(`http=(\S+)`).FindStringSubmatch(lines.Text()); m != nil {
			address = "http://" + m[1]
		}
	}
	go func() { // an unread log would block the server
		for lines.Scan() {
		}
	}()
	for range 2 {
		if err := exec.CommandContext(t.Context(), filepath.Join(folder, "bin/bot"), address).Start(); err != nil {
			t.Fatal(err)
		}
	}
	for present := 0; present < 2; time.Sleep(100 * time.Millisecond) {
		if t.Context().Err() != nil {
			t.Fatal("the bots did not join")
		}
		present = countConnections(t, address)
	}
}

// countConnections returns how many connections the match at an address has.
func countConnections(t *testing.T, address string) int {
	answer, err := http.Get(address + "/api/status")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var status struct {
		Matches []struct {
			Connections int
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&status); err != nil {
		t.Fatal(err)
	}
	return status.Matches[0].Connections
}
