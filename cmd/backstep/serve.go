package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/lmittmann/tint"

	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/session"
)

type serveCommand struct {
	Addr     string `default:":8080" help:"TCP address of the page and the API; port 0 picks a free one."`
	QUIC     string `name:"quic" default:":4433" help:"UDP address of QUIC and WebTransport."`
	Web      string `type:"path" help:"Folder of the built page (web/dist). Without it there is only the API."`
	Level    string `type:"path" help:"A .glb file to play in instead of the built-in arena."`
	Matches  int    `default:"1" help:"How many matches to run, named arena, arena-2, …"`
	Players  int    `default:"16" help:"Seats in each match, bots included; at most 64."`
	Bots     int    `default:"4" help:"Bots in each match."`
	Tick     int    `default:"60" help:"Ticks a second."`
	Peaceful bool   `help:"Judge shots but take no health."`
	Verbose  bool   `short:"v" help:"Log every bad packet too."`
}

// check reports flags that make no sense.
func (c *serveCommand) check() error {
	switch {
	case c.Matches < 1 || c.Matches > 64:
		return fmt.Errorf("--matches=%d: 1 to 64", c.Matches)
	case c.Players < 1 || c.Players > session.MaxPlayers:
		return fmt.Errorf("--players=%d: 1 to %d", c.Players, session.MaxPlayers)
	case c.Bots < 0 || c.Bots > c.Players:
		return fmt.Errorf("--bots=%d: 0 to --players=%d", c.Bots, c.Players)
	case c.Tick < 10 || c.Tick > 240:
		return fmt.Errorf("--tick=%d: 10 to 240", c.Tick)
	}
	return nil
}

// Run serves until the context ends.
func (c *serveCommand) Run(ctx context.Context, out output) error {
	if err := c.check(); err != nil {
		return err
	}
	log := c.logger()
	model, read, err := c.level()
	if err != nil {
		return err
	}
	hash := read.World.Hash()
	config := host.Config{
		Addr: c.Addr, QUIC: c.QUIC, Web: c.Web, Version: version(), Log: log,
		Levels: map[string]host.Level{hash: {World: read.World.AppendBinary(nil), Model: model}},
	}
	for i := range c.Matches {
		config.Matches = append(config.Matches, host.Seat{
			Name: matchName(i), TickRate: c.Tick, Level: hash,
			Match: arena.NewCrew(c.match(read, hash, i), c.Bots, arena.Rookie),
		})
	}
	h, err := host.New(config)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "backstep: open %s\n", pageURL(h.Addr()))
	err = h.Run(ctx)
	log.Info("stopped")
	return err
}

func (c *serveCommand) logger() *slog.Logger {
	least := slog.LevelInfo
	if c.Verbose {
		least = slog.LevelDebug
	}
	if f, err := os.Stderr.Stat(); err == nil && f.Mode()&os.ModeCharDevice != 0 {
		return slog.New(tint.NewHandler(os.Stderr, &tint.Options{Level: least, TimeFormat: time.TimeOnly}))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: least}))
}

// level reads the level to play in: the model's bytes and what is in them.
func (c *serveCommand) level() ([]byte, *level.Level, error) {
	b, name := assets.Arena, "the built-in arena"
	if c.Level != "" {
		var err error
		if b, err = os.ReadFile(c.Level); err != nil {
			return nil, nil, err
		}
		name = c.Level
	}
	l, err := level.Read(b)
	if err == nil && len(l.Spawns) == 0 {
		err = fmt.Errorf("level: no spawn points")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, l, nil
}

func (c *serveCommand) match(l *level.Level, hash string, i int) *arena.Match {
	config := arena.MatchConfig{
		ServerConfig: session.ServerConfig{
			World: l.World, LevelHash: hash, TickRate: c.Tick, Players: c.Players, NewKey: newKey,
		},
		KillHeight: l.KillHeight, Peaceful: c.Peaceful, Seed: uint64(i) + 1,
	}
	for _, s := range l.Spawns {
		config.Spawns = append(config.Spawns, arena.Spawn{Position: s.Position, Yaw: s.Yaw})
	}
	return arena.NewMatch(config)
}

// newKey draws a player's secret.
func newKey() (k session.Key) {
	rand.Read(k[:]) // never fails
	return k
}

func matchName(i int) string {
	if i == 0 {
		return "arena"
	}
	return fmt.Sprintf("arena-%d", i+1)
}

// pageURL is the address to open on this machine.
func pageURL(a net.Addr) string {
	where, port, err := net.SplitHostPort(a.String())
	if ip := net.ParseIP(where); err != nil || ip == nil || ip.IsUnspecified() {
		where = "localhost"
	}
	return "http://" + net.JoinHostPort(where, port)
}
