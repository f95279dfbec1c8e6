package serve_test

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
)

// TestMain is a game's server where the environment says so: see startMain.
func TestMain(m *testing.M) {
	if os.Getenv("BACKSTEP_TEST_MAIN") != "" {
		serve.Main(jetpack.Game(&model), config{
			Session: session.ServerConfig{World: floor()}, OnJoin: place,
			Think: func(c *session.Client[hero, command]) (in command) {
				in.Forward, in.Yaw = 1, float64(c.ID())
				return in
			},
		})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what must come; nothing is timed by it.
const patience = time.Minute

// program is a server in a process of its own.
type program struct {
	url   string
	stdin io.Closer
	ended chan error
}

// startMain starts a server and waits until it serves.
func startMain(t *testing.T, environment ...string) program {
	t.Helper()
	c := exec.Command(os.Args[0], "-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0")
	c.Env = append(append(os.Environ(), "BACKSTEP_TEST_MAIN=1"), environment...)
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	p := program{stdin: stdin, ended: make(chan error, 1)}
	lines := bufio.NewScanner(log)
	for p.url == "" && lines.Scan() {
		if found := regexp.MustCompile(`serving http=(\S+)`).FindStringSubmatch(lines.Text()); found != nil {
			p.url = "http://" + found[1]
		}
	}
	if p.url == "" {
		t.Fatalf("the server ended: %v", c.Wait())
	}
	go func() {
		_, _ = io.Copy(io.Discard, log)
		p.ended <- c.Wait()
	}()
	return p
}

// backstep dev has been killed, and could tell nobody: its server's standard input closes, and the
// server ends in order. A server that backstep dev did not start goes on without an input.
func TestADevelopmentServerEndsWithItsInput(t *testing.T) {
	dev := startMain(t, "BACKSTEP_DEV=1")
	_ = dev.stdin.Close()
	select {
	case err := <-dev.ended:
		if err != nil {
			t.Errorf("got %v, want exit code 0", err)
		}
	case <-time.After(patience):
		t.Error("the server outlives the program that started it")
	}

	alone := startMain(t, "BACKSTEP_DEV=")
	_ = alone.stdin.Close()
	time.Sleep(300 * time.Millisecond)
	reply, err := http.Get(alone.url + "/api/status")
	if err != nil {
		t.Fatalf("a server without an input has ended: %v", err)
	}
	status, _ := io.ReadAll(reply.Body)
	_ = reply.Body.Close()
	if strings.Contains(string(status), `"version":""`) {
		t.Errorf("got the status %s; want a version, devel without one", status)
	}
}

// The exit code of a program is 2 for wrong flags, 1 where it cannot serve, 0 for help and for what it
// checks; the reason is in the errors, once, and what was asked for is in the output.
func TestExitCodesOfAProgram(t *testing.T) {
	for _, c := range []struct {
		args, environment string
		code              int
		out, errors       string
	}{
		{"-help", "", 0, "", "Usage of match:"},
		{"-tick=x", "", 2, "", "serve: invalid value \"x\" for flag -tick: parse error: see -help\n"},
		{"-matchs=3", "", 2, "", "serve: there is no flag -matchs; the nearest is -matches: see -help\n"},
		{"again", "", 1, "", `serve: "again" is no flag: see -help`},
		{"-addr=nonsense", "", 1, "", "take another port with -addr or -quic"},
		{"-check-config -tick=30", "", 0, "tick: 30", ""},
		{"-check-config", "BACKSTEP_PLAYERS=7", 0, "players: 7", ""},
		{"-check-config", "BACKSTEP_PLAYERS=7000", 1, "", "-players=7000: want 1 to 1000, or 0 for 16 (from BACKSTEP_PLAYERS)"},
		{"-check-config -players=5", "BACKSTEP_PLAYERS=7000", 0, "players: 5", ""},
	} {
		var out, log strings.Builder
		p := exec.Command(os.Args[0], strings.Fields(c.args)...)
		p.Env = append(os.Environ(), "BACKSTEP_TEST_MAIN=1", c.environment)
		p.Stdout, p.Stderr = &out, &log
		_ = p.Run()
		printed := strings.Join(strings.Fields(out.String()), " ")
		if code := p.ProcessState.ExitCode(); code != c.code || !strings.Contains(printed, c.out) || !strings.Contains(log.String(), c.errors) {
			t.Errorf("%s %s: exit code %d, output\n%s\nerrors\n%s\nwant %d, %q and %q", c.environment, c.args, code, &out, &log, c.code, c.out, c.errors)
		}
		if c.code == 2 && log.String() != c.errors {
			t.Errorf("%s %s: got the errors\n%s\nwant the reason alone", c.environment, c.args, &log)
		}
		if c.errors != "" && strings.Count(log.String(), c.errors) != 1 || c.out == "" && out.Len() > 0 {
			t.Errorf("%s %s: the reason is not there once and alone: output\n%s\nerrors\n%s", c.environment, c.args, &out, &log)
		}
	}
}
