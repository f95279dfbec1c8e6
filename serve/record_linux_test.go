package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/record"
)

// In a process of its own the environment bounds the size of files, as a full disk does.
func init() {
	if n, err := strconv.ParseUint(os.Getenv("BACKSTEP_TEST_FILE_SIZE"), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			panic(err)
		}
	}
}

// The disk is full while a match is recorded: the log says once that the recording has ended, why, and which file; the
// match goes on; and a server that is stopped then exits with 0, or its supervisor would start it again. [THR-66]
func TestAFullDiskEndsTheRecordingAndNotTheServer(t *testing.T) {
	folder, log := t.TempDir(), &locked.Buffer{}
	c := exec.Command(os.Args[0], "-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0", "-bots", "4", "-record", folder)
	c.Env, c.Stderr = append(os.Environ(), "BACKSTEP_TEST_MAIN=1", "BACKSTEP_TEST_FILE_SIZE=4096"), log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	defer func() { _ = c.Process.Kill() }()
	const line = "recording has ended"
	for deadline := time.Now().Add(patience); !strings.Contains(log.String(), line); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the log does not say that the recording has ended:\n%s", log)
		}
	}
	url := regexp.MustCompile(`serving http=(\S+)`).FindStringSubmatch(log.String())[1]
	reply, err := http.Get("http://" + url + "/healthz")
	if err != nil {
		t.Fatalf("the match has ended with its recording: %v\n%s", err, log)
	}
	if b, _ := io.ReadAll(reply.Body); reply.StatusCode != http.StatusOK {
		t.Errorf("the match does not tick: %s %s", reply.Status, b)
	}
	_ = reply.Body.Close()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("got %v, want exit code 0; log:\n%s", err, log)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.bsrec"))
	if len(files) != 1 {
		t.Fatalf("recordings: %q, want one", files)
	}
	if got := log.String(); strings.Count(got, line) != 1 || !strings.Contains(got, fmt.Sprintf("file=%s why=", files[0])) || !strings.Contains(got, "file too large") || strings.Contains(got, "lost_ticks") {
		t.Errorf("got the log\n%s\nwant once that the recording has ended, with file and reason, and no lost_ticks", got)
	}
	f, err := record.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.LastTick() == 0 || f.Closed() {
		t.Errorf("the file has ticks up to %d, closed %v; want those before the disk was full", f.LastTick(), f.Closed())
	}
}
