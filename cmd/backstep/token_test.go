package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport/join"
)

// A key is written once, for its owner alone: what is there is never overwritten, and no half of a pair
// is left behind.
func TestKeysAreWritten(t *testing.T) {
	folder := t.TempDir()
	shared, pair, blocked := filepath.Join(folder, "shared.key"), filepath.Join(folder, "pair.key"), filepath.Join(folder, "blocked.key")
	if err := os.WriteFile(blocked+".pub", []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, out, errors string
	}{
		{"token key " + shared, "wrote " + shared + ": give it to the backend and to backstep serve --token-key=" + shared + ", and to nobody else\n", ""},
		{"token key --pair " + pair, "wrote " + pair + ": the backend's alone\nwrote " + pair + ".pub: for backstep serve --token-key=" + pair + ".pub\n", ""},
		{"token key " + shared, "", "shared.key: file exists: name another file, keys are not overwritten"},
		{"token key --pair " + shared, "", "file exists: name another file"},
		{"token key --pair " + blocked, "", "blocked.key.pub: file exists: name another file"},
		{"token key " + filepath.Join(folder, "none", "x.key"), "", "no such file or directory"},
	} {
		code, out, errs := say(t.Context(), strings.Fields(c.args)...)
		want := exitFine
		if c.errors != "" {
			want = exitFailure
		}
		if code != want || out != c.out || !strings.Contains(errs, c.errors) {
			t.Errorf("%s: exit code %d, output %q, errors %q; want %d, %q, %q", c.args, code, out, errs, want, c.out, c.errors)
		}
	}
	if got := fmt.Sprint(inFolder(t, folder)); got != "[blocked.key.pub pair.key pair.key.pub shared.key]" {
		t.Errorf("in the folder: %s", got)
	}
	for file, is := range map[string]struct{ issues, checks, others bool }{
		shared: {true, true, false}, pair: {true, false, false}, pair + ".pub": {false, true, true},
	} {
		k, err := token.ReadKey(file)
		if err != nil || k.Issues() != is.issues || k.Checks() != is.checks {
			t.Errorf("%s: issues %v, checks %v (%v); want %+v", file, k.Issues(), k.Checks(), err, is)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if others := info.Mode().Perm()&0o044 != 0; others != is.others && runtime.GOOS != "windows" {
			t.Errorf("%s: others may read it: %v, want %v", file, others, is.others)
		}
	}
}

// A token that the command issues is for the account, the start of the server and the match that it
// names, and for no longer than was asked for.
func TestATokenIsIssued(t *testing.T) {
	folder := t.TempDir()
	key, other := filepath.Join(folder, "a.key"), filepath.Join(folder, "b.key")
	for _, file := range []string{key, other} {
		if code, _, errs := say(t.Context(), "token", "key", "--pair", file); code != exitFine {
			t.Fatal(errs)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		match := r.URL.Query().Get("match")
		if match == "" {
			match = "arena"
		}
		_ = json.NewEncoder(w).Encode(join.Answer{Server: "start-1", Match: match, Protocol: session.Version, Level: "00", World: "/world"})
	}))
	defer server.Close()
	defer http.DefaultClient.CloseIdleConnections()
	now := time.Now()
	issue := func(args ...string) (int, string, string) {
		code, out, errs := say(t.Context(), append([]string{"token", "issue", "--key", key, "--url", server.URL, "--account", "a-17"}, args...)...)
		return code, strings.TrimSpace(out), errs
	}
	public, err := token.ReadKey(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	check := func(text, match string, at time.Time) (session.Identity, error) {
		return token.NewChecker([]token.Key{public}, "start-1").Check(text, match, at)
	}
	code, text, errs := issue("--name", "Ada", "--match", "arena-2", "--life", "2m")
	who, err := check(text, "arena-2", now.Add(time.Minute))
	if code != exitFine || errs != "" || err != nil || who.Account != "a-17" || who.Name != "Ada" {
		t.Errorf("exit code %d, errors %q; the token is of %+v (%v), want account a-17 and name Ada", code, errs, who, err)
	}
	if _, err := check(text, "arena", now); err == nil {
		t.Error("the token opens another match")
	}
	if _, err := check(text, "arena-2", now.Add(3*time.Minute)); err == nil {
		t.Error("the token lives longer than two minutes")
	}
	if _, text, _ := issue(); text == "" {
		t.Error("without a name no token is printed")
	} else if who, err := check(text, "arena", now); err != nil || who.Name != "" {
		t.Errorf("without a name and a match: %+v, %v; want the first match, and the player's own name", who, err)
	}
	for _, c := range []struct{ args, want string }{
		{"--life 6m", "token: "},
		{"--key " + filepath.Join(folder, "none"), "--key: "},
		{"--key " + key + ".pub", "this key makes no tokens: take a k4.local or a k4.secret key"},
		{"--url http://127.0.0.1:1", "127.0.0.1:1"},
	} {
		if code, out, errs := issue(strings.Fields(c.args)...); code != exitFailure || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, output %q, errors %q; want %d and %q", c.args, code, out, errs, exitFailure, c.want)
		}
	}
}

// A server that wants tokens lets bots in that make them with its key, and no others; a front door
// before it gives its own players a token each, and stops in order.
func TestAServerWithTokensBehindAFrontDoor(t *testing.T) {
	folder := t.TempDir()
	key, wrong := filepath.Join(folder, "a.key"), filepath.Join(folder, "b.key")
	for _, file := range []string{key, wrong} {
		if code, _, errs := say(t.Context(), "token", "key", "--pair", file); code != exitFine {
			t.Fatal(errs)
		}
	}
	url, _, _ := server(t, "--bots", "0", "--token-key", key+".pub")
	for _, c := range []struct{ args, want string }{
		{"", "give the bots a key with --token-key"},
		{"--token-key " + wrong, "bot 1: "},
		{"--token-key " + filepath.Join(folder, "none"), "--token-key: "},
	} {
		args := append([]string{"bots", "--url", url, "--n", "1", "--for", "20s"}, strings.Fields(c.args)...)
		if code, _, errs := say(t.Context(), args...); code != exitFailure || !strings.Contains(errs, c.want) {
			t.Errorf("bots %s: exit code %d, errors %q; want %d and %q", c.args, code, errs, exitFailure, c.want)
		}
	}
	if code, out, errs := say(t.Context(), "bots", "--url", url, "--n", "2", "--for", "1s", "--token-key", key); code != exitFine || !strings.Contains(out, "played 2/2") {
		t.Errorf("with the key: exit code %d, errors %q, output\n%s", code, errs, out)
	}
	door, log, stop := frontDoor(t, "--server", url, "--token-key", key, "--seats", "2")
	var names []string
	for range 2 {
		res, err := http.Get(door + join.Path)
		if err != nil {
			t.Fatal(err)
		}
		var a join.Answer
		err = json.NewDecoder(res.Body).Decode(&a)
		res.Body.Close()
		if names = append(names, a.Ticket); err != nil || a.Address != url || a.Token == "" {
			t.Errorf("a player gets %+v (%v), want the server %s and a token", a, err, url)
		}
	}
	if names[0] == names[1] {
		t.Errorf("two players have the ticket %s", names[0])
	}
	if code := stop(); code != exitFine || !strings.Contains(log.String(), "msg=stopped") {
		t.Errorf("the front door's exit code is %d, its log\n%s", code, log)
	}
}

// frontDoor runs front until the test ends, and returns where it is; stop ends it and returns its exit
// code.
func frontDoor(t *testing.T, args ...string) (url string, log *locked.Buffer, stop func() int) {
	t.Helper()
	at := regexp.MustCompile(`msg="front door" http=(\S+)`)
	log, url, stop = started(t, at, append([]string{"front", "--addr", "127.0.0.1:0", "--drain", "0s"}, args...)...)
	return "http://" + url, log, stop
}
