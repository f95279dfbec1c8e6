package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/quic"
	"github.com/backstep-net/backstep/transport/websocket"
)

// Match is what the host needs of a game's match. All its methods are called from
// one goroutine.
type Match interface {
	Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error
	Disconnect(peer session.Peer)
	// Tick plays everything up to match time now and readies what is to be
	// sent.
	Tick(now clock.Micros)
	// Kicked is whom to disconnect after the tick, and why.
	Kicked() []session.Event
	Outgoing() []session.Packet
	// Report is what /api/status shows of the match's players, as JSON. The
	// value must not change afterwards.
	Report() any
}

// Seat is one match on offer.
type Seat struct {
	// Name is what clients ask for; the first match takes who asks for none.
	Name string
	// TickRate in ticks a second.
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
	Web     string
	Version string
	Matches []Seat
	Levels  map[string]Level
	Log     *slog.Logger
}

// Host is a running server.
type Host struct {
	config  Config
	http    net.Listener
	quic    *quic.Listener
	socket  *websocket.Listener
	loops   []*loop
	started time.Time
}

// New opens the ports. It panics where no match is offered.
func New(config Config) (*Host, error) {
	if len(config.Matches) == 0 {
		panic("host: Config.Matches is empty")
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	tcp, err := net.Listen("tcp", config.Addr)
	if err != nil {
		return nil, fmt.Errorf("host: HTTP address %q: %w", config.Addr, err)
	}
	udp, err := quic.Listen(quic.Config{Addr: config.QUIC})
	if err != nil {
		tcp.Close()
		return nil, fmt.Errorf("host: QUIC address %q: %w", config.QUIC, err)
	}
	h := &Host{config: config, http: tcp, quic: udp, started: time.Now()}
	h.socket = websocket.New(websocket.Config{Addr: tcp.Addr()})
	for _, m := range config.Matches {
		h.loops = append(h.loops, newLoop(m, config.Log))
	}
	return h, nil
}

// Addr is the address of HTTP, QUICAddr that of QUIC, as opened.
func (h *Host) Addr() net.Addr { return h.http.Addr() }

// QUICAddr is the address of QUIC and WebTransport, as opened.
func (h *Host) QUICAddr() net.Addr { return h.quic.Addr() }

// Run serves until the context ends; then it says goodbye to everybody and closes
// the ports. The error is nil after an orderly end.
func (h *Host) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := &http.Server{
		Handler:           h.routes(),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       time.Minute,
	}
	var group sync.WaitGroup
	for _, l := range h.loops {
		group.Go(func() { l.run(ctx) })
	}
	for _, door := range []transport.Listener{h.quic, h.socket} {
		group.Go(func() { h.admit(ctx, door) })
	}
	failed := make(chan error, 1)
	group.Go(func() { failed <- server.Serve(h.http) })

	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		err = fmt.Errorf("host: HTTP: %w", err)
	}
	stop()
	for _, l := range h.loops {
		<-l.done // connections are told first
	}
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err = errors.Join(err, h.socket.Close(), h.quic.Close())
	if e := server.Shutdown(grace); e != nil {
		err = errors.Join(err, server.Close())
	}
	group.Wait()
	return err
}

// admit hands each new connection to the match it asks for.
func (h *Host) admit(ctx context.Context, door transport.Listener) {
	for {
		conn, err := door.Accept(ctx)
		if err != nil {
			return
		}
		first := conn.Drain(nil)
		l, err := h.matchFor(first)
		if err != nil {
			h.config.Log.Info("connection refused", "from", conn.Remote(), "kind", conn.Kind(), "why", err)
			conn.Close(err.Error())
			continue
		}
		l.join(conn, first)
	}
}

// matchFor finds the match that a connection's hello asks for.
func (h *Host) matchFor(first []transport.Packet) (*loop, error) {
	for _, p := range first {
		if p.Channel != transport.Stream {
			continue
		}
		name, err := session.MatchOf(p.Bytes)
		if err != nil {
			return nil, err
		}
		for _, l := range h.loops {
			if name == "" || name == l.seat.Name {
				return l, nil
			}
		}
		return nil, fmt.Errorf("host: no match %q here", name)
	}
	return nil, errors.New("host: no hello")
}
