package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/lmittmann/tint"

	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/weaponfile"
)

type serveCommand struct {
	Addr       string   `default:":8080" help:"TCP address of the page, the API and WebSockets; port 0 picks a free one."`
	QUIC       string   `name:"quic" default:":4433" help:"UDP address of QUIC and WebTransport; port 0 picks a free one."`
	Web        string   `type:"path" placeholder:"DIR" help:"Folder of the built page (web/dist). Without it only the API is served."`
	Level      string   `type:"path" placeholder:"FILE" help:"A .glb file to play in instead of the built-in arena."`
	Weapons    string   `type:"path" placeholder:"FILE" help:"A .yaml file of weapons instead of the arena's own."`
	Matches    int      `default:"1" help:"How many matches to run, named arena, arena-2, …; at most 64."`
	Players    int      `default:"32" help:"Players per match, bots included; at most 128."`
	Bots       int      `default:"4" help:"Bots per match."`
	Tick       int      `default:"60" help:"Ticks per second, 10 to 240."`
	Peaceful   bool     `help:"Judge shots but apply no damage."`
	Teams      bool     `help:"Play red against blue; new players join the smaller team."`
	Friendly   float64  `name:"friendly-fire" default:"0" placeholder:"SHARE" help:"Share of damage that applies to team-mates, 0 to 1."`
	Record     string   `type:"path" placeholder:"DIR" help:"Record each match into a file of this folder, for backstep replay."`
	Address    int      `name:"per-address" default:"12" placeholder:"N" help:"Connections that one address may have, besides this machine's own; -1 for any number."`
	Queue      int      `default:"0" placeholder:"N" help:"How many newcomers may wait for a seat in a full match, at most 1024."`
	TokenKey   []string `name:"token-key" type:"path" placeholder:"FILE" help:"A key of connect tokens (backstep token key): then nobody joins without a token. Several keys count side by side."`
	Checkpoint string   `type:"path" placeholder:"DIR" help:"Write each match into a file of this folder once a second, and go on from there after a restart."`
	Verbose    bool     `short:"v" help:"Log every malformed packet too."`
}

// Validate reports invalid flags. Kong calls it.
func (c *serveCommand) Validate() error {
	switch {
	case c.Matches < 1 || c.Matches > 64:
		return fmt.Errorf("--matches=%d: want 1 to 64", c.Matches)
	case c.Players < 1 || c.Players > session.MaxPlayers:
		return fmt.Errorf("--players=%d: want 1 to %d", c.Players, session.MaxPlayers)
	case c.Bots < 0 || c.Bots > c.Players:
		return fmt.Errorf("--bots=%d: want 0 to %d, as many as --players", c.Bots, c.Players)
	case !(c.Friendly >= 0 && c.Friendly <= 1): // false for NaN too
		return fmt.Errorf("--friendly-fire=%g: want a share, 0 to 1", c.Friendly)
	case c.Address < 1 && c.Address != -1:
		return fmt.Errorf("--per-address=%d: want 1 or more, or -1 for any number", c.Address)
	case c.Queue < 0 || c.Queue > session.MaxQueue:
		return fmt.Errorf("--queue=%d: want 0 to %d", c.Queue, session.MaxQueue)
	case c.Record != "" && c.Checkpoint != "":
		return errors.New("--record and --checkpoint exclude each other: a recording begins with an empty match")
	case c.Tick < 10 || c.Tick > 240:
		return fmt.Errorf("--tick=%d: want 10 to 240", c.Tick)
	}
	return nil
}

// Run serves until the context ends.
func (c *serveCommand) Run(ctx context.Context, out output) error {
	if err := c.checkWeb(); err != nil {
		return err
	}
	keys, err := readKeys(c.TokenKey)
	if err != nil {
		return err
	}
	log := c.logger(out.errors)
	model, read, err := c.level()
	if err != nil {
		return err
	}
	hash := read.World.Hash()
	config := host.Config{
		Addr: c.Addr, QUIC: c.QUIC, Web: c.Web, Version: version(), Log: log, Limits: host.Limits{Connections: c.Address}, Tokens: keys,
		Levels: map[string]host.Level{hash: {World: read.World.AppendBinary(nil), Model: model}},
	}
	if c.Checkpoint != "" {
		if config.ResetKey, err = host.OpenCheckpoints(c.Checkpoint); err != nil {
			return fmt.Errorf("--checkpoint: %w", err)
		}
	}
	mesh, err := c.mesh(read)
	if err != nil {
		return err
	}
	weapons, err := c.weapons()
	if err != nil {
		return err
	}
	recorder := recordings{folder: c.Record, log: log}
	for i := range c.Matches {
		match, err := c.restored(matchName(i), log, func() (*arena.Bots, error) {
			return recorder.match(c.match(read, hash, i, mesh, weapons), matchName(i), c.Bots)
		})
		if err != nil {
			return errors.Join(err, recorder.discard())
		}
		config.Matches = append(config.Matches, match)
	}
	h, err := host.New(config)
	if err != nil {
		return errors.Join(withAdvice(err), recorder.discard())
	}
	log.Info("serving", "http", h.Addr(), "quic", h.QUICAddr(), "matches", c.Matches, "version", config.Version)
	fmt.Fprintf(out, "backstep: open %s\n", pageURL(h.Addr()))
	if url := networkURL(h.Addr()); url != "" {
		fmt.Fprintf(out, "backstep: from other machines %s\n", url)
	}
	err = h.Run(ctx)
	log.Info("stopped")
	return errors.Join(err, recorder.close())
}

// restored returns a match with the state of its checkpoint, where there is one.
func (c *serveCommand) restored(name string, log *slog.Logger, newMatch func() (*arena.Bots, error)) (m host.MatchConfig, err error) {
	m = host.MatchConfig{Name: name, TickRate: c.Tick}
	if c.Checkpoint == "" {
		m.Match, err = newMatch()
		return m, err
	}
	m.Checkpoint = host.CheckpointFile(c.Checkpoint, name)
	m.Match, err = host.Restore(m.Checkpoint, log.With("match", name), newMatch)
	return m, err
}

// checkWeb reports a page that has not been built.
func (c *serveCommand) checkWeb() error {
	if c.Web == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(c.Web, "index.html")); err != nil {
		return fmt.Errorf("--web=%s: no page there (make web builds it): %w", c.Web, err)
	}
	return nil
}

// withAdvice adds to the error of a port which flag to change.
func withAdvice(err error) error {
	var a *host.AddressError
	if !errors.As(err, &a) {
		return err
	}
	flag, other, kind := "--addr", ":8081", "TCP"
	if a.Field == "QUIC" {
		flag, other, kind = "--quic", ":4434", "UDP"
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s=%s: that %s port is in use; take another with %s=%s, or %s=:0 for any",
			flag, a.Value, kind, flag, other, flag)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%s=%s: no right to open that port; take one above 1023 with %s=%s", flag, a.Value, flag, other)
	}
	return fmt.Errorf("%s=%s: want an address such as %s or 192.0.2.1%s: %w", flag, a.Value, other, other, a.Err)
}

// logger writes in colour to a terminal, else plain lines that tools can parse.
func (c *serveCommand) logger(to io.Writer) *slog.Logger {
	least := slog.LevelInfo
	if c.Verbose {
		least = slog.LevelDebug
	}
	if f, ok := to.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return slog.New(tint.NewTextHandler(f, &tint.Options{Level: least, TimeFormat: time.TimeOnly}))
		}
	}
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: least}))
}

// level reads the level: the model's bytes and their content.
func (c *serveCommand) level() ([]byte, *level.Level, error) {
	b, name := assets.Arena, "the built-in arena"
	if c.Level != "" {
		var err error
		if b, err = os.ReadFile(c.Level); err != nil {
			return nil, nil, fmt.Errorf("--level: %w", err)
		}
		name = "--level=" + c.Level
	}
	l, err := level.Read(b)
	if err == nil && len(l.Spawns) == 0 {
		err = errors.New("level: no spawn points")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, l, nil
}

// mesh bakes the navigation mesh of all bots; nil without bots. It takes some tenths of a
// second, and all matches have the same level, so it is baked once.
func (c *serveCommand) mesh(l *level.Level) (*nav.Mesh, error) {
	if c.Bots == 0 {
		return nil, nil
	}
	var feet []geom.Vec3
	for _, s := range l.Spawns {
		feet = append(feet, s.Position)
	}
	return arena.Mesh(l.World, feet...)
}

// weapons reads the weapons file; nil means the arena's own weapons.
func (c *serveCommand) weapons() (shot.Table, error) {
	if c.Weapons == "" {
		return nil, nil
	}
	t, err := weaponfile.ReadFile(c.Weapons)
	if err != nil {
		return nil, fmt.Errorf("--weapons: %w", err)
	}
	return t, nil
}

// match returns the configuration of match i. Its seed is i + 1, so matches of one server differ and
// those of the same number on two servers do not.
func (c *serveCommand) match(l *level.Level, hash string, i int, mesh *nav.Mesh, weapons shot.Table) arena.MatchConfig {
	config := arena.MatchConfig{
		ServerConfig: session.ServerConfig{
			World: l.World, LevelHash: hash, TickRate: c.Tick, Players: c.Players, Queue: c.Queue, NewKey: newKey, PlayersBlock: true,
		},
		KillHeight: l.KillHeight, Weapons: weapons, Peaceful: c.Peaceful, Teams: c.Teams, Damage: damage.Rules{Friendly: c.Friendly}, Mesh: mesh, Seed: uint64(i) + 1,
	}
	for _, s := range l.Spawns {
		config.Spawns = append(config.Spawns, arena.Spawn{Position: s.Position, Yaw: s.Yaw})
	}
	for _, t := range l.Entities {
		config.Entities = append(config.Entities, arena.Entity{Kind: t.Kind, Position: t.Position, Yaw: t.Yaw, Half: t.Half, Team: t.Team})
	}
	return config
}

// newKey draws a player's secret key.
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

// pageURL returns the page's address on this machine.
func pageURL(a net.Addr) string {
	where, port, err := net.SplitHostPort(a.String())
	if ip := net.ParseIP(where); err != nil || ip == nil || ip.IsUnspecified() {
		where = "localhost"
	}
	return "http://" + net.JoinHostPort(where, port)
}

// networkURL returns the page's address for other machines of the network, "" if there is
// none: the server listens on one address only, or has no network.
func networkURL(a net.Addr) string {
	where, port, err := net.SplitHostPort(a.String())
	if ip := net.ParseIP(where); err != nil || ip == nil || !ip.IsUnspecified() {
		return ""
	}
	// Connecting UDP sends nothing; it only selects the address that would be used.
	conn, err := net.Dial("udp4", "192.0.2.1:9")
	if err != nil {
		return ""
	}
	defer conn.Close()
	own, _, _ := net.SplitHostPort(conn.LocalAddr().String())
	return "http://" + net.JoinHostPort(own, port)
}
