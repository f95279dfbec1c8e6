package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
)

type botsCommand struct {
	N         int           `default:"4" help:"How many bots, 1 to 200."`
	URL       string        `default:"http://localhost:8080" help:"The server's page."`
	Match     string        `help:"Which match to join; the first by default."`
	Transport string        `default:"quic" enum:"quic,webtransport,websocket" help:"quic, webtransport or websocket."`
	For       time.Duration `default:"0s" help:"Leave after so long; 0 stays until interrupted."`
	Frames    int           `default:"60" help:"Frames a second of each bot."`
	Sharp     bool          `help:"Bots that aim at just what they see."`
	RTT       time.Duration `default:"0s" help:"Add a round trip to each bot's network."`
	Jitter    time.Duration `default:"0s" help:"Add up to so much delay to each packet."`
	Loss      float64       `default:"0" help:"Lose this share of the packets, each way: 0.05 is 5 %."`
	Seed      uint64        `default:"1" help:"What the bots' whims and the bad network come from."`
}

func (c *botsCommand) check() error {
	switch {
	case c.N < 1 || c.N > 200:
		return fmt.Errorf("--n=%d: 1 to 200", c.N)
	case c.Frames < 1 || c.Frames > 1000:
		return fmt.Errorf("--frames=%d: 1 to 1000", c.Frames)
	case c.Loss < 0 || c.Loss > 1:
		return fmt.Errorf("--loss=%g: a share of 0 to 1", c.Loss)
	case c.RTT < 0 || c.Jitter < 0 || c.RTT > 10*time.Second || c.Jitter > 10*time.Second:
		return fmt.Errorf("--rtt and --jitter: 0s to 10s")
	}
	return nil
}

// Run plays the bots and prints a line a second.
func (c *botsCommand) Run(ctx context.Context, out output) error {
	if err := c.check(); err != nil {
		return err
	}
	v, err := findVenue(ctx, c.URL, c.Match)
	if err != nil {
		return err
	}
	if c.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.For)
		defer cancel()
	}
	bots := make([]*netBot, c.N)
	var group sync.WaitGroup
	for i := range bots {
		bots[i] = newNetBot(c, v, i)
		group.Go(func() { bots[i].run(ctx) })
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	begun := time.Now()
	for {
		select {
		case <-tick.C:
			printProgress(out, time.Since(begun), bots)
			continue
		case <-ctx.Done():
		}
		break
	}
	group.Wait()
	printProgress(out, time.Since(begun), bots)
	return firstError(bots)
}

// netBot is one bot and its connection.
type netBot struct {
	command *botsCommand
	venue   *venue
	name    string
	seed    uint64
	stats   atomic.Pointer[session.Stats]
	kills   atomic.Int64
	playing atomic.Bool
	err     error // read after the bot has stopped
}

func newNetBot(c *botsCommand, v *venue, i int) *netBot {
	b := &netBot{command: c, venue: v, name: fmt.Sprintf("bot %d", i+1), seed: c.Seed + uint64(i)*1_000_003}
	b.stats.Store(&session.Stats{})
	return b
}

// run connects and plays until the context or the connection ends.
func (b *netBot) run(ctx context.Context) {
	defer b.playing.Store(false)
	conn, err := b.venue.dial(ctx, b.command.Transport)
	if err != nil {
		if ctx.Err() == nil {
			b.err = fmt.Errorf("%s: %w", b.name, err)
		}
		return
	}
	if c := b.command; c.RTT > 0 || c.Jitter > 0 || c.Loss > 0 {
		conn = mem.Degrade(conn, mem.Network{RTT: c.RTT, Jitter: c.Jitter, Loss: c.Loss}, b.seed)
	}
	defer conn.Close("the bot leaves")
	skill := arena.Rookie
	if b.command.Sharp {
		skill = arena.Sharp
	}
	player := arena.NewPlayer(session.ClientConfig{Match: b.command.Match})
	player.Hello(b.name, session.Key{})
	b.play(ctx, conn, player, arena.NewBot(skill, b.seed))
}

// play is the bot's frame loop.
func (b *netBot) play(ctx context.Context, conn transport.Conn, p *arena.Player, bot *arena.Bot) {
	frame := time.NewTicker(time.Second / time.Duration(b.command.Frames))
	defer frame.Stop()
	begun := time.Now()
	local := func(t time.Time) clock.Micros { return clock.Micros(t.Sub(begun).Microseconds()) + 1 }
	var inbox []transport.Packet
	for {
		inbox = conn.Drain(inbox[:0])
		for _, in := range inbox {
			// A packet that makes no sense is counted in the stats.
			_ = p.Receive(session.Channel(in.Channel), max(local(in.At), 1), in.Bytes)
		}
		if conn.Closed() {
			if ctx.Err() == nil {
				b.err = fmt.Errorf("%s: %w", b.name, conn.Err())
			}
			return
		}
		now := local(time.Now())
		p.Play(now, bot.Think(p, now))
		b.react(p)
		sendAll(conn, p.Outgoing())
		stats := p.Stats()
		b.stats.Store(&stats)
		select {
		case <-ctx.Done():
			p.Leave()
			sendAll(conn, p.Outgoing())
			time.Sleep(50 * time.Millisecond) // lets the farewell leave
			return
		case <-frame.C:
		}
	}
}

// react handles what the frame brought.
func (b *netBot) react(p *arena.Player) {
	for _, e := range p.News {
		if e.Kind == session.Welcomed {
			p.Enter(b.venue.world)
		}
	}
	for _, k := range p.Kills {
		if k.Killer == uint16(p.ID()) && k.Victim != k.Killer {
			b.kills.Add(1)
		}
	}
	b.playing.Store(p.Phase() == session.Playing)
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

// printProgress prints one line of how the bots fare.
func printProgress(out output, past time.Duration, bots []*netBot) {
	var playing, corrections, hits, agreed, judged, bytes uint64
	var rtt clock.Micros
	var kills int64
	for _, b := range bots {
		s := b.stats.Load()
		if b.playing.Load() {
			playing++
			rtt += s.RTT
		}
		corrections += uint64(s.Moves.Corrections)
		hits += s.Hits
		agreed += s.Confirmed
		judged += s.Confirmed + s.Contradicted
		bytes += s.In.Bytes + s.Out.Bytes
		kills += b.kills.Load()
	}
	if playing > 0 {
		rtt /= clock.Micros(playing)
	}
	agreement := 100.0
	if judged > 0 {
		agreement = 100 * float64(agreed) / float64(judged)
	}
	fmt.Fprintf(out, "%4.0fs  players %d  rtt %.0f ms  corrections %d  shots %d  hits %d  kills %d  agreement %.1f %%  %.1f MB\n",
		past.Seconds(), playing, float64(rtt)/1000, corrections, judged, hits, kills, agreement, float64(bytes)/1e6)
}

// firstError is what went wrong with the first bot with which something did.
func firstError(bots []*netBot) error {
	for _, b := range bots {
		if b.err != nil {
			return b.err
		}
	}
	return nil
}
