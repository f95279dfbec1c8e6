package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// process is a process that prints lines, and the last of them.
type process struct {
	cmd   *exec.Cmd
	mu    sync.Mutex
	line  string
	ended chan struct{} // its output is over
}

// start starts this program again with other arguments; the end of the context interrupts it. An attacker takes what
// the players leave of their cores: in the open it uses none of them.
func start(ctx context.Context, yields bool, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if yields {
		return startProgram(ctx, "chrt", append([]string{"--idle", "0", self}, args...)...)
	}
	return startProgram(ctx, self, args...)
}

// startProgram starts a program on the cores of players and attackers; what it complains of is shown.
func startProgram(ctx context.Context, program string, args ...string) (*process, error) {
	return startLogged(ctx, os.Stderr, otherCores(), program, args...)
}

// startLogged starts a program that logs into a file, on some cores only.
//
// The server has a core of its own: players and attackers of a server in the open use no core of it, and where they
// share its cores, a row says more of them than of the server.
func startLogged(ctx context.Context, log *os.File, cores, program string, args ...string) (*process, error) {
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", cores, program}, args...)...)
	p := &process{cmd: cmd, ended: make(chan struct{})}
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(os.Interrupt) }
	p.cmd.WaitDelay = 5 * time.Second
	p.cmd.Stderr = log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.mu.Lock()
			p.line = lines.Text()
			p.mu.Unlock()
		}
	}()
	return p, nil
}

// serverCore is the core of the server.
const serverCore = "0"

// otherCores returns those of players and attackers: all but the server's, if there are several.
func otherCores() string {
	if n := runtime.NumCPU(); n > 1 {
		return "1-" + strconv.Itoa(n-1)
	}
	return serverCore
}

// now returns the line that was printed last.
func (p *process) now() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line
}

// last waits for the end of a process and returns its last line and the processor time that it took.
func (p *process) last() (string, time.Duration) {
	<-p.ended
	_ = p.cmd.Wait()
	return p.now(), p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// stop ends a process and waits for it.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.last()
}
