// Command siege floods a running server on loopback, measures players and server, and writes docs/siege.md. It
// starts backstep serve and bots over QUIC, lets them play, then adds floods, each from a process of its own. make
// siege runs it. It sends to loopback only, for as long as its flags say, and ends every process that it started. It
// needs Linux, for the processor time of others, and two cores: the server has the first for itself (taskset of
// util-linux), players and attackers share the others.
//
// Start at [run].
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"time"
)

// options are the flags.
type options struct {
	backstep string        // the binary under siege
	bots     int           // of all matches
	seats    int           // bots of a match
	quiet    time.Duration // before the first flood
	flood    time.Duration // of each flood
	out      string        // the page, "" for none
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "attack" { // a process of run's
		if err := attack(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "siege:", err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.StringVar(&o.backstep, "backstep", "bin/backstep", "the binary to besiege (make server)")
	flag.IntVar(&o.bots, "bots", 60, "bots over QUIC, in all")
	flag.IntVar(&o.seats, "seats", 20, "bots of a match")
	flag.DurationVar(&o.quiet, "quiet", 10*time.Minute, "how long they play before the first flood")
	flag.DurationVar(&o.flood, "flood", time.Minute, "how long each flood lasts")
	flag.StringVar(&o.out, "o", "", "the page to write")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "siege:", err)
		os.Exit(1)
	}
}

// run plays the phases and prints a row for each.
func run(ctx context.Context, o options) error {
	folder, err := os.MkdirTemp("", "siege")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	s, err := startServer(ctx, o, folder)
	if err != nil {
		return err
	}
	defer s.stop()
	c, err := startCrowd(ctx, o, s)
	if err != nil {
		return err
	}
	defer c.stop()
	var rows []row
	for _, p := range phases(o) {
		r, err := play(ctx, s, c, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		rows = append(rows, r)
		fmt.Println(r)
		if !sleep(ctx, rest) {
			return ctx.Err()
		}
	}
	if o.out == "" {
		return nil
	}
	return os.WriteFile(filepath.Clean(o.out), []byte(page(o, rows)), 0o644)
}

// rest is the pause between two floods, in which half-open connections end and the ticks of the first leave the server's
// status, which has the newest 512: 8.5 s of them, half a second later.
const rest = 10 * time.Second

// phase is a time under one kind of fire; with kind "" there is none.
type phase struct {
	name string
	kind kind
	rate int // a second
	last time.Duration
}

// phases are the siege, in order. The rates are those of the threats' rows.
func phases(o options) []phase {
	return []phase{
		{"no attack", "", 0, o.quiet},
		{"first packets of handshakes (THR-02)", initials, 20000, o.flood},
		{"junk with long headers (THR-03)", long, 100000, o.flood},
		{"junk with short headers (THR-03)", short, 100000, o.flood},
		{"silent connections (THR-04)", silent, 10000 / 60, o.flood},
		{"complete handshakes, as many as one core can make", silent, 20000, o.flood},
		{"no attack, afterwards", "", 0, o.flood},
	}
}

// play lets a phase pass and returns what was seen in it.
func play(ctx context.Context, s *server, c *crowd, p phase) (row, error) {
	before, err := s.sample()
	if err != nil {
		return row{}, err
	}
	c.begin()
	over, cancel := context.WithTimeout(ctx, p.last)
	defer cancel()
	joins, err := start(over, false, "attack", string(join), s.url, "2", p.last.String())
	if err != nil {
		return row{}, err
	}
	var fire *process
	if p.kind != "" {
		if fire, err = start(over, true, "attack", string(p.kind), s.quic, strconv.Itoa(p.rate), p.last.String()); err != nil {
			return row{}, err
		}
	}
	worst := s.watch(over) // until the phase is over
	if err := c.ended(); err != nil {
		return row{}, err
	}
	r := row{phase: p, crowd: c.end(), worst: worst}
	r.joins, _ = joins.last()
	if fire != nil {
		r.fire, r.fireCPU = fire.last()
	}
	after, err := s.sample()
	if err != nil {
		return row{}, err
	}
	r.cost(before, after)
	return r, ctx.Err()
}

// sleep waits; it reports whether the context has not ended.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
