package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/internal/locked"
)

var update = flag.Bool("update", false, "rewrite the goldens under testdata")

// TestMain is backstep itself where the environment says so: see TestSIGTERM.
func TestMain(m *testing.M) {
	if os.Getenv("BACKSTEP_TEST_MAIN") != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what must come; nothing is timed by it.
const patience = time.Minute

// say runs a command line to its end.
func say(ctx context.Context, args ...string) (code int, out, errs string) {
	var o, e locked.Buffer
	code = run(ctx, args, output{&o, &e})
	return code, o.String(), e.String()
}

func TestAddressesToOpen(t *testing.T) {
	for _, c := range []struct{ bound, page string }{
		{"[::]:8080", "http://localhost:8080"},
		{"0.0.0.0:80", "http://localhost:80"},
		{"127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"[::1]:8080", "http://[::1]:8080"},
		{"192.0.2.1:8080", "http://192.0.2.1:8080"},
	} {
		a, err := net.ResolveTCPAddr("tcp", c.bound)
		if err != nil {
			t.Fatal(err)
		}
		if got := pageURL(a); got != c.page {
			t.Errorf("%s: open %s, want %s", c.bound, got, c.page)
		}
		if got := networkURL(a); got != "" && !a.IP.IsUnspecified() {
			t.Errorf("%s: others are to open %s, but only this address is open", c.bound, got)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Setenv("COLUMNS", "100")
	for _, c := range []struct{ golden, args string }{
		{"help", "--help"}, {"help", "help"}, {"token-key", "help token key"}, {"serve", "serve --help"}, {"front", "front --help"}, {"bots", "bots --help"}, {"level", "level --help"}, {"replay", "replay --help"}, {"wasm", "wasm --help"},
		{"token", "token --help"}, {"token-key", "token key --help"}, {"token-issue", "token issue --help"}, {"new", "new --help"}, {"dev", "dev --help"}, {"check", "check --help"}, {"doctor", "doctor --help"}, {"bench", "bench --help"}, {"bench-speed", "bench speed --help"}, {"bench-capacity", "bench capacity --help"},
		{"version", "version --help"}, {"level-build", "level build --help"}, {"level-check", "level check --help"},
		{"lab", "lab --help"}, {"lab-run", "lab run --help"}, {"lab-compare", "lab compare --help"}, {"lab-record", "lab record --help"},
		{"lab-cheats", "lab cheats --help"}, {"lab-fairness", "lab fairness --help"}, {"lab-profiles", "lab profiles --help"},
	} {
		code, out, errs := say(t.Context(), strings.Fields(c.args)...)
		if code != 0 || errs != "" {
			t.Errorf("%s: exit code %d, errors %q", c.args, code, errs)
		}
		path := filepath.Join("testdata", c.golden+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if out != string(want) {
			t.Errorf("%s (-update rewrites it):\ngot\n%s\nwant\n%s", c.args, out, want)
		}
	}
}

func TestInvalidCommandLines(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", `expected one of "new", "dev", "check", "serve", "front"`},
		{"front --token-key k", `give either --server, once or more, or --agones`},
		{"front --server 192.0.2.1 --token-key k", `want something like http://192.0.2.1:8080`},
		{"serv", `unexpected argument serv, did you mean one of "dev", "serve"?`},
		{"nwe tag", `unexpected argument nwe, did you mean "new"?`},
		{"new tag --shoter", `unknown flag --shoter, did you mean "--shooter"?`},
		{"new tag --top-down", `unknown flag --top-down, did you mean "--topdown"?`},
		{"new tag --racing", `unknown flag --racing`},
		{"new tag --shooter --bodies", `--shooter and --bodies can't be used together`},
		{"new", `expected "<name>"`},
		{"serve --plyers 3", `unknown flag --plyers, did you mean "--players"?`},
		{"serve --peacefull", `unknown flag --peacefull, did you mean "--peaceful"?`},
		{"serve --qick :1", `unknown flag --qick, did you mean one of "--quic", "--tick"?`},
		{"bots --los 0.1", `unknown flag --los, did you mean one of "--for", "--loss"?`},
		{"bots --trans quic", `unknown flag --trans, did you mean "--transport"?`},
		{"level chek x.glb", `unexpected argument chek, did you mean "check"?`},
		{"level build --ouput x.glb", `unknown flag --ouput, did you mean "--output"?`},
		{"level check", `expected "<file>"`},
		{"version extra", `unexpected argument extra`},
		{"serve --tick fast", `--tick: expected a valid 64 bit int but got "fast"`},
		{"serve --tick 5", `--tick=5: want 10 to 240`},
		{"serve --players 1001", `--players=1001: want 1 to 1000`},
		{"serve --players 3 --bots 4", `--bots=4: want 0 to 3, as many as --players`},
		{"serve --matches 0", `--matches=0: want 1 to 64`},
		{"bots --n 0", `--n=0: want 1 to 200`},
		{"bots --loss NaN", `--loss=NaN: want a share, 0 to 1`},
		{"bots --loss 5", `--loss=5: want a share, 0 to 1`},
		{"bots --rtt 100", `--rtt: expected duration but got "100"`},
		{"bots --rtt 1m", `--rtt=1m0s: want 0s to 10s`},
		{"bots --jitter=-1s", `--jitter=-1s: want 0s to 10s`},
		{"bots --frames 0", `--frames=0: want 1 to 1000`},
		{"bots --transport pigeon", `--transport must be one of "udp","quic","webtransport","websocket" but got "pigeon"`},
	} {
		code, out, errs := say(t.Context(), strings.Fields(c.args)...)
		if code != 2 || out != "" || !strings.Contains(errs, c.want) || !strings.Contains(errs, "--help.") {
			t.Errorf("%q: exit code %d, output %q, errors\n%s\nwant 2 and %s", c.args, code, out, errs, c.want)
		}
	}
}

func TestErrorsNameTheCause(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	closed := "http://" + freePort(t)
	broken := filepath.Join(t.TempDir(), "broken.glb")
	if err := os.WriteFile(broken, []byte("glTF, it says"), 0o644); err != nil {
		t.Fatal(err)
	}
	small := yard(t)
	for _, c := range []struct{ args, want string }{
		{"serve --level " + small + " --bots 0 --addr " + tcp.Addr().String(), "--addr=" + tcp.Addr().String() + ": that TCP port is in use; take another with --addr=:8081"},
		{"serve --level " + small + " --bots 0 --addr 127.0.0.1:0 --quic " + udp.LocalAddr().String(), "that UDP port is in use; take another with --quic=:4434"},
		{"serve --level " + small + " --bots 0 --addr nonsense", "--addr=nonsense: want an address such as :8081"},
		{"serve --web " + t.TempDir(), "no page there (make web builds it)"},
		{"serve --level " + broken, "--level=" + broken + ": level: "},
		{"serve --level no-such.glb", "no-such.glb: no such file"},
		{"bots --url " + closed, "--url=" + closed + ": no server answers there; backstep serve starts one"},
		{"bots --url ftp://localhost:8080", "--url=ftp://localhost:8080: want something like http://localhost:8080"},
		{"level check " + broken, broken + ": level: "},
		{"level build -o " + filepath.Join(broken, "x.glb"), "not a directory"},
	} {
		code, _, errs := say(t.Context(), strings.Fields(c.args)...)
		if code != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d, errors\n%s\nwant 1 and %s", c.args, code, errs, c.want)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// What a report of a fault needs is in five lines. [THR-59]
func TestVersion(t *testing.T) {
	code, out, errs := say(t.Context(), "version")
	if again, same, _ := say(t.Context(), "--version"); again != code || same != out {
		t.Errorf("--version: exit code %d, output %q, want those of version", again, same)
	}
	if ok, _ := regexp.MatchString(`^backstep \S+\ncommit \S+\ngo 1\S+ \S+/\S+\nprotocol \d+\nrecordings \d+\n$`, out); code != 0 || !ok || errs != "" {
		t.Errorf("exit code %d, output %q, errors %q", code, out, errs)
	}
}

func TestALevelIsBuiltAndChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "arena.glb")
	code, out, errs := say(t.Context(), "level", "build", "-o", path)
	if code != 0 || !strings.HasPrefix(out, path+": ") {
		t.Fatalf("build: exit code %d, output %q, errors %q", code, out, errs)
	}
	built, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(built, assets.Arena) {
		t.Errorf("built %d bytes that are not the %d of the built-in arena", len(built), len(assets.Arena))
	}
	code, out, errs = say(t.Context(), "level", "check", path)
	if ok, _ := regexp.MatchString(`: \d+ spawn points, kill height -\d+\.\d m, world [0-9a-f]+\nmover "turning bridge": 48 triangles, 9 keys over 36.0 s, looping\n(.*\n)*volume "pool water": water, `, out); code != 0 || !ok {
		t.Errorf("check: exit code %d, output %q, errors %q", code, out, errs)
	}
}

// server runs serve in the yard until the test ends, and returns where it is; stop ends it
// earlier and returns its exit code.
func server(t *testing.T, args ...string) (url string, errs *locked.Buffer, stop func() int) {
	t.Helper()
	args = append([]string{"serve", "--addr", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--level", yard(t)}, args...)
	ctx, cancel := context.WithCancel(context.Background())
	out, errs := &locked.Buffer{}, &locked.Buffer{}
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, args, output{out, errs})
	}()
	stop = sync.OnceValue(func() int {
		cancel()
		http.DefaultClient.CloseIdleConnections()
		return <-ended
	})
	t.Cleanup(func() { stop() })
	opened := regexp.MustCompile(`open (http://\S+)\n`)
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if m := opened.FindStringSubmatch(out.String()); m != nil {
			return m[1], errs, stop
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server does not start:\n%s%s", out, errs)
		}
	}
}

// twoBots plays two bots until they have played for so many seconds.
func twoBots(t *testing.T, url string, seconds int, args ...string) (code int, out, errs string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var o, e locked.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"bots", "--url", url, "--n", "2"}, args...), output{&o, &e})
	}()
	for deadline := time.Now().Add(patience); strings.Count(o.String(), "players 2/2") < seconds; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("the bots do not play:\n%s%s", &o, &e)
			break
		}
	}
	cancel()
	return <-ended, o.String(), e.String()
}

func TestBotsPlayOverABadNetwork(t *testing.T) {
	t.Parallel()
	url, _, stop := server(t, "--bots", "1", "--matches", "2")
	var group sync.WaitGroup
	for _, kind := range []string{"quic", "webtransport", "websocket"} {
		group.Go(func() {
			code, out, errs := twoBots(t, url, 2, "--rtt", "60ms", "--jitter", "20ms", "--loss", "0.02", "--match", "arena-2", "--transport", kind)
			if code != 0 || errs != "" || !strings.Contains(out, "played 2/2") {
				t.Errorf("%s: exit code %d, errors %q, output\n%s", kind, code, errs, out)
			}
			t.Logf("%s:\n%s", kind, out)
		})
	}
	group.Wait()
	if code, out, errs := say(t.Context(), "bots", "--url", url, "--for", "200ms"); code != 0 || errs != "" || !strings.Contains(out, "over after ") {
		t.Errorf("bots for 200 ms: exit code %d, errors %q, output\n%s", code, errs, out)
	}
	if code := stop(); code != 0 {
		t.Errorf("the server's exit code is %d, want 0", code)
	}
}

// A match with two seats and four bots: those left out say why at once, the
// others play on.
func TestBotsThatCannotJoinPrintTheReason(t *testing.T) {
	t.Parallel()
	url, _, _ := server(t, "--bots", "0", "--players", "2")
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs locked.Buffer
	ended := make(chan int)
	go func() { ended <- run(ctx, []string{"bots", "--url", url, "--n", "4"}, output{&out, &errs}) }()
	full := "session: the match is full\n"
	for deadline := time.Now().Add(patience); strings.Count(errs.String(), full) < 2 || !strings.Contains(out.String(), "players 2/4"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			cancel()
			t.Fatalf("errors\n%s\noutput\n%s", &errs, &out)
		}
	}
	cancel()
	if code := <-ended; code != 1 || !strings.Contains(errs.String(), "2 of 4 bots failed") {
		t.Errorf("exit code %d, errors\n%s", code, &errs)
	}
	if code, _, errs := say(t.Context(), "bots", "--url", url, "--match", "nowhere"); code != 1 || !strings.Contains(errs, "404") {
		t.Errorf("an unknown match: exit code %d, errors\n%s", code, errs)
	}
}

// Bots end when their server stops, with the server's reason.
func TestBotsEndWithTheServer(t *testing.T) {
	t.Parallel()
	url, log, stop := server(t, "--bots", "2")
	ended := make(chan int)
	var out, errs locked.Buffer
	go func() { ended <- run(t.Context(), []string{"bots", "--url", url, "--n", "3"}, output{&out, &errs}) }()
	for deadline := time.Now().Add(patience); !strings.Contains(out.String(), "players 3/3"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("errors\n%s\noutput\n%s", &errs, &out)
		}
	}
	if code := stop(); code != 0 || !strings.Contains(log.String(), "msg=stopped") {
		t.Errorf("the server's exit code is %d; its log\n%s", code, log)
	}
	if code := <-ended; code != 1 || strings.Count(errs.String(), ": host: the server is stopping\n") != 3 {
		t.Errorf("the bots' exit code is %d, errors\n%s", code, &errs)
	}
}

// serveProcess starts a server on the small level as a process of its own. It returns the first line that it prints, and
// its log.
func serveProcess(t *testing.T, args ...string) (cmd *exec.Cmd, line string, log *locked.Buffer) {
	t.Helper()
	cmd, line, log, err := startProcess(append([]string{"serve", "--addr", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--level", yard(t)}, args...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // if it is still there
	return cmd, line, log
}

// startProcess starts this program with arguments, and waits for the first line that it prints.
func startProcess(args []string) (cmd *exec.Cmd, line string, log *locked.Buffer, err error) {
	cmd, log = exec.Command(os.Args[0], args...), &locked.Buffer{}
	cmd.Env = append(os.Environ(), "BACKSTEP_TEST_MAIN=1")
	cmd.Stderr = log
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return cmd, "", log, err
	}
	if line, err = bufio.NewReader(stdout).ReadString('\n'); err != nil {
		_ = cmd.Process.Kill()
		err = fmt.Errorf("%w\n%s", err, log)
	}
	return cmd, line, log, err
}

// A real process and a real signal, with players connected.
func TestSIGTERM(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals on Windows")
	}
	cmd, line, log := serveProcess(t)
	_, url, _ := strings.Cut(strings.TrimSpace(line), "open ")
	var out, errs locked.Buffer
	ended := make(chan int)
	go func() {
		ended <- run(t.Context(), []string{"bots", "--url", url, "--n", "2", "--transport", "webtransport"}, output{&out, &errs})
	}()
	for deadline := time.Now().Add(patience); !strings.Contains(out.String(), "players 2/2"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("errors\n%s\noutput\n%s\nserver\n%s", &errs, &out, log)
		}
	}
	begun := time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v\n%s", err, log)
	}
	t.Logf("ended after %v", time.Since(begun))
	if <-ended; strings.Count(errs.String(), ": host: the server is stopping\n") != 2 {
		t.Errorf("the bots printed\n%s", &errs)
	}
}
