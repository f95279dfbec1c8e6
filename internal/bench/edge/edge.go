// Package edge measures what a whole server process costs for a client and tick, with clients in another process, on
// loopback. Start at [Group]; backstep bench runs it, and starts itself as the server ([Serve]) and as the clients
// ([Play]).
package edge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/backstep-net/backstep/internal/bench"
)

// What is measured: so many matches of so many players, at 60 Hz, for so long a run.
const (
	matches  = 4
	players  = 10
	tickRate = 60
	runTime  = 5 * time.Second
	// settled is how long everybody plays before the first run.
	settled = 2 * time.Second
	// longest bounds the life of server and clients, in case the process that started them was killed.
	longest = 3 * time.Minute
	// patience is the timeout of an answer from server or clients.
	patience = time.Minute
)

// Transports are the figures' transports.
var Transports = []string{"udp", "quic"}

// sample is a report of the server's process.
type sample struct {
	CPU     time.Duration // processor time so far, kernel included
	Ticks   int64         // of all its matches
	Players int           // that are connected
	URL     string        // of the server
}

// Group returns the group of the edge. command returns the arguments after this program's name that call Serve, or Play
// with the arguments that it is handed.
func Group(command func(args ...string) []string) bench.Group {
	return bench.Group{Name: "edge", Measure: func(ctx context.Context, m *bench.Meter) error {
		for _, transport := range Transports {
			figure := "edge_" + transport + "_us"
			m.Progress(figure)
			var runs []float64
			err := play(ctx, command, transport, m.Shorten(settled), func(server *process) error {
				for range m.Runs() {
					v, err := measure(ctx, server, m.Shorten(runTime))
					if err != nil {
						return err
					}
					runs = append(runs, v)
				}
				return nil
			})
			if err != nil {
				return fmt.Errorf("%s: %w", transport, err)
			}
			m.SetMedian(figure, runs)
		}
		return nil
	}}
}

// measure returns the server's processor time for a client and tick, in microseconds, over a time.
func measure(ctx context.Context, server *process, d time.Duration) (float64, error) {
	var before, after sample
	if err := server.ask(&before); err != nil {
		return 0, err
	}
	if !sleep(ctx, d) {
		return 0, ctx.Err()
	}
	if err := server.ask(&after); err != nil {
		return 0, err
	}
	if before.Players != matches*players || after.Players != matches*players {
		return 0, fmt.Errorf("%d and %d players are connected, not %d", before.Players, after.Players, matches*players)
	}
	if after.CPU == before.CPU {
		return 0, errors.New("this system does not say what a process used")
	}
	return float64((after.CPU - before.CPU).Nanoseconds()) / 1000 / float64((after.Ticks-before.Ticks)*players), nil
}

// sleep waits, and returns false if the context ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// play starts a server and its clients, lets them settle, and ends them after the function.
func play(ctx context.Context, command func(args ...string) []string, transport string, settle time.Duration, do func(server *process) error) error {
	server, err := start(ctx, command("server"))
	if err != nil {
		return err
	}
	defer server.stop()
	var s sample
	if err := server.ask(&s); err != nil {
		return err
	}
	clients, err := start(ctx, command("clients", s.URL, transport, strconv.Itoa(matches*players)))
	if err != nil {
		return err
	}
	defer clients.stop()
	if err := clients.ask(&s); err != nil {
		return err
	}
	if !sleep(ctx, settle) {
		return ctx.Err()
	}
	return do(server)
}

// process is the server or the clients: each line to it is answered by one of JSON, and it ends with its input.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
}

// start starts this program again.
func start(ctx context.Context, args []string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, self, args...), lines: make(chan string, 1)}
	p.cmd.Stderr, p.cmd.WaitDelay = os.Stderr, 5*time.Second
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	return p, nil
}

// ask waits for the answer to one line.
func (p *process) ask(s *sample) error {
	if _, err := io.WriteString(p.in, "\n"); err != nil {
		return fmt.Errorf("a process of the measurement has ended: %w", err)
	}
	select {
	case line, ok := <-p.lines:
		if !ok {
			return errors.New("a process of the measurement has ended: it says why above")
		}
		return json.Unmarshal([]byte(line), s)
	case <-time.After(patience):
		return fmt.Errorf("a process of the measurement did not answer in %v", patience)
	}
}

// stop ends the process and waits for it.
func (p *process) stop() {
	p.in.Close()
	for range p.lines {
	}
	_ = p.cmd.Wait() // its figures are here already
}

// answer answers each line of in by a sample, until in or the context ends.
func answer(ctx context.Context, in io.Reader, out io.Writer, now func() sample) error {
	ctx, stop := context.WithTimeout(ctx, longest)
	defer stop()
	lines := make(chan struct{})
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, ok := <-lines:
			if !ok {
				return nil
			}
			if err := json.NewEncoder(out).Encode(now()); err != nil {
				return err
			}
		}
	}
}
