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
	target  *target
	name    string
	seed    uint64
	refused string // the server's reason for refusing it

	// For the progress line: written by the bot's goroutine, read by others.
	stats   atomic.Pointer[session.Stats]
	kills   atomic.Uint64
	playing atomic.Bool
	entered atomic.Bool // has played at some time
}

func newNetBot(c *botsCommand, v *target, i int) *netBot {
	b := &netBot{command: c, target: v, name: fmt.Sprintf("bot %d", i+1), seed: c.Seed + uint64(i)*1_000_003}
	b.stats.Store(&session.Stats{})
	return b
}

// run connects and plays until the context or the connection ends. The error is nil if the
// context ended.
func (b *netBot) run(ctx context.Context) error {
	defer b.playing.Store(false)
	conn, err := b.target.dial(ctx, b.command.Transport)
	if err == nil {
		conn = b.degrade(conn)
		err = b.join(ctx, conn)
		conn.Close("the bot left")
	}
	if err == nil && b.refused == "" || ctx.Err() != nil {
		return nil
	}
	var ended *transport.CloseError
	switch {
	case b.refused != "":
		err = errors.New(b.refused)
	case errors.As(err, &ended) && ended.Remote && ended.Reason != "":
		err = errors.New(ended.Reason) // the server's reason
	}
	return fmt.Errorf("%s: %w", b.name, err)
}

// degrade adds the simulated network of the flags to a connection.
func (b *netBot) degrade(conn transport.Conn) transport.Conn {
	n := mem.Network{RTT: b.command.RTT, Jitter: b.command.Jitter, Loss: b.command.Loss}
	if n == (mem.Network{}) {
		return conn
	}
	return mem.Degrade(conn, n, b.seed)
}

// join sends the hello and runs the bot's frame loop.
func (b *netBot) join(ctx context.Context, conn transport.Conn) error {
	skill := arena.Rookie
	if b.command.Sharp {
		skill = arena.Sharp
	}
	p, bot := arena.NewPlayer(session.ClientConfig{Match: b.command.Match}), arena.NewBot(skill, b.seed)
	p.NoBodies = true // bots do not look at rigid bodies: no need to simulate them
	bot.Mesh = b.target.mesh
	p.Hello(b.name, session.Key{})
	frame := time.NewTicker(time.Second / time.Duration(b.command.Frames))
	defer frame.Stop()
	begun := time.Now()
	local := func(t time.Time) clock.Micros { return max(clock.Micros(t.Sub(begun).Microseconds()), 0) + 1 }
	var inbox []transport.Packet
	for {
		inbox = conn.Drain(inbox[:0])
		for _, in := range inbox {
			// The stats count malformed packets.
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

// leave gives the seat up and waits for about a round trip and 50 ms, so that the message is
// through before the connection closes; without it the seat stays reserved for a reconnect.
func (b *netBot) leave(conn transport.Conn, p *arena.Player) {
	p.Leave()
	sendAll(conn, p.Outgoing())
	under := b.command.RTT/2 + b.command.Jitter
	if b.command.Loss > 0 {
		under += b.command.RTT // it may need a retransmission
	}
	time.Sleep(min(50*time.Millisecond+under, time.Second))
}

// react handles the frame's events.
func (b *netBot) react(p *arena.Player) {
	for _, e := range p.Notices {
		switch e.Kind {
		case session.Welcomed:
			p.Enter(b.target.world)
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

// sendAll sends a client's packets: its datagrams as one batch.
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
