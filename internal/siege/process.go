package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
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

// start starts this program again with other arguments; the end of the context interrupts it.
func start(ctx context.Context, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startProgram(ctx, self, args...)
}

// startProgram starts a program; what it complains of is shown.
func startProgram(ctx context.Context, program string, args ...string) (*process, error) {
	return startLogged(ctx, os.Stderr, program, args...)
}

// startLogged starts a program that logs into a file.
func startLogged(ctx context.Context, log *os.File, program string, args ...string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, program, args...), ended: make(chan struct{})}
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
