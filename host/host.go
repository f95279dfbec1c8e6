package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/quic/quicserver"
	"github.com/backstep-net/backstep/transport/websocket"
)

// Match is what the host needs of a game's match. All methods are called from one
// goroutine. A panic in any of them ends this match only: the host logs it with its stack,
// closes the match's connections with a reason, and keeps the other matches running.
type Match interface {
	// Identify says who a peer is, before its hello is passed to Receive. The session.Server does what
	// there is to do.
	Identify(peer session.Peer, who session.Identity)
	// Receive handles a packet that arrived at that match time, which is at most the time
	// of the next tick. The host logs the error.
	Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error
	// Disconnect removes a peer whose connection has ended or that was kicked. Receive is
	// not called for it any more.
	Disconnect(peer session.Peer)
	// Tick advances the match to match time now and prepares the outgoing packets. Ticks
	// that came due while the previous one was late are skipped.
	Tick(now clock.Micros)
	// Kicked returns the peers to disconnect after the tick, with the reasons. Their
	// outgoing packets are still sent: the connections close a quarter of a second later.
	Kicked() []session.Event
	// Outgoing returns the packets to send after the tick. All datagrams of one peer are
	// adjacent.
	Outgoing() []session.Packet
	// Report returns the players' part of /api/status, as a value to be written as JSON.
	// With details it is for requests from this machine; without, it omits what gives
	// players an advantage, such as positions. The value must not change afterwards.
	Report(details bool) any
	// Format returns a hash of how the game packs its commands and states, and LevelHash the
	// hash by which clients fetch the level. Both are the session.Server's and never change;
	// the host calls them from any goroutine.
	Format() uint32
	LevelHash() string // see Format
}

// EventSource is a Match that has events for the server's log.
type EventSource interface {
	// LoggedEvents is called after each tick. The host logs session.Joined, with the player's
	// address, and session.TimeDiscrepancy and session.TimeDiscrepancyCleared as warnings, at most
	// one per player in 10 s. It ignores other kinds.
	LoggedEvents() []session.Event
}

// MatchConfig is one match that a Host runs.
type MatchConfig struct {
	// Name is what clients ask for, unique among the matches and required. A client that names
	// no match gets the first one.
	Name string
	// TickRate in ticks per second. Zero means 60, as in session.ServerConfig.
	TickRate int
	Match    Match // required; it has the hash of its level
	// Checkpoint is the file into which the match is written once a second, off the tick, and a last time when
	// the server stops: a Checkpointer, which Restore has made. It begins at the match time that it has then.
	// Its folder must be there. "" writes none.
	Checkpoint string
}

// Level is what clients fetch by hash.
type Level struct {
	// World is the packed collision world, and Model the GLB file that a page draws.
	World, Model []byte
}

// Config configures a Host.
type Config struct {
	// Addr is the TCP address of HTTP, "host:port"; port 0 picks a free one,
	// and so does "".
	Addr string
	// QUIC is the UDP address of QUIC and WebTransport; port 0 or "" picks a free one.
	QUIC string
	// Web is the folder of the built page; "" serves none.
	Web string
	// Version is shown in the status; "" is shown as it is.
	Version string
	Matches []MatchConfig // at least one is required
	// Levels are the levels of the matches, by hash. Nil serves none.
	Levels map[string]Level
	// Limits bound what one address may do; zero means the defaults.
	Limits Limits
	// Tokens are the keys of the connect tokens that players need to join (package token); any of them
	// counts. Empty is open mode: everybody may join under any name, which is for local play.
	Tokens []token.Key
	// ResetKey lets QUIC clients notice at once that the server was started again, if it stays the same; see
	// OpenCheckpoints. All zero means none: they notice after the idle timeout.
	ResetKey [32]byte
	// Log is nil for none. Of lines of one kind about one address a few are written in 10 s, and one that
	// counts the others. Connects and disconnects are logged as Info, malformed packets
	// as Debug, time discrepancies as Warn (see EventSource), a failed match as Error.
	Log *slog.Logger
	// Hello is how long a connection may take to send its first message; zero means
	// transport.HelloTimeout.
	Hello time.Duration
}

// check panics on an invalid Config: it comes from the program, not from a user.
func (c *Config) check() {
	if len(c.Matches) == 0 {
		panic("host: Config.Matches is empty: give it at least one match")
	}
	names := map[string]bool{}
	for _, m := range c.Matches {
		if m.Match == nil || m.TickRate < 0 || m.Name == "" || names[m.Name] {
			panic("host: each of Config.Matches needs a Match, a TickRate of at least 0 and a Name of its own")
		}
		if _, ok := m.Match.(Checkpointer); !ok && m.Checkpoint != "" {
			panic("host: a MatchConfig with a Checkpoint needs a Match that is a Checkpointer")
		}
		if hash := m.Match.LevelHash(); !isHash(hash) {
			panic(fmt.Sprintf("host: match %q: the hash of its level is %q, with which no client finds it; "+
				"set session.ServerConfig.LevelHash to World.Hash()", m.Name, hash))
		}
		names[m.Name] = true
	}
}

// isHash reports whether clients take this for the hash of a level: 1 to 128 letters,
// digits, "-" and "_", since it is a part of a URL.
func isHash(s string) bool {
	for _, r := range s {
		if !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_') {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= 128
}

// AddressError reports that a port could not be opened or a folder not be served, and which
// field of Config named it.
type AddressError struct {
	Field string // "Addr", "QUIC" or "Web"
	Value string // the field's value
	Err   error  // why it could not be opened or served
}

// Error names the field and the value.
func (e *AddressError) Error() string {
	return fmt.Sprintf("host: Config.%s %q: %v", e.Field, e.Value, e.Err)
}

// Unwrap returns the system's error.
func (e *AddressError) Unwrap() error { return e.Err }

// Host is a server. Make it with New, then call Run once.
type Host struct {
	config  Config
	http    net.Listener
	quic    *quicserver.Listener
	id      string         // this start of the server, as tokens name it
	tokens  *token.Checker // nil in open mode
	door    *door
	quiet   *quiet // the handler of config.Log
	socket  *websocket.Listener
	loops   []*loop
	levels  map[string]*levelFiles
	page    *page // nil without one
	started time.Time
}

// New opens the ports; Run serves and closes them. The error is an [*AddressError]. New
// panics on an invalid Config.Matches.
func New(config Config) (*Host, error) {
	config.check()
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	quiet := newQuiet(config.Log.Handler())
	config.Log = slog.New(quiet)
	h := &Host{config: config, id: newID(), quiet: quiet, door: newDoor(config.Limits), started: time.Now(), levels: map[string]*levelFiles{}}
	if config.Web != "" {
		if _, err := os.ReadDir(config.Web); err != nil {
			return nil, &AddressError{"Web", config.Web, err}
		}
		h.page = newPage(config.Web)
	}
	if len(config.Tokens) > 0 {
		h.tokens = token.NewChecker(config.Tokens, h.id)
	}
	var err error
	if h.http, err = net.Listen("tcp", config.Addr); err != nil {
		return nil, &AddressError{"Addr", config.Addr, err}
	}
	if h.quic, err = quicserver.Listen(quicserver.Config{Addr: config.QUIC, Hello: config.Hello, ResetKey: config.ResetKey}); err != nil {
		h.http.Close()
		return nil, &AddressError{"QUIC", config.QUIC, err}
	}
	h.socket = websocket.New(websocket.Config{Addr: h.http.Addr(), Hello: config.Hello})
	for _, m := range config.Matches {
		h.loops = append(h.loops, newLoop(m, h.door, config.Log))
	}
	for hash, l := range config.Levels {
		h.levels[hash] = newLevelFiles(hash, l)
	}
	return h, nil
}

// newID returns a name for this start of the server: 128 random bits in hex.
func newID() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// onlyLocal reports whether only this machine reaches the server.
func (h *Host) onlyLocal() bool {
	for _, a := range []net.Addr{h.http.Addr(), h.quic.Addr()} {
		if !loopback(hostOf(a.String())) {
			return false
		}
	}
	return true
}

// Addr is the TCP address of HTTP, as opened.
func (h *Host) Addr() net.Addr { return h.http.Addr() }

// QUICAddr is the UDP address of QUIC and WebTransport, as opened.
func (h *Host) QUICAddr() net.Addr { return h.quic.Addr() }

// Run serves until the context ends. Then it closes every connection with a reason and
// closes the ports, which takes about two seconds at most. The error is nil after an
// orderly end, and not nil when HTTP could not be served or when the last match has failed.
func (h *Host) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := h.server()
	if h.tokens == nil && !h.onlyLocal() {
		h.config.Log.Warn("open mode: everybody who reaches this server may join under any name; see docs/howto/tokens.md")
	}
	var matches, group sync.WaitGroup
	for _, l := range h.loops {
		matches.Go(func() { l.run(ctx) })
	}
	for _, door := range []transport.Listener{h.quic, h.socket} {
		group.Go(func() { h.admit(ctx, door) })
	}
	served, ended := make(chan error, 1), make(chan struct{})
	group.Go(func() { served <- server.Serve(h.http) })
	group.Go(func() { matches.Wait(); close(ended) })

	var err error
	select {
	case <-ctx.Done():
	case <-ended: // all matches have failed, or the context has ended
		if ctx.Err() == nil {
			err = errors.New("host: every match has failed")
		}
	case e := <-served:
		err = fmt.Errorf("host: HTTP: %w", e)
	}
	stop()
	<-ended // every connection has its reason
	err = errors.Join(err, h.close(server))
	group.Wait()
	h.quiet.flush()
	return err
}

// server returns the HTTP server. Its timeouts do not affect WebSockets, which are
// hijacked.
func (h *Host) server() *http.Server {
	return &http.Server{
		Handler:           h.routes(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      2 * time.Minute, // a level over a slow link
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(h.config.Log.Handler(), slog.LevelWarn),
	}
}

// close closes all ports at the same time, since each close waits for its clients.
func (h *Host) close(server *http.Server) error {
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	var group sync.WaitGroup
	var errs [3]error
	group.Go(func() { errs[0] = h.socket.Close() })
	group.Go(func() { errs[1] = h.quic.Close() })
	group.Go(func() {
		if server.Shutdown(grace) != nil { // a download is still running
			errs[2] = server.Close()
		}
	})
	group.Wait()
	return errors.Join(errs[:]...)
}
