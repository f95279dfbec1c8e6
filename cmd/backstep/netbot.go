package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
)

// netBot is one bot and its connection.
type netBot struct {
	command *botsCommand
	venue   *venue
	name    string
	seed    uint64
	refused string // why the server lets it not in

	// What the progress line shows; written by the bot, read by others.
	stats   atomic.Pointer[session.Stats]
	kills   atomic.Uint64
	playing atomic.Bool
	entered atomic.Bool // has ever played
}

func newNetBot(c *botsCommand, v *venue, i int) *netBot {
	b := &netBot{command: c, venue: v, name: fmt.Sprintf("bot %d", i+1), seed: c.Seed + uint64(i)*1_000_003}
	b.stats.Store(&session.Stats{})
	return b
}

// run connects and plays until the context or the connection ends. The error is
// nil where it was the context.
func (b *netBot) run(ctx context.Context) error {
	defer b.playing.Store(false)
	conn, err := b.venue.dial(ctx, b.command.Transport)
	if err == nil {
		conn = b.degrade(conn)
		err = b.join(ctx, conn)
		conn.Close("the bot leaves")
	}
	if err == nil && b.refused == "" || ctx.Err() != nil {
		return nil
	}
	var ended *transport.Ended
	switch {
	case b.refused != "":
		err = errors.New(b.refused)
	case errors.As(err, &ended) && ended.Remote && ended.Reason != "":
		err = errors.New(ended.Reason) // in the server's own words
	}
	return fmt.Errorf("%s: %w", b.name, err)
}

// degrade puts the bad network around a connection that was asked for.
func (b *netBot) degrade(conn transport.Conn) transport.Conn {
	n := mem.Network{RTT: b.command.RTT, Jitter: b.command.Jitter, Loss: b.command.Loss}
	if n == (mem.Network{}) {
		return conn
	}
	return mem.Degrade(conn, n, b.seed)
}

// join says hello and is the bot's frame loop.
func (b *netBot) join(ctx context.Context, conn transport.Conn) error {
	skill := arena.Rookie
	if b.command.Sharp {
		skill = arena.Sharp
	}
	p, bot := arena.NewPlayer(session.ClientConfig{Match: b.command.Match}), arena.NewBot(skill, b.seed)
	p.Bodiless = true
	bot.Mesh = b.venue.mesh
	p.Hello(b.name, session.Key{})
	frame := time.NewTicker(time.Second / time.Duration(b.command.Frames))
	defer frame.Stop()
	begun := time.Now()
	local := func(t time.Time) clock.Micros { return max(clock.Micros(t.Sub(begun).Microseconds()), 0) + 1 }
	var inbox []transport.Packet
	for {
		inbox = conn.Drain(inbox[:0])
		for _, in := range inbox {
			// A packet that makes no sense is counted in the stats.
			_ = p.Receive(session.Channel(in.Channel), local(in.At), in.Bytes)
		}
		now := local(time.Now())
		p.Play(now, bot.Think(p, now))
		b.react(p)
		if conn.Closed() || b.refused != "" {
			return conn.Err()
		}
		sendAll(conn, p.Outgoing())
		select {
		case <-ctx.Done():
			b.leave(conn, p)
			return nil
		case <-frame.C:
		}
	}
}

// leave gives the seat up, and waits for the farewell to get through.
func (b *netBot) leave(conn transport.Conn, p *arena.Player) {
	p.Leave()
	sendAll(conn, p.Outgoing())
	under := b.command.RTT/2 + b.command.Jitter
	if b.command.Loss > 0 {
		under += b.command.RTT // it may take a second attempt
	}
	time.Sleep(min(50*time.Millisecond+under, time.Second))
}

// react handles what the frame brought.
func (b *netBot) react(p *arena.Player) {
	for _, e := range p.Notices {
		switch e.Kind {
		case session.Welcomed:
			p.Enter(b.venue.world)
		case session.Refused:
			b.refused = e.Text
		}
	}
	for _, k := range p.Kills {
		if k.Killer == uint16(p.ID()) && k.Victim != k.Killer {
			b.kills.Add(1)
		}
	}
	if p.Phase() == session.Playing {
		b.playing.Store(true)
		b.entered.Store(true)
	}
	stats := p.Stats()
	b.stats.Store(&stats)
}

// sendAll hands over what a client has to say: its datagrams as one set.
func sendAll(conn transport.Conn, packets []session.Packet) {
	var set [][]byte
	for _, p := range packets {
		if p.Channel == session.Datagram {
			set = append(set, p.Bytes)
		} else if err := conn.Stream(p.Bytes); err != nil {
			conn.Close(err.Error())
		}
	}
	if len(set) > 0 {
		conn.Datagrams(set...)
	}
}
