package main

import (
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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

// The disk is full while the arena is recorded: the log says so once, and a server that is stopped then exits with 0.
// [THR-66]
func TestAFullDiskDoesNotFailTheServer(t *testing.T) {
	t.Setenv("BACKSTEP_TEST_FILE_SIZE", strconv.Itoa(32<<10))
	cmd, _, log := serveProcess(t, "--record", t.TempDir())
	for deadline := time.Now().Add(patience); !strings.Contains(log.String(), "recording has ended"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the log does not say that the recording has ended:\n%s", log)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("got %v, want exit code 0; log:\n%s", err, log)
	}
	if got := log.String(); strings.Count(got, "recording has ended") != 1 || strings.Contains(got, "lost_ticks") {
		t.Errorf("got the log\n%s\nwant once that the recording has ended, and no lost_ticks", got)
	}
}
