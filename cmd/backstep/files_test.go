package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/join"
)

// Every flag with a value that it cannot have is refused before anything begins, in one sentence that
// has the flag and what it may be.
func TestFlagsOutOfRange(t *testing.T) {
	good := file(t, "walk.yaml", walk)
	for _, c := range []struct{ args, want string }{
		{"serve --tick 241", "--tick=241: want 10 to 240"},
		{"serve --matches 65", "--matches=65: want 1 to 64"},
		{"serve --players 0", "--players=0: want 1 to 1000"},
		{"serve --bots=-1", "--bots=-1: want 0 to 32, as many as --players"},
		{"serve --friendly-fire 1.5", "--friendly-fire=1.5: want a share, 0 to 1"},
		{"serve --friendly-fire NaN", "--friendly-fire=NaN: want a share, 0 to 1"},
		{"serve --origin https://game.example", `--origin=https://game.example: origin: "https://game.example" is no pattern of hosts`},
		{"serve --public a/b", "--public=a/b: want a host, or host:port"},
		{"bots --n 201", "--n=201: want 1 to 200"},
		{"bots --frames 1001", "--frames=1001: want 1 to 1000"},
		{"bots --for=-1s", "--for=-1s: want 0s or more"},
		{"bots --rtt=-1ms", "--rtt=-1ms: want 0s to 10s"},
		{"bots --jitter 11s", "--jitter=11s: want 0s to 10s"},
		{"bots --loss=-0.1", "--loss=-0.1: want a share, 0 to 1"},
		{"bots --seed=-1", `--seed: expected a valid 64 bit uint but got "-1"`},
		{"lab run " + good + " --seeds 10001", "--seeds=10001: want 1 to 10000"},
		{"lab run " + good + " --jobs 1025", "--jobs=1025: want 0 to 1024"},
		{"lab run " + good + " --remote linear,cubic", "--remote=cubic: want interpolate, linear, exponential, none"},
		{"lab run " + good + " --remote linear,none --json x.json", "--json and --html are about one scenario: --remote makes 2 of each"},
		{"lab run " + good + " --remote linear,none --html x.html", "--json and --html are about one scenario: --remote makes 2 of each"},
		{"lab run " + good + " --json x --html x", "--json and --html name the same file"},
		{"lab cheats --for 0s", "--for=0s: want 1ms to 10m"},
		{"lab cheats --for 601s", "--for=10m1s: want 1ms to 10m"},
		{"lab fairness --seeds 0", "--seeds=0: want 1 to 1000"},
		{"lab fairness --seeds 1001", "--seeds=1001: want 1 to 1000"},
		{"lab fairness --for 999ms", "--for=999ms: want 1s to 10m"},
		{"lab fairness --for 11m", "--for=11m0s: want 1s to 10m"},
		{"lab fairness --only caps", "--only=caps: want one of rewind, beyond, cover, rocket, cheats"},
		{"lab fairness --at 100,1001", "--at=[100 1001]: want 0 to 1000"},
		{"lab fairness --at=-1", "--at=[-1]: want 0 to 1000"},
		{"lab fairness --svg /nowhere/x.svg", "--svg=/nowhere/x.svg: no such file or directory"},
		{"lab compare", `expected "<file> ..."`},
		{"lab compare " + good + " --jobs two", `--jobs: expected a valid 64 bit int but got "two"`},
		{"lab record", `expected "<file>"`},
		{"lab record x.bsrec --from soon", `--from: expected duration but got "soon"`},
		{"replay", `expected "<file>"`},
		{"replay x.bsrec --verfy", `unknown flag --verfy, did you mean "--verify"?`},
		{"level build --output", `--output: expected string value but got "EOL"`},
	} {
		code, out, errs := say(t.Context(), strings.Fields(c.args)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d, output %q, errors\n%s\nwant %d and %s", c.args, code, out, errs, exitUsage, c.want)
		}
	}
	if got := inFolder(t, filepath.Dir(good)); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
}

// Files that are missing or no recordings are errors with the file's name, and write nothing.
func TestRecordingsThatCannotBeRead(t *testing.T) {
	folder := t.TempDir()
	other := file(t, "other.bsrec", "a diary")
	for _, c := range []struct{ args, want string }{
		{"replay none.bsrec", "none.bsrec: no such file or directory"},
		{"replay " + other, other + ": record: not a recording of this version"},
		{"replay " + other + " --verify", other + ": record: not a recording of this version"},
		{"lab record none.bsrec -o " + folder, "none.bsrec: no such file or directory"},
		{"lab record " + other + " -o " + folder, other + ": record: not a recording of this version"},
	} {
		code, out, errs := say(t.Context(), strings.Fields(c.args)...)
		if code != exitFailure || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d, output %q, errors\n%s\nwant %d and %s", c.args, code, out, errs, exitFailure, c.want)
		}
	}
	if got := inFolder(t, folder); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

// tiny is a world of one box.
func tiny(t *testing.T) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(9, 1, 9), geom.IdentityQuat, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// recording plays two seconds of a match of two bots in a tiny world, and returns its recording.
// Where it is not closed, the file ends as that of a killed program.
func recording(t *testing.T, closed bool) string {
	t.Helper()
	world := tiny(t)
	r := recordings{folder: filepath.Join(t.TempDir(), "recordings"), log: newLogger(io.Discard, "text", false)}
	m, err := r.match(arena.MatchConfig{
		ServerConfig: session.ServerConfig{World: world, LevelHash: world.Hash(), NewKey: newKey},
		Spawns:       []arena.Spawn{{Position: geom.V(3, 0.1, 0)}, {Position: geom.V(-3, 0.1, 0)}}, KillHeight: -9, Seed: 1,
	}, "yard", 2, arena.Easy)
	if err != nil {
		t.Fatal(err)
	}
	for tick := int64(1); tick <= 120; tick++ {
		m.Tick(clock.TickTime(tick, 60))
		m.Outgoing()
	}
	name := onlyFile(t, r.folder)
	r.close()
	if b, err := os.ReadFile(name); !closed {
		if err != nil || os.WriteFile(name, b[:len(b)-30], 0o600) != nil {
			t.Fatalf("%v", err)
		}
	}
	return name
}

// A recording plays again to its hashes; one that was cut short is read up to there, and says so; with
// another level it is refused.
func TestRecordingsOfACommand(t *testing.T) {
	whole, cut := recording(t, true), recording(t, false)
	code, out, errs := say(t.Context(), "replay", whole, "--verify")
	if code != exitFine || errs != "" || !strings.HasPrefix(out, "equal: 120 ticks, ") {
		t.Errorf("verify: exit code %d, output %q, errors %q", code, out, errs)
	}
	code, out, _ = say(t.Context(), "replay", cut, "--verify")
	if code != exitFine || !strings.HasPrefix(out, "equal: ") || strings.Count(out, "\n") > 2 {
		t.Errorf("verify of a cut file: exit code %d, output %q", code, out)
	}
	for _, c := range []struct{ args, want string }{
		{"replay " + whole + " --level " + yard(t), "its world is "},
		{"replay " + whole + " --level none.glb", "--level: open "},
		{"replay " + whole + " --level " + file(t, "broken.glb", "glTF?"), "broken.glb: level: "},
		{"replay " + whole + " --web " + t.TempDir(), "no page there (make web builds it)"},
		{"replay " + whole + " --addr nonsense", "--addr=nonsense: "},
		{"lab record " + whole + " -o " + t.TempDir() + " --from 10s", whole + ": "},
		{"lab record " + whole + " -o " + filepath.Join(whole, "x"), "not a directory"},
	} {
		if code, _, errs := say(t.Context(), strings.Fields(c.args)...); code != exitFailure || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d, errors\n%s\nwant %d and %s", c.args, code, errs, exitFailure, c.want)
		}
	}
	var shown locked.Buffer
	for _, name := range []string{whole, cut} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if code := run(ctx, []string{"replay", name, "--addr", "127.0.0.1:0"}, output{&shown, &shown}); code != exitFine {
			t.Errorf("%s: exit code %d", name, code)
		}
		cancel()
	}
	if got := shown.String(); strings.Count(got, "match yard of ") != 2 || strings.Count(got, "2.00 s") < 2 || !strings.Contains(got, "not closed: its program ended first") && !strings.Contains(got, "damaged") {
		t.Errorf("shown:\n%s", got)
	}
}

// Wherever a byte of a recording is changed, verify says at which byte the damage is, or has no need
// of what is there; it never calls a damaged part equal and never fails without a word.
func TestDamagedRecordingsAreReported(t *testing.T) {
	whole, err := os.ReadFile(recording(t, true))
	if err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for at := 20; at < len(whole); at += len(whole) / 25 {
		b := bytes.Clone(whole)
		b[at] ^= 0x10
		code, out, errs := say(t.Context(), "replay", file(t, "damaged.bsrec", string(b)), "--verify")
		switch {
		case strings.Contains(out+errs, "damaged at byte "):
			damaged++
		case code != exitFine || !strings.HasPrefix(out, "equal: 120 ticks"):
			t.Errorf("byte %d: exit code %d, output %q, errors %q", at, code, out, errs)
		}
	}
	if damaged == 0 {
		t.Error("no damage was found")
	}
}

// A folder that cannot be made is an error of --record; matches that never began leave no file.
func TestRecordingsAreDiscarded(t *testing.T) {
	blocked := file(t, "file", "")
	code, _, errs := say(t.Context(), "serve", "--addr", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--bots", "0", "--level", yard(t), "--record", filepath.Join(blocked, "x"))
	if code != exitFailure || !strings.Contains(errs, "--record: ") {
		t.Errorf("exit code %d, errors\n%s", code, errs)
	}
	folder := t.TempDir()
	code, _, errs = say(t.Context(), "serve", "--addr", "nonsense", "--bots", "0", "--level", yard(t), "--record", folder)
	if code != exitFailure || !strings.Contains(errs, "--addr=nonsense") || len(inFolder(t, folder)) != 0 {
		t.Errorf("exit code %d, %v left behind, errors\n%s", code, inFolder(t, folder), errs)
	}
}

// An output file replaces the old one only when it is complete, and errors name the flag.
func TestOutputFiles(t *testing.T) {
	path := file(t, "out.json", "old")
	read := func() string { b, _ := os.ReadFile(path); return string(b) }
	o, err := openOutput("--json", path)
	if err != nil {
		t.Fatal(err)
	}
	if o.WriteString("new"); read() != "old" || len(inFolder(t, filepath.Dir(path))) != 1 {
		t.Errorf("before commit the file holds %q, and its folder %v", read(), inFolder(t, filepath.Dir(path)))
	}
	if err := o.commit(); err != nil || read() != "new" || len(inFolder(t, filepath.Dir(path))) != 1 {
		t.Errorf("%v; after commit the file holds %q, and its folder %v", err, read(), inFolder(t, filepath.Dir(path)))
	}
	o.path = filepath.Join(path, "of a file")
	if err := o.commit(); err == nil || err.Error() != "--json="+o.path+": not a directory" || len(inFolder(t, filepath.Dir(path))) != 1 {
		t.Errorf("in a folder that has become a file: got %v, want an error that names the flag", err)
	}
	none, err := openOutput("--json", "")
	if err != nil || none.commit() != nil {
		t.Error("an output that no flag names fails")
	}
	if _, err := openOutput("--svg", t.TempDir()); err == nil || !strings.HasSuffix(err.Error(), ": is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	device, err := openOutput("--svg", os.DevNull)
	if err != nil || !device.inPlace {
		t.Fatalf("a device: %v; want it written in place", err)
	}
	device.WriteString("x")
	if err := device.commit(); err != nil {
		t.Error(err)
	}
}

// The lines of bots: sums over the bots, a mean round trip of those that play, a dash where there is
// nothing to divide by.
func TestLinesOfBots(t *testing.T) {
	none := totalsOf([]*netBot{newNetBot(&botsCommand{}, nil, 0)})
	if got, want := none.line(3*time.Second), "   3 s  players 0/1  rtt –  corrections 0  shots 0  hits 0  kills 0  agreement –  0.0 MB"; got != want {
		t.Errorf("before the match:\n got %q\nwant %q", got, want)
	}
	var bots []*netBot
	for i := range 3 {
		b := newNetBot(&botsCommand{Seed: 5}, nil, i)
		s := session.Stats{RTT: clock.Micros(i+1) * 20 * clock.Millisecond, Hits: 2, Agreed: 3, Disagreed: 1}
		s.Moves.Corrections, s.In.Bytes, s.Out.Bytes = i, 1_000_000, 500_000
		b.stats.Store(&s)
		b.playing.Store(i < 2)
		b.entered.Store(true)
		b.kills.Add(uint64(i))
		bots = append(bots, b)
	}
	sum := totalsOf(bots)
	if got, want := sum.line(75*time.Second), "  75 s  players 2/3  rtt 30 ms  corrections 3  shots 12  hits 6  kills 3  agreement 75.0 %  4.5 MB"; got != want {
		t.Errorf("in the match:\n got %q\nwant %q", got, want)
	}
	if got, want := sum.lastLine(80*time.Second), "over after 80 s  played 3/3  corrections 3  shots 12  hits 6  kills 3  agreement 75.0 %  4.5 MB"; got != want {
		t.Errorf("at the end:\n got %q\nwant %q", got, want)
	}
	if bots[0].name != "bot 1" || bots[0].seed == bots[1].seed {
		t.Errorf("%s has seed %d, %s has %d", bots[0].name, bots[0].seed, bots[1].name, bots[1].seed)
	}
}

// A server whose answers are wrong is an error that names the address and the fault.
func TestServersWithWrongAnswers(t *testing.T) {
	world := tiny(t)
	good := join.Answer{Match: "arena", Level: world.Hash(), World: "/world"}
	wrongHash, wrongModel, wrongCert := good, good, good
	wrongHash.Level = "ffff"
	wrongModel.Model = "/model"
	wrongCert.CertHashes = []string{"12zz"}
	for _, c := range []struct {
		what  string
		join  any
		world []byte
		args  string
		want  string
	}{
		{"no JSON", "nonsense", nil, "", "/api/join: json: "},
		{"no level", join.Answer{World: "/none"}, nil, "", "/api/join names no level"},
		{"a missing level", join.Answer{Level: "ffff", World: "/none"}, nil, "", "/none: 404 "},
		{"another protocol", join.Answer{Protocol: 1, Match: "arena", Level: world.Hash(), World: "/world"}, world.AppendBinary(nil), "", "speaks protocol 1 and this client protocol"},
		{"a damaged level", good, []byte("world"), "", "/world: collide: "},
		{"another level", wrongHash, world.AppendBinary(nil), "", "the level's hash is " + world.Hash() + ", not ffff"},
		{"a damaged model", wrongModel, world.AppendBinary(nil), "", "/model: level: "},
		{"no hash of a certificate", wrongCert, world.AppendBinary(nil), "", `/api/join: "12zz" is not a certificate hash`},
		{"no WebSocket", good, world.AppendBinary(nil), "websocket", "bot 1: "},
	} {
		mux := http.NewServeMux()
		mux.HandleFunc("/api/join", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(c.join) })
		mux.HandleFunc("/world", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(c.world) })
		mux.HandleFunc("/model", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "glTF?") })
		server := httptest.NewServer(mux)
		args := []string{"bots", "--url", server.URL, "--n", "1", "--for", "5s"}
		if c.args != "" {
			args = append(args, "--transport", c.args)
		}
		code, _, errs := say(t.Context(), args...)
		if code != exitFailure || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, errors\n%s\nwant %d and %s", c.what, code, errs, exitFailure, c.want)
		}
		http.DefaultClient.CloseIdleConnections()
		server.Close()
	}
}

// What level check prints of entities and volumes.
func TestWordsOfLevels(t *testing.T) {
	if got := counted([]level.Entity{{Kind: "crate"}, {Kind: "ball"}, {Kind: "crate"}}); got != "2 crate, 1 ball" {
		t.Errorf("got %s, want 2 crate, 1 ball", got)
	}
	for want, v := range map[string]collide.Volume{
		"water":                         {Water: true},
		"kills":                         {Kill: true},
		"water, kills":                  {Water: true, Kill: true},
		"launches at {0.0 7.0 0.0} m/s": {Launch: geom.V(0, 7, 0)},
		"turns gravity":                 {Planet: true},
		"does little":                   {},
		"kills, launches at {1.0 0.0 0.0} m/s, turns gravity": {Kill: true, Launch: geom.V(1, 0, 0), Up: geom.V(1, 0, 0)},
	} {
		if got := effects(&v); got != want {
			t.Errorf("%+v: got %s, want %s", v, got, want)
		}
	}
}

// Weapons and levels that cannot be served are errors with the file and line.
func TestFilesThatCannotBeServed(t *testing.T) {
	weapons := file(t, "w.yaml", "weapons:\n  - {name: rifle, kind: hitscn, cooldown: 1s, damage: 3}\n")
	for _, c := range []struct{ args, want string }{
		{"serve --bots 0 --level " + yard(t) + " --weapons " + weapons, "--weapons: " + weapons + `:2: unknown kind "hitscn"; did you mean "hitscan"?`},
		{"serve --bots 0 --level " + yard(t) + " --weapons none.yaml", "none.yaml: no such file"},
	} {
		if code, _, errs := say(t.Context(), strings.Fields(c.args)...); code != exitFailure || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d, errors\n%s\nwant %d and %s", c.args, code, errs, exitFailure, c.want)
		}
	}
	if matchName(0) != "arena" || matchName(2) != "arena-3" {
		t.Errorf("matches are called %s and %s", matchName(0), matchName(2))
	}
	var log bytes.Buffer
	newLogger(&log, "text", false).Debug("a malformed packet")
	if log.Len() != 0 {
		t.Errorf("without --verbose: %s", &log)
	}
	if newLogger(&log, "text", true).Debug("a malformed packet"); !strings.Contains(log.String(), "malformed") {
		t.Errorf("with --verbose: %q", &log)
	}
}

// A fault of a scenario that is found in playing it is a usage error in its line, other errors name
// the file.
func TestErrorsOfPlaying(t *testing.T) {
	missing := file(t, "missing.yaml", strings.Replace(walk, "ann.up > 0", "ann.bodies.snaps == 0", 1))
	code, _, errs := say(t.Context(), "lab", "run", missing)
	if code != exitUsage || !strings.HasPrefix(errs, "backstep:") && !strings.Contains(errs, missing+":9: ") {
		t.Errorf("exit code %d, errors\n%s\nwant %d and the line", code, errs, exitUsage)
	}
	deaf := file(t, "deaf.yaml", strings.Replace(walk, "rtt: 40ms", "loss: 1", 1))
	code, _, errs = say(t.Context(), "lab", "run", deaf)
	if code != exitFailure || !strings.Contains(errs, deaf+": lab: ann was not ready within 20 s") {
		t.Errorf("exit code %d, errors\n%s\nwant %d and the player that was not ready", code, errs, exitFailure)
	}
	if got := unique([]string{"a", "b", "a", "a", "c"}); strings.Join(got, "") != "abc" {
		t.Errorf("got %q, want each once and in order", got)
	}
	if !(outcome{}).held() || (outcome{}).runs() != 0 || (outcome{result: &lab.Result{}}).runs() != 1 {
		t.Error("a scenario that was not played counts")
	}
}
