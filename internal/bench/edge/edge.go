// Package edge measures a whole server process, with clients in another process, on loopback. Start at [Groups];
// backstep bench runs them, and starts itself as the server ([Serve]) and as the clients ([Play]).
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
	"runtime"
	"strconv"
	"time"

	"github.com/backstep-net/backstep/internal/bench"
)

const (
	// runTime is how long a run is.
	runTime = 5 * time.Second
	// settled is how long everybody plays before the first run.
	settled = 2 * time.Second
	// longest bounds the life of server and clients, in case the process that started them was killed.
	longest = 3 * time.Minute
	// udpHeaders are the bytes of the headers of UDP and IPv4.
	udpHeaders = 28
	// patience is the timeout of an answer from server or clients.
	patience = time.Minute
)

// Transports are the figures' transports.
var Transports = []string{"udp", "quic"}

// load is what a server and its clients play.
type load struct {
	matches, players, tickRate int // players of each match
	// objects is how many objects wander in each match. Then the clients have no character and only watch.
	objects int
	// derived means that clients derive where an object looks from its velocity, so its rotation is not sent.
	derived bool
	// roundTrip is added between server and clients.
	roundTrip time.Duration
}

// wander returns the load of MoveWander.
func wander(tickRate int) load {
	return load{matches: 1, players: 100, tickRate: tickRate, objects: 100}
}

// loads are all of them by the name that the processes are handed.
var loads = func() map[string]load {
	list := map[string]load{"fight": {matches: 4, players: 10, tickRate: 60}}
	for _, rate := range []int{20, 60} {
		near, derived, far := wander(rate), wander(rate), wander(rate)
		derived.derived, far.roundTrip = true, 170*time.Millisecond
		name := fmt.Sprint("wander", rate)
		list[name], list[name+"_derived"], list[name+"_far"] = near, derived, far
	}
	return list
}()

// sample is a report of a process.
type sample struct {
	CPU       time.Duration // processor time so far, kernel included
	Allocated uint64        // bytes of heap so far
	// Of the server.
	Ticks   int64  // of all its matches
	Players int    // that are connected
	URL     string // of the server
	// Of the clients, all together.
	Datagrams, Payload     uint64 // received, the latter in bytes
	PacketsIn, EncryptedIn uint64 // as in transport.Stats
	Drawn                  int    // objects that each has drawn at once, at least
}

// newSample returns a sample of this process.
func newSample() sample {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return sample{CPU: cpuTime(), Allocated: m.TotalAlloc}
}

// Command returns the arguments after this program's name that call Serve, or Play, with those that it is handed.
type Command func(args ...string) []string

// Groups are those of this package.
func Groups(command Command) []bench.Group {
	return []bench.Group{
		{Name: "edge", Measure: func(ctx context.Context, m *bench.Meter) error {
			for _, transport := range Transports {
				if err := measureEdge(ctx, m, command, transport); err != nil {
					return fmt.Errorf("%s: %w", transport, err)
				}
			}
			return nil
		}},
		{Name: "movewander", Measure: func(ctx context.Context, m *bench.Meter) error {
			for _, f := range bench.Wanders() {
				if err := measureWander(ctx, m, command, f.Load, f.Transport); err != nil {
					return fmt.Errorf("%s: %s: %w", f.Load, f.Transport, err)
				}
			}
			return nil
		}},
	}
}

// measureEdge measures the server's processor time for a client and tick, in microseconds.
func measureEdge(ctx context.Context, m *bench.Meter, command Command, transport string) error {
	figure := "edge_" + transport + "_us"
	m.Progress(figure)
	var runs []float64
	err := play(ctx, command, "fight", transport, m, func(l *load, server, _ *[2]sample) {
		runs = append(runs, float64((server[1].CPU-server[0].CPU).Nanoseconds())/1000/float64((server[1].Ticks-server[0].Ticks)*int64(l.players)))
	})
	if err != nil {
		return err
	}
	m.SetMedian(figure, runs)
	return nil
}

// measureWander measures what each client receives, and the server's share of a core and its garbage: by tick, times the
// tick rate, since a busy machine skips ticks.
func measureWander(ctx context.Context, m *bench.Meter, command Command, name, transport string) error {
	figure := name + "_" + transport
	m.Progress(figure)
	l := loads[name]
	var payload, wire, core, garbage []float64
	complete := false
	err := play(ctx, command, name, transport, m, func(l *load, server, clients *[2]sample) {
		ticks := float64(server[1].Ticks - server[0].Ticks)
		complete = complete || float64(clients[1].Datagrams-clients[0].Datagrams) > .95*ticks*float64(l.players)
		seconds := ticks / float64(l.tickRate)
		core = append(core, 100*(server[1].CPU-server[0].CPU).Seconds()/seconds)
		garbage = append(garbage, float64(server[1].Allocated-server[0].Allocated)/seconds/1000)
		seconds *= float64(l.players)
		payload = append(payload, float64(clients[1].Payload-clients[0].Payload)/seconds/1000)
		packets, bytes := clients[1].PacketsIn-clients[0].PacketsIn, clients[1].EncryptedIn-clients[0].EncryptedIn
		wire = append(wire, float64(bytes+packets*udpHeaders)/seconds/1000)
	})
	if err != nil {
		return err
	}
	if !complete && m.Fewer(l.players) == l.players {
		m.Progress(figure + " in vain: clients lacked snapshots in each run, so this machine is too busy")
		return nil
	}
	m.SetMedian(figure+"_kBps", wire)
	if l.derived || l.roundTrip > 0 {
		return nil
	}
	m.SetMedian(figure+"_payload_kBps", payload)
	m.SetMedian(figure+"_core_percent", core)
	m.SetMedian(figure+"_garbage_kBps", garbage)
	return nil
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

// play starts a server and its clients, lets them settle, and calls the function with the samples before and after
// each run.
func play(ctx context.Context, command Command, name, transport string, m *bench.Meter, run func(l *load, server, clients *[2]sample)) error {
	l := loads[name]
	l.players = m.Fewer(l.players)
	players := strconv.Itoa(l.players)
	server, err := start(ctx, command("server", name, players))
	if err != nil {
		return err
	}
	defer server.stop()
	var s sample
	if err := server.ask(&s); err != nil {
		return err
	}
	clients, err := start(ctx, command("clients", name, players, s.URL, transport))
	if err != nil {
		return err
	}
	defer clients.stop()
	for begun := time.Now(); ; { // until all have joined and drawn all objects
		if err := clients.ask(&s); err != nil {
			return err
		}
		if s.Drawn >= l.objects {
			break
		}
		if time.Since(begun) > patience || !sleep(ctx, patience/1000) {
			return fmt.Errorf("a client draws %d of %d objects: this machine is too busy", s.Drawn, l.objects)
		}
	}
	var ofServer, ofClients [2]sample
	for i := range m.Runs() + 1 {
		wait := runTime
		if i == 0 {
			wait = settled
		}
		if !sleep(ctx, m.Shorten(wait)) {
			return ctx.Err()
		}
		ofServer[0], ofClients[0] = ofServer[1], ofClients[1]
		for ofServer[1].Ticks < ofServer[0].Ticks+3 { // more than once only in tests, whose runs are short
			if err := errors.Join(server.ask(&ofServer[1]), clients.ask(&ofClients[1])); err != nil {
				return err
			}
		}
		if ofServer[1].Players != l.matches*l.players {
			return fmt.Errorf("%d players are connected, not %d", ofServer[1].Players, l.matches*l.players)
		}
		if i == 0 {
			continue
		}
		if ofServer[0].CPU == ofServer[1].CPU {
			return errors.New("this system does not say what a process used")
		}
		run(&l, &ofServer, &ofClients)
	}
	return nil
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
