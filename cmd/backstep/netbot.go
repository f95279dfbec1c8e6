package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
	"github.com/backstep-net/backstep/transport/quic/quicserver"
)

// target is a match on a server, and what all bots share of it.
type target struct {
	*client.Server
	world *collide.World
	mesh  *nav.Mesh
	key   token.Key // of the bots' tokens; zero: none
}

// findTarget asks the server for the match, downloads its level and bakes the bots' navigation
// mesh, starting at the spawn points of the level's model if there is one. Baking takes some
// tenths of a second, during which a joined bot would not receive anything.
func findTarget(ctx context.Context, c *botsCommand) (*target, error) {
	server, err := client.Find(ctx, c.URL, client.Config{Match: c.Match})
	var address *client.AddressError
	switch {
	case errors.As(err, &address):
		return nil, fmt.Errorf("--url=%s: want something like http://localhost:8080", c.URL)
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("--url=%s: no server answers there; backstep serve starts one", c.URL)
	case err != nil:
		return nil, err
	}
	v := &target{Server: server}
	if v.world, err = server.LoadLevel(ctx); err != nil {
		return nil, err
	}
	if c.TokenKey != "" {
		if v.key, err = token.ReadKey(c.TokenKey); err != nil {
			return nil, fmt.Errorf("--token-key: %w", err)
		}
	}
	feet, err := spawns(ctx, server)
	if err != nil {
		return nil, err
	}
	v.mesh, err = arena.Mesh(v.world, feet...)
	return v, err
}

// spawns returns the spawn points of the level's model, none without a model.
func spawns(ctx context.Context, s *client.Server) (feet []geom.Vec3, err error) {
	if s.Model == "" {
		return nil, nil
	}
	b, err := s.Fetch(ctx, s.Model)
	if err != nil {
		return nil, err
	}
	l, err := level.Read(b)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", s.URL, s.Model, err)
	}
	for _, at := range l.Spawns {
		feet = append(feet, at.Position)
	}
	return feet, nil
}

// netBot is one bot and its connection.
type netBot struct {
	command *botsCommand
	target  *target
	name    string
	seed    uint64

	// For the progress line: written by the bot's goroutine, read by others.
	stats   atomic.Pointer[session.Stats]
	kills   atomic.Uint64
	playing atomic.Bool
	entered atomic.Bool // has played at some time

	verdicts verdictTimes
}

// verdictTimes counts how long verdicts on rays took. Shots without a verdict stay in fired: a few in an hour.
type verdictTimes struct {
	mu    sync.Mutex
	took  map[int]int    // how many, by ms
	other map[string]int // verdicts other than what the bot saw, by reason
	last  uint32         // shot that was noted last
	fired map[uint32]time.Time
}

// note records the bot's last shot and the verdicts of a frame.
func (v *verdictTimes) note(p *arena.Player, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.fired == nil {
		v.fired, v.took, v.other = map[uint32]time.Time{}, map[int]int{}, map[string]int{}
	}
	if s, ok := p.LastShot(); ok && s.Number != v.last {
		if v.last = s.Number; len(s.Outcomes) > 0 { // a projectile's verdict waits for its flight
			v.fired[s.Number] = now
		}
	}
	for i := range p.Notices {
		e := &p.Notices[i]
		if e.Kind == session.ShotJudged && !e.Receipt.Agrees {
			v.other[cmp.Or(e.Receipt.Reason.String(), "another outcome")]++
		}
		if at, ok := v.fired[e.Receipt.Shot]; ok && e.Kind == session.ShotJudged {
			v.took[int(now.Sub(at).Milliseconds())]++
			delete(v.fired, e.Receipt.Shot)
		}
	}
}

// addTo adds the counts to sums.
func (v *verdictTimes) addTo(took map[int]int, other map[string]int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for ms, n := range v.took {
		took[ms] += n
	}
	for why, n := range v.other {
		other[why] += n
	}
}

func newNetBot(c *botsCommand, v *target, i int) *netBot {
	b := &netBot{command: c, target: v, name: fmt.Sprintf("bot %d", i+1), seed: c.Seed + uint64(i)*1_000_003}
	b.stats.Store(&session.Stats{})
	return b
}

// token makes the bot's connect token.
func (b *netBot) token(_ context.Context, s *client.Server) (string, error) {
	if b.target.key == (token.Key{}) {
		return "", errors.New("give the bots a key with --token-key")
	}
	return b.target.key.Issue(token.Claims{Account: b.name, Server: s.Server, Match: s.Match, Protocol: s.Protocol}, time.Now())
}

// run connects and plays until the context or the connection ends. The error is nil if the
// context ended.
func (b *netBot) run(ctx context.Context) error {
	defer b.playing.Store(false)
	game := arena.NewGame()
	c, err := client.Dial(ctx, b.command.URL, game.Rules(), client.Config{ // a front door gives each bot its own server
		Name: b.name, Match: b.command.Match, Level: b.target.world, Reconnect: -1, Transports: []client.Transport{b.connect}, Token: b.token, Queued: func(int) {},
	})
	if err == nil {
		err = b.play(ctx, c, arena.NewPlayerFor(game, c.Client))
		c.Close()
	}
	if err == nil || ctx.Err() != nil {
		return nil
	}
	var refused *client.RefusedError
	var ended *transport.CloseError
	switch {
	case errors.As(err, &refused):
		err = errors.New(refused.Reason)
	case errors.As(err, &ended) && ended.Remote && ended.Reason != "":
		err = errors.New(ended.Reason) // the server's reason
	}
	return fmt.Errorf("%s: %w", b.name, err)
}

// connect is the client.Transport of the flags, with their simulated network.
func (b *netBot) connect(ctx context.Context, s *client.Server) (conn transport.Conn, err error) {
	switch b.command.Transport {
	case "websocket":
		conn, err = client.WebSocket(ctx, s)
	case "udp":
		conn, err = client.UDP(ctx, s)
	case "webtransport":
		var hashes []quicserver.Hash
		if hashes, err = s.Hashes(); err == nil {
			conn, err = quicserver.DialWebTransport(ctx, s.QUIC, hashes)
		}
	default:
		conn, err = client.QUIC(ctx, s)
	}
	n := mem.Network{RTT: b.command.RTT, Jitter: b.command.Jitter, Loss: b.command.Loss}
	if err != nil || n == (mem.Network{}) {
		return conn, err
	}
	return mem.Degrade(conn, n, b.seed), nil
}

// play runs the bot's frame loop. Bots do not look at rigid bodies, so they simulate none.
func (b *netBot) play(ctx context.Context, c *client.Client[arena.Hero, arena.Command], p *arena.Player) error {
	skill := arena.Rookie
	if b.command.Sharp {
		skill = arena.Sharp
	}
	bot := arena.NewBot(skill, b.seed)
	p.NoBodies, bot.Mesh = true, b.target.mesh
	frame := time.NewTicker(time.Second / time.Duration(b.command.Frames))
	defer frame.Stop()
	think := func(now clock.Micros) {
		p.Play(now, bot.Think(p, now))
		b.react(p)
	}
	for {
		if err := c.FrameFunc(think); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-frame.C:
		}
	}
}

// react handles the frame's events.
func (b *netBot) react(p *arena.Player) {
	b.verdicts.note(p, time.Now())
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
