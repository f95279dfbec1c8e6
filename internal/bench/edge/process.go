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
)

// run is a server and its clients.
type run struct {
	server, clients *process
}

// startRun starts the server of a load and its clients. Nobody joins yet.
func startRun(ctx context.Context, command Command, name string, l *load, transport string) (*run, error) {
	matches, players := strconv.Itoa(l.matches), strconv.Itoa(l.players)
	server, err := start(ctx, l.cores, command("server", name, matches, players))
	if err != nil {
		return nil, err
	}
	var s sample
	if err := server.ask("", &s); err != nil {
		server.stop()
		return nil, err
	}
	clients, err := start(ctx, loadCores(l.cores), command("clients", name, matches, players, s.URL, transport))
	if err != nil {
		server.stop()
		return nil, err
	}
	return &run{server, clients}, nil
}

// await lets clients join until there are so many, and waits until a sample of the clients is as wanted.
func (r *run) await(ctx context.Context, players int, wanted func(s *sample) bool) error {
	for begun := time.Now(); ; {
		var s sample
		if err := r.clients.ask(strconv.Itoa(players), &s); err != nil {
			return err
		}
		if wanted(&s) {
			return nil
		}
		if time.Since(begun) > patience || !sleep(ctx, patience/1000) {
			return fmt.Errorf("of %d clients %d have joined and %d play, each draws %d objects or more: this machine is too busy", players, s.Joined, s.Playing, s.Drawn)
		}
	}
}

// ask samples both.
func (r *run) ask(server, clients *sample) error {
	return errors.Join(r.server.ask("", server), r.clients.ask("", clients))
}

// stop ends both, the clients first.
func (r *run) stop() {
	r.clients.stop()
	r.server.stop()
}

// process is the server or the clients: each line to it is answered by one of JSON, and it ends with its input.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
}

// start starts this program again, with so many cores; 0 means all.
func start(ctx context.Context, cores int, args []string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, self, args...), lines: make(chan string, 1)}
	p.cmd.Stderr, p.cmd.WaitDelay = os.Stderr, 5*time.Second
	if cores > 0 {
		p.cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(cores))
	}
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
func (p *process) ask(line string, s *sample) error {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		return fmt.Errorf("a process of the measurement has ended: %w", err)
	}
	select {
	case line, ok := <-p.lines:
		if !ok {
			return errors.New("a process of the measurement has ended: it says why above")
		}
		*s = sample{}
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

// linesOf returns the lines of in. The channel is closed at its end.
func linesOf(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}
