// Package serve runs a game's match on a server in one line: flags, ports, keys, the level and
// its hash, HTTP, the page, and a clean shutdown. A game supplies its rules and hooks:
//
//	func main() {
//		serve.Main(mygame.Rules(), serve.Config[mygame.Hero, mygame.Command]{
//			Session: session.ServerConfig{World: mygame.Level()},
//			OnJoin:  func(m *serve.Match[mygame.Hero, mygame.Command], e session.Event) { m.SetState(e.Player, mygame.Spawn()) },
//		})
//	}
//
// Start at [Main]; [Run] takes arguments and a context, and [New] leaves ports to the caller. A
// program with matches of different games, or with a match that wraps a [session.Server], uses
// package host directly.
package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/cert"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/fleet"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/setting"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/track"
)

// Config is a game's server. Every function is called from the match's own goroutine, and may be
// nil but for OnJoin.
type Config[S comparable, C any] struct {
	// Session configures the match. World may be nil with a Level; LevelHash, NewKey and
	// Simulate are filled in where they are nil, and by Run and Main Parallel: Workers is then on how
	// many cores the match runs.
	Session session.ServerConfig
	// Level is a GLB file: pages draw it, and its collision geometry is the World unless Session
	// has one. Nil: pages draw what they know of themselves.
	Level []byte
	// Levels are the levels of a match that has several, in place of Level and of Session's World. The match begins on
	// the first; Match.ChangeLevel lets another one begin. Nil: the match has one level. They exclude Record.
	Levels []Level
	// Name is the match's; empty means "match".
	Name string
	// Matches is how many matches the server runs, up to MaxMatches: the default of the flag -matches. They are called
	// Name, Name-2, Name-3, and each has seats, bots, a checkpoint and a recording of its own. Zero means 1; more need
	// Another.
	Matches int
	// Another returns the Config of one more match; it is the function that made this one, so that the hooks of each match
	// have variables of their own: a match has its own goroutine. The Session, the hooks and Think of what it returns
	// count; all else, and every flag, is as in this Config. A server that refuses a checkpoint calls it too. Required
	// with more than one match; nil otherwise lets the match after a refused checkpoint have the same hooks.
	Another func() Config[S, C]
	// Addr, QUIC and Web are the defaults of the flags of those names: the TCP address of the
	// page, the API and WebSockets, the UDP address of QUIC and WebTransport, and the folder of
	// the built page. Empty means ":8080", ":4433" and no page.
	Addr, QUIC, Web string
	// NoUDP is the default of the flag -no-udp: it disables transport/udp, and native clients use QUIC.
	NoUDP bool
	// Checkpoint is a folder into which the match is written every 0.8 s, and in which Run finds it when the
	// server starts again; it is the default of the flag -checkpoint. Empty: none. See OnCheckpoint.
	Checkpoint string
	// Record is a folder in which the match is recorded into a file (package record), named by the time and the
	// match; it is the default of the flag -record. Empty: none. It excludes Checkpoint. The hooks must then
	// depend on nothing but the match, with no clock and no random numbers of their own, or the recording cannot
	// be simulated again.
	Record string
	// Limits bound what one address may do; zero means the defaults. Connections is the default of the flag
	// -per-address.
	Limits host.Limits
	// Bans is a file that stores the bans of the admin port (host.Config.Bans): the default of the flag -bans. Empty
	// keeps them in memory, until the server stops.
	Bans string
	// Tokens are the keys of the connect tokens that players need (package token); the flag -token-key
	// adds one. Empty is open mode: everybody may join under any name.
	Tokens []token.Key
	// Origins are hosts with pages that may join beside the server's own, Proxies the addresses from which
	// X-Forwarded-For names the client, and Public is where players reach QUIC: the defaults of the flags
	// -origin, -proxy and -public, as in host.Config. Zero means none.
	Origins []string
	Proxies []netip.Prefix // see Origins
	Public  string         // see Origins
	// Certificate names the certificate for HTTPS and QUIC: the defaults of the flags -tls-cert,
	// -tls-key, -acme and -acme-dir. Zero means plain HTTP, and for QUIC the server's own certificates.
	Certificate cert.Options

	// Admin is the default of the flag -admin: the TCP address of a port for metrics, profiles, kick and
	// drain (host.Config.Admin). Empty opens none. AdminSecret is the default of the flag -admin-secret: a file
	// whose first line is the secret of that port; empty allows only an address of this machine.
	Admin, AdminSecret string
	// Drain is the default of the flag -drain: how long a server that is stopped lets its match finish
	// (host.Config.Drain). Zero stops at once.
	Drain time.Duration
	// Tracer makes OpenTelemetry spans of joins, checkpoints and draining (host.Config.Tracer). Nil makes none.
	Tracer trace.Tracer
	// OnDrain is called when the server begins to drain, with the time that is left: the game announces it,
	// begins no new round, and calls Match.Finish when nobody loses anything any more. Nil: the match has
	// finished when no player is connected, nor on its way to the next level.
	OnDrain func(m *Match[S, C], left time.Duration)

	// Bots is how many players are bots of the server's own process, which take seats and join first:
	// a game to play at once, also alone. It is the default of the flag -bots. One that is kicked stays away until
	// the server is restarted. Zero: none; more need Think.
	Bots int
	// Think returns what a bot does in a frame, from what its client knows and nothing else, as a
	// player would; it is not called before the bot is placed. It serves all bots, one after another: what one of
	// them remembers belongs into a map by its Client.ID. Required with Bots.
	Think func(c *session.Client[S, C]) C

	// OnStart is called once for each match, before its first tick and before a checkpoint is read into it: there the
	// game makes what belongs to one match, such as its bodies.Server. It is called again for each level that begins
	// (Match.ChangeLevel), of which Match.Level and Match.LevelIndex tell, and without Another for the second match of a
	// server that refuses a checkpoint. Nil does nothing.
	OnStart func(m *Match[S, C])
	// OnJoin is called when a player has joined, or with Reconnected come back: it places a new one with SetState, or
	// leaves it unplaced, a spectator, until a message of the player says its team. Match.IsBot tells the bots. Required.
	OnJoin func(m *Match[S, C], e session.Event)
	// OnLeave is called when a player has left for good; nil does nothing.
	OnLeave func(m *Match[S, C], id session.PlayerID)
	// OnTick is called in each tick, after all moves and shots, before clients are sent what
	// has changed; nil does nothing.
	OnTick func(m *Match[S, C], now clock.Micros)
	// OnShot is called with the verdict on each shot, and on each part of a swing that hit something on either
	// end or was refused: a swing at the air has none. Nil does nothing.
	OnShot func(m *Match[S, C], player session.PlayerID, r *shot.Receipt)
	// OnMessage is called with what a client sent by SendMessage; nil does nothing.
	OnMessage func(m *Match[S, C], player session.PlayerID, b []byte)
	// Simulate is called in each tick after all moves and before the record: there the game moves
	// its entities. Nil: none moves. See session.ServerConfig.Simulate.
	Simulate func(m *Match[S, C], now clock.Micros)
	// OnCheckpoint packs what the game itself keeps of the match, in either direction, beside states, fields and
	// entities: the variables of the hooks, its damage.Ledger, its bodies.Server. Reading, it is called once, after
	// OnStart for the level of the checkpoint and before the first tick. Nil: it keeps nothing, and with a Checkpoint the log warns.
	OnCheckpoint func(m *Match[S, C], p *bits.Packer)

	game string      // its name, in recordings: that of the first match
	read []readLevel // the levels, once they have been read
}

// Match is a match of a game: the session, driven by the host and reported to the game's hooks.
type Match[S comparable, C any] struct {
	// Server is that of the level that is played: each has its own (ChangeLevel).
	*session.Server[S, C]
	// Name is Config.Name, with a number behind it in the further matches of a server; "" outside Run and Main if
	// Config has none.
	Name string
	// Level is the file of the level that is played: spawn points and entities; nil without one.
	Level *level.Level
	// LevelIndex is the index in Config.Levels of the level that is played; 0 if there is one level only.
	LevelIndex int

	game     session.Game[S, C]
	hooks    *Config[S, C]
	next     int          // level that begins with the end of this tick, or unchanged
	backBy   clock.Micros // after a change of the level: when its players are back at the latest
	bots     bots[S, C]
	kicked   []session.Event
	reported []session.Event
	players  []session.PlayerInfo

	finished bool
}

// New returns a match. The error names the field of Config that no match can have and says what to
// do. It panics where the game or Session is misused (session.NewServer).
func New[S comparable, C any](game session.Game[S, C], config Config[S, C]) (*Match[S, C], error) {
	c := &config
	if c.OnJoin == nil {
		return nil, errors.New("serve: Config.OnJoin is nil: it has to place the player, with m.SetState(e.Player, ...)")
	}
	if err := c.readLevels(); err != nil {
		return nil, err
	}
	m := &Match[S, C]{Name: c.Name, game: game, hooks: c}
	if c.Simulate != nil {
		c.Session.Simulate = func(now clock.Micros) { c.Simulate(m, now) }
	}
	m.load(0)
	if err := m.addBots(game); err != nil {
		return nil, err
	}
	m.start()
	return m, nil
}

// Tick implements host.Match.
func (m *Match[S, C]) Tick(now clock.Micros) {
	m.play(now)
	m.Server.Tick(now)
	m.kicked, m.reported = m.kicked[:0], m.reported[:0]
	m.handleEvents()
	if m.hooks.OnTick != nil {
		m.hooks.OnTick(m, now)
		m.handleEvents()
	}
	m.Server.Send()
	m.changeLevel()
}

// handleEvents passes the events to their hooks, also those of what a hook does, such as a Kick. None waits for the
// next tick: a checkpoint after this one has the free seat and not the event, so the game would never hear of it.
func (m *Match[S, C]) handleEvents() {
	for events := m.Server.Events(); len(events) > 0; events = m.Server.Events() {
		for i := range events {
			m.handle(&events[i])
		}
	}
}

// handle passes an event to its hook.
func (m *Match[S, C]) handle(e *session.Event) {
	h := m.hooks
	switch e.Kind {
	case session.Joined:
		m.bots.joined(e)
		m.reported = append(m.reported, *e)
		h.OnJoin(m, *e)
	case session.Left:
		m.bots.left(e.Player)
		if h.OnLeave != nil {
			h.OnLeave(m, e.Player)
		}
	case session.Shot:
		m.reported = append(m.reported, *e)
		if h.OnShot != nil {
			h.OnShot(m, e.Player, &e.Receipt)
		}
	case session.Message:
		if h.OnMessage != nil {
			h.OnMessage(m, e.Player, e.Bytes)
		}
	case session.Kick:
		m.kicked = append(m.kicked, *e)
	case session.TimeDiscrepancy, session.TimeDiscrepancyCleared, session.Mispredicting:
		m.reported = append(m.reported, *e)
	}
}

// Finish says that the match has finished, so that a server that drains may stop (Config.OnDrain).
func (m *Match[S, C]) Finish() { m.finished = true }

// Drain implements host.Drainer.
func (m *Match[S, C]) Drain(left time.Duration) {
	if m.hooks.OnDrain != nil {
		m.hooks.OnDrain(m, left)
	}
}

// Drained implements host.Drainer.
func (m *Match[S, C]) Drained() bool {
	if m.hooks.OnDrain != nil {
		return m.finished
	}
	return !m.hasPlayers() && m.Now() >= m.backBy
}

// hasPlayers reports whether a player is connected that is no bot.
func (m *Match[S, C]) hasPlayers() bool {
	m.players = m.Server.Players(m.players[:0])
	return slices.ContainsFunc(m.players, func(p session.PlayerInfo) bool { return p.Connected && !m.IsBot(p.ID) })
}

// Kicked implements host.Match.
func (m *Match[S, C]) Kicked() []session.Event { return m.kicked }

// HostEvents implements host.EventSource.
func (m *Match[S, C]) HostEvents() []session.Event { return m.reported }

// PlayerReport is a player's part of the admin port's status.
type PlayerReport struct {
	ID      track.ID `json:"id"`             // from 1
	Name    string   `json:"name"`           // as the player gave it
	Ping    int64    `json:"ping"`           // smoothed round trip in milliseconds
	Loss    float64  `json:"loss,omitempty"` // share of its last datagrams that did not come
	Present bool     `json:"present"`        // false while the seat waits for the player to come back
}

// Report implements host.Match.
func (m *Match[S, C]) Report() any {
	m.players = m.Server.Players(m.players[:0])
	list := make([]PlayerReport, 0, len(m.players))
	for i := range m.players {
		p := &m.players[i]
		list = append(list, PlayerReport{ID: p.ID, Name: p.Name, Ping: int64(p.RTT / clock.Millisecond), Loss: p.Loss, Present: p.Connected})
	}
	return list
}

// Main serves until the process is interrupted, and ends it: with exit code 1 and the reason
// where it could not serve, with 2 for wrong flags. With BACKSTEP_DEV in the environment it serves
// only as long as its standard input is open: so it ends with the backstep dev that started it, even
// if that was killed. Without GOGC in the environment garbage is collected a quarter as often as Go does by default.
func Main[S comparable, C any](game session.Game[S, C], config Config[S, C]) {
	setting.CollectSeldom()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if os.Getenv("BACKSTEP_DEV") != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // an end is an end, also by an error
			stop()
		}()
	}
	err := run(ctx, game, config, command{os.Args[1:], os.Environ(), os.Stdout, os.Stderr})
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.As(err, new(flagError)) {
		os.Exit(2)
	}
	os.Exit(1)
}

// flagError is a command line with a wrong flag.
type flagError struct{ error }

// Error says what is wrong with which flag, and where the flags are listed.
func (e flagError) Error() string { return "serve: " + e.error.Error() + ": see -help" }

// Run is Main with a context that ends it, the arguments after the program's name, and where to
// log. It does not read the environment.
func Run[S comparable, C any](ctx context.Context, game session.Game[S, C], config Config[S, C], args []string, log io.Writer) error {
	return run(ctx, game, config, command{args, nil, log, log})
}

// run is Run with an environment, and with another writer for what -check-config prints.
func run[S comparable, C any](ctx context.Context, game session.Game[S, C], config Config[S, C], from command) error {
	f, err := parse(&config, from)
	if err != nil {
		return err
	}
	logger := f.logger(from.log)
	if f.check {
		return f.report(config.AdminSecret, config.Certificate, logger, from.out)
	}
	all, err := openMatches(game, &config, logger)
	if err != nil {
		return errors.Join(err, all.close(false, logger))
	}
	h, err := all.host(logger)
	if err != nil {
		return errors.Join(namingFlag(err), all.close(false, logger))
	}
	serving := []any{"http", h.Addr().String(), "quic", h.QUICAddr().String(), "matches", len(all.list)}
	if admin := h.AdminAddr(); admin != nil {
		serving = append(serving, "admin", admin.String())
	}
	logger.Info("serving", serving...)
	err = fleet.Run(ctx, fleet.Config{Rooms: len(all.list), Players: all.seats(), Log: logger}, h)
	logger.Info("stopped")
	return errors.Join(err, all.close(true, logger))
}

// namingFlag adds to the error of a port or a folder the flag that names another.
func namingFlag(err error) error {
	var a *host.AddressError
	switch {
	case !errors.As(err, &a):
		return err
	case a.Field == "Addr" || a.Field == "QUIC":
		return fmt.Errorf("serve: take another port with -addr or -quic, 0 for any: %w", err)
	case a.Field == "Admin":
		return fmt.Errorf("serve: -admin=%s: %w; see -admin-secret", a.Value, a.Err)
	}
	return fmt.Errorf("serve: -%s=%s: %w", strings.ToLower(a.Field), a.Value, a.Err)
}
