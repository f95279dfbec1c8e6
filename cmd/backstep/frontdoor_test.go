package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/internal/deps"
	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/internal/setting"
	"github.com/backstep-net/backstep/session"
)

// started runs a command until the test ends, and returns what its log says of where it is; stop ends it
// and returns its exit code.
func started(t *testing.T, at *regexp.Regexp, args ...string) (log *locked.Buffer, found string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	log = &locked.Buffer{}
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, args, output{log, log}) }()
	stop = sync.OnceValue(func() int {
		cancel()
		http.DefaultClient.CloseIdleConnections()
		return <-ended
	})
	t.Cleanup(func() { stop() })
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if m := at.FindStringSubmatch(log.String()); m != nil {
			return log, m[1], stop
		}
		if time.Now().After(deadline) {
			t.Fatalf("%q does not start:\n%s", args, log)
		}
	}
}

// A front door that cannot be opened says which flag is wrong and what it may be, and leaves no port
// open.
func TestFrontDoorsThatCannotOpen(t *testing.T) {
	folder := t.TempDir()
	key := filepath.Join(folder, "a.key")
	if code, _, errs := say(t.Context(), "token", "key", "--pair", key); code != exitFine {
		t.Fatal(errs)
	}
	nobody := file(t, "secret", "open sesame, and quickly\n")
	const to = "front --addr 127.0.0.1:0 --server http://192.0.2.1:8080 "
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{to + "--token-key " + key + " --agones http://192.0.2.2", "give either --server, once or more, or --agones", exitUsage},
		{"front --token-key k --agones ftp://192.0.2.2", "want something like http://192.0.2.1:8080", exitUsage},
		{"front --token-key k --server http://", "want something like http://192.0.2.1:8080", exitUsage},
		{to + "--token-key k --seats 0", "--seats=0: want 1 or more", exitUsage},
		{to + "--token-key k --queue 100001", "--queue=100001: want 1 to 100000", exitUsage},
		{to + "--token-key k --per-address 0", "--per-address=0: want 1 or more, or -1 for any number", exitUsage},
		{to + "--token-key k --drain=-1s", "--drain=-1s: want 0s or more", exitUsage},
		{to + "--token-key k --origin https://game.example", "--origin=https://game.example: origin: ", exitUsage},
		{to + "--token-key k --nats nats://192.0.2.2:4222 --nats-listen 127.0.0.1:4222", "one front door runs the server, the others name it", exitUsage},
		{"front --agones http://192.0.2.2 --token-key k --agones-cert c.pem", "--agones-cert, --agones-key and --agones-ca go together", exitUsage},
		{"front --agones http://192.0.2.2 --token-key k --agones-ca c.pem", "--agones-cert, --agones-key and --agones-ca go together", exitUsage},
		{to, "missing flags: --token-key=FILE", exitUsage},
		{to + "--token-key " + filepath.Join(folder, "none"), "--token-key: ", exitFailure},
		{to + "--token-key " + key + ".pub", key + ".pub: it checks tokens and makes none: give the front door the other half", exitFailure},
		{to + "--token-key " + key + " --admin-secret " + filepath.Join(folder, "none"), "--admin-secret", exitFailure},
		{to + "--token-key " + key + " --nats-secret " + filepath.Join(folder, "none"), "--nats-secret", exitFailure},
		{to + "--token-key " + key + " --tls-cert c.pem", "--tls-key", exitFailure},
		{"front --agones http://192.0.2.2 --token-key " + key + " --agones-cert c.pem --agones-key k.pem --agones-ca a.pem", "c.pem: no such file", exitFailure},
		{to + "--token-key " + key + " --addr nonsense", "--addr=nonsense: want an address such as :8081", exitFailure},
		{to + "--token-key " + key + " --admin 0.0.0.0:0", "--admin=0.0.0.0:0: want an address such as 127.0.0.1:9090, or --admin-secret", exitFailure},
		{to + "--token-key " + key + " --nats-listen nonsense", "--nats-listen=nonsense: ", exitFailure},
		{to + "--token-key " + key + " --nats-listen 127.0.0.1:0", `--nats-listen=127.0.0.1:0: "0" is no port`, exitFailure},
		{to + "--token-key " + key + " --nats-listen 127.0.0.1:65536", `"65536" is no port`, exitFailure},
		{to + "--token-key " + key + " --nats-listen 0.0.0.0:4222", "other machines reach it: give both --nats-secret, or listen on 127.0.0.1", exitFailure},
		{to + "--token-key " + key + " --nats-secret " + nobody + " --nats ://", "--nats=://: ", exitFailure},
	} {
		code, out, errs := say(t.Context(), strings.Fields(c.args)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d, output %q, errors\n%s\nwant %d and %s", c.args, code, out, errs, c.code, c.want)
		}
		if strings.Contains(errs, "sesame") {
			t.Errorf("%q prints a secret:\n%s", c.args, errs)
		}
	}
}

// Two front doors share their players over NATS that one of them runs; both stop in order, and the
// admin port of each counts who waits.
func TestFrontDoorsShareTheirPlayers(t *testing.T) {
	folder := t.TempDir()
	key, secret := filepath.Join(folder, "a.key"), file(t, "secret", "open sesame, and quickly\n")
	if code, _, errs := say(t.Context(), "token", "key", key); code != exitFine {
		t.Fatal(errs)
	}
	nats := freePort(t)
	at := regexp.MustCompile(`msg="front door" http=\S+ admin=(\S+)`)
	shared := []string{"front", "--addr", "127.0.0.1:0", "--server", "http://" + freePort(t), "--token-key", key, "--drain", "0s", "--nats-secret", secret}
	oneLog, one, stopOne := started(t, at, append(shared, "--nats-listen", nats)...)
	twoLog, two, stopTwo := started(t, at, append(shared, "--nats", "nats://"+nats)...)
	for _, admin := range []string{one, two} {
		res, err := http.Get("http://" + admin + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if !strings.Contains(string(b), "backstep_front_waiting 0") {
			t.Errorf("the metrics at %s do not show who waits:\n%s", admin, b)
		}
	}
	if code := stopTwo(); code != exitFine {
		t.Errorf("the second: exit code %d, log\n%s", code, twoLog)
	}
	if code := stopOne(); code != exitFine || !strings.Contains(oneLog.String(), "NATS for other front doors") {
		t.Errorf("the first: exit code %d, log\n%s", code, oneLog)
	}
	if strings.Contains(oneLog.String()+twoLog.String(), "sesame") {
		t.Error("the secret is in a log")
	}
}

// Each kind of error has its exit code, and is printed once: with the help of the command where it is a
// mistake of the command line.
func TestExitCodesOfErrors(t *testing.T) {
	for _, c := range []struct {
		what string
		err  error
		code int
		want string
	}{
		{"none", nil, 0, ""},
		{"any", errors.New("the disk is full"), 1, "backstep: the disk is full\n"},
		{"with a code and a text", fmt.Errorf("lab: %w", &exitError{3, "three fails"}), 3, "three fails\n"},
		{"with a code alone", &exitError{code: exitInterrupted}, 130, ""},
		{"of the command line", usageError(errors.New("no such seed")), 2, "backstep: no such seed\n"},
		{"of the parser", &kong.ParseError{}, 2, "Try backstep --help.\n"},
	} {
		var errs locked.Buffer
		if code := exitCode(c.err, output{io.Discard, &errs}); code != c.code || !strings.HasSuffix(errs.String(), c.want) || c.want == "" && errs.String() != "" {
			t.Errorf("%s: exit code %d, errors %q; want %d and %q", c.what, code, errs.String(), c.code, c.want)
		}
	}
	source := setting.Explain(errors.New("--players=1900: want 1 to 1000"), map[string]setting.Given{"players": {From: "BACKSTEP_PLAYERS"}})
	var errs locked.Buffer
	if code := exitCode(source, output{io.Discard, &errs}); code != exitFailure || errs.String() != "backstep: --players=1900: want 1 to 1000 (from BACKSTEP_PLAYERS)\n" {
		t.Errorf("of the environment: exit code %d, errors %q", code, errs.String())
	}
}

// The line of JSON of bots has the sums, the mean round trip of those that play, and no number that a
// reader of JSON refuses.
func TestJSONOfBots(t *testing.T) {
	none := totalsOf([]*netBot{newNetBot(&botsCommand{}, nil, 0)})
	var bots []*netBot
	for i := range 3 {
		b := newNetBot(&botsCommand{Seed: 5}, nil, i)
		s := session.Stats{RTT: clock.Micros(i+1) * 20 * clock.Millisecond, Hits: 2, Agreed: 3, Disagreed: 1}
		s.In.Bytes, s.Out.Bytes = 1000, 500
		b.stats.Store(&s)
		b.playing.Store(i < 2)
		b.verdicts.took, b.verdicts.other = map[int]int{40: 2, 50 + i: 1}, map[string]int{"too late": i}
		bots = append(bots, b)
	}
	sum := totalsOf(bots)
	for _, c := range []struct {
		line string
		want map[string]any
	}{
		{none.json(0, 1), map[string]any{"seconds": 0.0, "bots": 1.0, "playing": 0.0, "failed": 1.0, "rtt_ms": 0.0, "agreed": 0.0}},
		{sum.json(2500*time.Millisecond, 0), map[string]any{"seconds": 2.5, "bots": 3.0, "playing": 2.0, "failed": 0.0, "rtt_ms": 30.0, "agreed": 9.0, "disagreed": 3.0, "hits": 6.0, "bytes": 4500.0}},
	} {
		var got map[string]any
		if err := json.Unmarshal([]byte(c.line), &got); err != nil || strings.Contains(c.line, "\n") {
			t.Fatalf("%s: %v", c.line, err)
		}
		for key, want := range c.want {
			if got[key] != want {
				t.Errorf("%s is %v, want %v in %s", key, got[key], want, c.line)
			}
		}
	}
	if sum.verdicts[40] != 6 || sum.verdicts[50] != 1 || sum.verdicts[52] != 1 || sum.other["too late"] != 3 {
		t.Errorf("verdicts %v and %v, want the sums of three bots", sum.verdicts, sum.other)
	}
}

// Every line of --json is JSON, the last one too: it counts each bot that failed. Without it the last
// line is for people.
func TestTheLastLineOfBots(t *testing.T) {
	for _, asJSON := range []bool{true, false} {
		failed := make(chan error, 3)
		for range 3 {
			failed <- errors.New("bot 1: the server is stopping")
		}
		close(failed)
		var out, errs locked.Buffer
		if n := reportBots(output{&out, &errs}, []*netBot{newNetBot(&botsCommand{}, nil, 0)}, failed, asJSON); n != 3 {
			t.Errorf("%d failures, want 3", n)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		var last struct{ Failed int }
		err := json.Unmarshal([]byte(lines[len(lines)-1]), &last)
		if asJSON && (err != nil || last.Failed != 3) || !asJSON && !strings.HasPrefix(lines[len(lines)-1], "over after 0 s  played 0/1") {
			t.Errorf("as JSON %v: the last line is %q (%v)", asJSON, lines[len(lines)-1], err)
		}
		if got := strings.Count(errs.String(), "backstep: bot 1: the server is stopping\n"); got != 3 {
			t.Errorf("%d errors are printed, want 3:\n%s", got, errs.String())
		}
	}
}

// A new game is written into a folder of its name, once; what cannot be written is an error that says
// what to do, and leaves nothing.
func TestANewGameIsWritten(t *testing.T) {
	root, err := deps.Root()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	code, out, errs := say(t.Context(), "new", "example.com/tag", "--library", "v0.1.0", "--shooter")
	if code != exitFine || errs != "" || out != "tag is written. Next:\n\n\tcd tag\n\tbackstep dev\n" {
		t.Fatalf("exit code %d, output %q, errors %q", code, out, errs)
	}
	if b, err := os.ReadFile(filepath.Join("tag", "go.mod")); err != nil || !strings.Contains(string(b), "require github.com/backstep-net/backstep v0.1.0") {
		t.Errorf("go.mod: %v\n%s", err, b)
	}
	code, out, errs = say(t.Context(), "new", "local", "--local", root)
	if code != exitFine || errs != "" {
		t.Fatalf("--local: exit code %d, output %q, errors %q", code, out, errs)
	}
	_, err = os.Stat(filepath.Join(root, "web", "vite", "dist", "index.js"))
	if built, told := err == nil, strings.Contains(out, "web\" && npm ci && npm run packages)\n\tbackstep dev\n"); built == told {
		t.Errorf("--local: the npm packages are built: %v; the output %q", built, out)
	}
	if b, err := os.ReadFile(filepath.Join("local", "go.mod")); err != nil || !strings.Contains(string(b), "replace github.com/backstep-net/backstep => "+root) {
		t.Errorf("go.mod with --local: %v\n%s", err, b)
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"new tag --library v0.1.0", "the folder tag is not empty: choose another name, or remove it", exitFailure},
		{"new Tag! --library v0.1.0", "is no module path: use letters, digits and dashes", exitFailure},
		{"new ball --library 1.0", "--library 1.0 is no version that a go.mod can name: want something like v0.1.0", exitFailure},
		{"new ball --local nowhere", "is no checkout of the library: it has no folder web/client", exitUsage},
		{"dev", "no go.mod here: run this in the folder that backstep new made", exitFailure},
	} {
		code, out, errs := say(t.Context(), strings.Fields(c.args)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d, output %q, errors %q; want %d and %q", c.args, code, out, errs, c.code, c.want)
		}
	}
	if got := fmt.Sprint(inFolder(t, ".")); got != "[local tag]" {
		t.Errorf("in the folder: %s, want the two games alone", got)
	}
}
