// Package edge measures a whole server process, with clients in another process, on loopback. Start at [Groups];
// backstep bench runs them, and starts itself as the server ([Serve]) and as the clients ([Play]).
package edge

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/backstep-net/backstep/internal/bench"
)

const (
	// runTime is how long a run is.
	runTime = 5 * time.Second
	// settled is how long everybody plays before the first run.
	settled = 2 * time.Second
	// longest bounds the life of server and clients, in case the process that started them was killed.
	longest = 5 * time.Minute
	// udpHeaders are the bytes of the headers of UDP and IPv4.
	udpHeaders = 28
	// patience is the timeout of an answer from server or clients.
	patience = time.Minute
)

// load is what a server and its clients play.
type load struct {
	matches, players, tickRate int // players of each match
	// objects is how many objects wander in each match. Then the clients have no character and only watch.
	objects int
	// derived means that clients derive where an object looks from its velocity, so its rotation is not sent.
	derived bool
	// cores is how many the server has; the clients have the others, one at least. 0 means that both have all.
	cores int
	// roundTrip is added between server and clients.
	roundTrip time.Duration
}

// wander returns the load of MoveWander.
func wander(tickRate int) load {
	return load{matches: 1, players: 100, tickRate: tickRate, objects: 100}
}

// loads are all of them by the name that the processes are handed.
var loads = func() map[string]load {
	list := map[string]load{
		"fight": {matches: 4, players: 10, tickRate: 60},
		"fifty": {matches: 50, players: 4, tickRate: 60, cores: 1},
	}
	for _, c := range capacityLoads {
		list[c.Name] = c.load
	}
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
	// Of the server since its last sample, of matches with players, in µs: how long ticks took and how late they began.
	Tick50, Tick99, Late99, Late999 float64
	// Of the clients, all together.
	Joined, Playing, Lost  int    // that have a seat, that play, that could not join or were disconnected
	Frames                 uint64 // that they have made
	Datagrams, Payload     uint64 // received, the latter in bytes
	PayloadOut             uint64 // bytes sent
	PacketsIn, EncryptedIn uint64 // as in transport.Stats
	Drawn                  int    // objects that each has drawn at once, at least
	Corrections            int    // whatever the cause
	Agreed, Disagreed      uint64 // shots judged as their shooter saw them, and otherwise
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
			for _, transport := range []string{"udp", "quic"} {
				if err := measureEdge(ctx, m, command, transport); err != nil {
					return fmt.Errorf("%s: %w", transport, err)
				}
			}
			return nil
		}},
		{Name: "scheduler", Measure: func(ctx context.Context, m *bench.Meter) error { return measureScheduler(ctx, m, command) }},
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

// measureScheduler measures how late the ticks of 50 matches begin.
func measureScheduler(ctx context.Context, m *bench.Meter, command Command) error {
	const figure = "lateness_50"
	m.Progress(figure)
	var p99, p999, core []float64
	err := play(ctx, command, "fifty", "udp", m, func(l *load, server, _ *[2]sample) {
		p99, p999 = append(p99, server[1].Late99), append(p999, server[1].Late999)
		seconds := float64(server[1].Ticks-server[0].Ticks) / float64(l.matches*l.tickRate)
		core = append(core, 100*(server[1].CPU-server[0].CPU).Seconds()/seconds)
	})
	if err != nil {
		return err
	}
	m.SetMedian(figure+"_p99_us", p99)
	m.SetMedian(figure+"_p999_us", p999)
	m.SetMedian(figure+"_core_percent", core)
	return nil
}

// measureWander measures what each client receives, and the server's share of a core and its garbage: by tick, times the
// tick rate, since a busy machine skips ticks.
func measureWander(ctx context.Context, m *bench.Meter, command Command, name, transport string) error {
	figure := name + "_" + transport
	m.Progress(figure)
	l := loads[name]
	var payload, wire, core, garbage []float64
	all := m.Fewer(l.players) == l.players // else a test, whose machine may be busy
	err := play(ctx, command, name, transport, m, func(l *load, server, clients *[2]sample) {
		ticks := float64(server[1].Ticks - server[0].Ticks)
		if all && float64(clients[1].Datagrams-clients[0].Datagrams) <= .95*ticks*float64(l.players) {
			return // of a run in which clients lacked snapshots the figures are too small
		}
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
	if len(wire) == 0 {
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
	r, err := startRun(ctx, command, name, &l, transport)
	if err != nil {
		return err
	}
	defer r.stop()
	all := l.matches * l.players
	err = r.await(ctx, all, func(s *sample) bool { return s.Joined == all && s.Drawn >= l.objects })
	if err != nil {
		return err
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
			if err := r.ask(&ofServer[1], &ofClients[1]); err != nil {
				return err
			}
		}
		if ofServer[1].Players != all || ofClients[1].Lost > 0 {
			return fmt.Errorf("%d players are connected, not %d", ofServer[1].Players, all)
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
