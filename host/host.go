package host

import (
	"context"
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
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/quic"
	"github.com/backstep-net/backstep/transport/websocket"
)

// Match is what the host needs of a game's match. All its methods are called from
// one goroutine. A panic in any of them ends this match: it is logged with its
// stack, the match's connections are told, and the other matches play on.
type Match interface {
	// Receive takes a packet that arrived at that match time, at most the time
	// of the tick that follows. The error goes to the log.
	Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error
	// Disconnect tells that a peer is gone, or as good as gone after a kick:
	// nothing more is received from it.
	Disconnect(peer session.Peer)
	// Tick plays everything up to match time now and readies what is to be
	// sent. Ticks that came due while the one before was late are skipped.
	Tick(now clock.Micros)
	// Kicked is whom to disconnect after the tick, and why. What Outgoing has
	// for them is still sent: they are closed a quarter of a second later.
	Kicked() []session.Event
	// Outgoing is what to send after the tick, all of one peer's datagrams in
	// a row.
	Outgoing() []session.Packet
	// Report is what /api/status shows of the match's players, as JSON: with
	// details for whoever asks from this machine, else without what gives
	// players away, such as where they are. The value must not change
	// afterwards.
	Report(details bool) any
}

// Noter is a Match with something to say to whoever runs the server.
type Noter interface {
	// Notable is asked after each tick: session's events Ahead and Even, of players
	// whose time runs ahead of the match's, are logged as warnings, of one player once in
	// 10 s at most. Others are passed over.
	Notable() []session.Event
}

// Seat is one match on offer.
type Seat struct {
	// Name is what clients ask for, each name once; the first match takes who
	// asks for none.
	Name string
	// TickRate in ticks a second, at least 1.
	TickRate int
	// Level is the hash of its level.
	Level string
	Match Match
}

// Level is what clients fetch by hash: the packed world they collide with, and
// the model that a page shows.
type Level struct{ World, Model []byte }

// Config is what a Host serves.
type Config struct {
	// Addr is the TCP address of HTTP, "host:port"; port 0 picks a free one.
	Addr string
	// QUIC is the UDP address of QUIC and WebTransport.
	QUIC string
	// Web is the folder of the built page; "" serves none.
	Web string
	// Version is what the status shows.
	Version string
	Matches []Seat
	// Levels are those of the matches, by hash.
	Levels map[string]Level
	// Log is nil for none. A connection's beginning and end are Info, its bad
	// packets Debug, a player whose time runs ahead Warn (see Noter), a failed match
	// Error.
	Log *slog.Logger
	// Hello is how long a connection may take to say something; zero means
	// transport.HelloDeadline.
	Hello time.Duration
}

// check panics on a Config that makes no sense: it is the program's, not the
// user's.
func (c *Config) check() {
	if len(c.Matches) == 0 {
		panic("host: Config.Matches is empty")
	}
	names := map[string]bool{}
	for _, m := range c.Matches {
		if m.Match == nil || m.TickRate < 1 || m.Name == "" || names[m.Name] {
			panic("host: each of Config.Matches needs a Match, a TickRate and a Name of its own")
		}
		names[m.Name] = true
	}
}

// AddressError tells that a port could not be opened, or a folder not be served:
// which field of Config it was.
type AddressError struct {
	Field string // "Addr", "QUIC" or "Web"
	Value string
	Err   error
}

// Error names the field and the value.
func (e *AddressError) Error() string {
	return fmt.Sprintf("host: Config.%s %q: %v", e.Field, e.Value, e.Err)
}

// Unwrap gives the system's own error.
func (e *AddressError) Unwrap() error { return e.Err }

// Host is a server. Make it with New, then Run it, once.
type Host struct {
	config  Config
	http    net.Listener
	quic    *quic.Listener
	socket  *websocket.Listener
	loops   []*loop
	levels  map[string]*levelFiles
	page    *page // nil without
	started time.Time
}

// New opens the ports; Run serves them, and closes them. The error is an
// [*AddressError]. It panics where Config.Matches makes no sense.
func New(config Config) (*Host, error) {
	config.check()
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	h := &Host{config: config, started: time.Now(), levels: map[string]*levelFiles{}}
	if config.Web != "" {
		if _, err := os.ReadDir(config.Web); err != nil {
			return nil, &AddressError{"Web", config.Web, err}
		}
		h.page = newPage(config.Web)
	}
	var err error
	if h.http, err = net.Listen("tcp", config.Addr); err != nil {
		return nil, &AddressError{"Addr", config.Addr, err}
	}
	if h.quic, err = quic.Listen(quic.Config{Addr: config.QUIC, Hello: config.Hello}); err != nil {
		h.http.Close()
		return nil, &AddressError{"QUIC", config.QUIC, err}
	}
	h.socket = websocket.New(websocket.Config{Addr: h.http.Addr(), Hello: config.Hello})
	for _, m := range config.Matches {
		h.loops = append(h.loops, newLoop(m, config.Log))
	}
	for hash, l := range config.Levels {
		h.levels[hash] = newLevelFiles(hash, l)
	}
	return h, nil
}

// Addr is the TCP address of HTTP, as opened.
func (h *Host) Addr() net.Addr { return h.http.Addr() }

// QUICAddr is the UDP address of QUIC and WebTransport, as opened.
func (h *Host) QUICAddr() net.Addr { return h.quic.Addr() }

// Run serves until the context ends; then it says goodbye to everybody and closes
// the ports, which takes at most about two seconds. The error is nil after an
// orderly end; it is one when HTTP could not be served, or when the last match
// has failed, since then there is nothing left to serve.
func (h *Host) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := h.server()
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
	case <-ended: // by themselves, or by the context too
		if ctx.Err() == nil {
			err = errors.New("host: no match is left: all have failed")
		}
	case e := <-served:
		err = fmt.Errorf("host: HTTP: %w", e)
	}
	stop()
	<-ended // connections have been told why
	err = errors.Join(err, h.close(server))
	group.Wait()
	return err
}

// server is the HTTP server. Its timeouts do not touch WebSockets, which are
// hijacked.
func (h *Host) server() *http.Server {
	return &http.Server{
		Handler:           h.routes(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      2 * time.Minute, // a level, over a bad line
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(h.config.Log.Handler(), slog.LevelWarn),
	}
}

// close closes the ports, all at once: each goodbye takes its time.
func (h *Host) close(server *http.Server) error {
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	var group sync.WaitGroup
	var errs [3]error
	group.Go(func() { errs[0] = h.socket.Close() })
	group.Go(func() { errs[1] = h.quic.Close() })
	group.Go(func() {
		if server.Shutdown(grace) != nil { // somebody still downloads
			errs[2] = server.Close()
		}
	})
	group.Wait()
	return errors.Join(errs[:]...)
}
