package token_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
)

// The backend in Node that docs/howto/tokens.md shows issues tokens which a server takes, without a library.
func TestTheBackendInNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	page, err := os.ReadFile("../docs/howto/tokens.md")
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(page), "```js\n")
	script, _, found := strings.Cut(script, "```")
	if !found {
		t.Fatal("the page shows no js block")
	}
	dir := t.TempDir()
	signs, checks := token.NewKeyPair()
	os.WriteFile(filepath.Join(dir, "backend.mjs"), []byte(script), 0o644)
	os.WriteFile(filepath.Join(dir, "key"), []byte(signs.Encode()+"\n"), 0o600)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"server": "start", "match": "arena", "protocol": session.Version})
	}))
	defer server.Close()
	out, err := exec.CommandContext(t.Context(), node, filepath.Join(dir, "backend.mjs"), filepath.Join(dir, "key"), server.URL, "a-1").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	who, err := token.NewChecker([]token.Key{checks}, "start").Check(strings.TrimSpace(string(out)), "arena", time.Now())
	if err != nil || who.Account != "a-1" {
		t.Errorf("got %+v, %v, want account a-1\n%s", who, err, out)
	}
}
