package host

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/origin"
	"github.com/backstep-net/backstep/transport/quic/quicserver"
	"github.com/backstep-net/backstep/transport/udp/udpserver"
	"github.com/backstep-net/backstep/transport/websocket"
)

// Match is what the host needs of a game's match. All methods are called from one
// goroutine. A panic in any of them ends this match only: the host logs it with its stack,
// closes the match's connections with a reason, and keeps the other matches running.
type Match interface {
	// Identify tells the match the identity of a peer, before its hello is passed to Receive. Pass it on to
	// session.Server.Identify: a match that ignores it admits players without a token, and new ones while the
	// server drains.
	Identify(peer session.Peer, who session.Identity)
	// Receive handles a packet that arrived at that match time, which is after that of the next tick if
	// the tick begins late. The host logs the error. The bytes of a datagram are the host's again when it returns.
	Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error
	// Disconnect removes a peer whose connection has ended or that was kicked. Receive is
	// not called for it any more.
	Disconnect(peer session.Peer)
	// Tick advances the match to match time now and prepares the outgoing packets. Ticks
	// that came due while the previous one was late are skipped, and while nobody has been
	// connected for 10 s there are only ten a second.
	Tick(now clock.Micros)
	// Kicked returns the peers to disconnect after the tick, with the reasons. Their
	// outgoing packets are still sent: the connections close a quarter of a second later.
	Kicked() []session.Event
	// Outgoing returns the packets to send after the tick. All datagrams of one peer are
	// adjacent.
	Outgoing() []session.Packet
	// Report returns the players' part of the admin port's status, as a value to be written as JSON. The public
	// port shows nothing of it. The value must not change afterwards.
	Report() any
	// Format returns a hash of how the game packs its commands and states. It is the session.Server's and never
	// changes; the host calls it from any goroutine.
	Format() uint32
	// LevelHash returns the hash by which clients fetch the level, one of Config.Levels. A match may change it in
	// Tick; then it also kicks everybody, and clients that reconnect get the new level.
	LevelHash() string
}

// EventSource is a Match that has events for the server's log and metrics.
type EventSource interface {
	// HostEvents is called after each tick. The host counts session.Shot, and logs session.Joined, with the player's
	// address, and session.Mispredicting, session.TimeDiscrepancy and session.TimeDiscrepancyCleared as warnings, at most
	// one per player in 10 s. It ignores other kinds.
	HostEvents() []session.Event
}

// MatchConfig is one match that a Host runs.
type MatchConfig struct {
	// Name is what clients ask for, unique among the matches and required. A client that names
	// no match gets the first one.
	Name string
	// TickRate in ticks per second. Zero means 60, as in session.ServerConfig.
	TickRate int
	Match    Match // required; it has the hash of its level
	// Checkpoint is the file into which the match is written every 0.8 s, off the tick, and a last time when
	// the server stops: a Checkpointer, which Restore has made. It begins at the match time that it has then.
	// Its folder must be there. "" writes none.
	Checkpoint string
	// Ticked is called after each tick by the match's goroutine, with how long the tick took and how long after it was
	// due it began. Nil is not called.
	Ticked func(took, late time.Duration)
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
	// QUIC is the UDP address of QUIC, WebTransport and transport/udp; port 0 or "" picks a free one.
	QUIC string
	// NoUDP disables transport/udp; native clients then use QUIC, which costs more.
	NoUDP bool
	// Web is the folder of the built page; "" serves none.
	Web string
	// Version is shown in the status; "" is shown as it is.
	Version string
	Matches []MatchConfig // at least one is required
	// Levels are the levels of the matches, by hash. Nil serves none.
	Levels map[string]Level
	// Limits bound what one address may do; zero means the defaults.
	Limits Limits
	// Bans is a file of the bans that Host.Ban makes, so that they outlive the process. "" keeps them in
	// memory.
	Bans string
	// Tokens are the keys of the connect tokens that players need to join (package token); any of them
	// counts. Empty is open mode: everybody may join under any name, which is for local play.
	Tokens []token.Key
	// Origins are the hosts with pages that may join and show the page in a frame, beside the server's own:
	// "game.example", "*.game.example", "*" (origin.Check). Nil allows no others.
	Origins []string
	// Proxies are the addresses from which X-Forwarded-For names the client. Nil trusts none, and the
	// header means nothing.
	Proxies []netip.Prefix
	// Public is "host" or "host:port" at which players reach QUIC. "" means the host of their request and
	// the port that was opened.
	Public string
	// Certificate returns the certificate of an authority for a handshake: HTTP is then HTTPS on the same
	// port, and QUIC has the same certificate. Package cert makes such functions. Nil means plain HTTP,
	// and for QUIC certificates of the server's own.
	Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)
	// ResetKey lets QUIC clients notice at once that the server was started again, if it stays the same; see
	// OpenCheckpoints. All zero means none: they notice after the idle timeout.
	ResetKey [32]byte
	// Log receives log lines; nil discards them. Lines are limited by kind and address: a few in 10 s, and one
	// that counts the others. Connects and disconnects are logged as Info, malformed packets as Debug, time
	// discrepancies as Warn (see EventSource), a failed match as Error.
	Log *slog.Logger
	// Tracer makes OpenTelemetry spans: of each join, from the hello to the seat, of each checkpoint that is written,
	// and of draining. Nil makes none.
	Tracer trace.Tracer
	// Admin is the TCP address of a port for the operator of the server: metrics for Prometheus, profiles, the
	// players' details, kick and drain, and a page that shows them. "" opens none. AdminSecret is the required
	// bearer token, or password of any user; "" allows only an address of this machine.
	Admin, AdminSecret string
	// Drain is the longest time that a stopping server waits for its matches to finish (Drainer), after the end
	// of Run's context or a call of Host.Drain. It refuses new players, and those in a queue, meanwhile. Zero stops at once.
	Drain time.Duration
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
	for _, o := range c.Origins {
		if err := origin.CheckPattern(o); err != nil {
			panic("host: Config.Origins: " + err.Error())
		}
	}
	if c.Public != "" && !origin.ValidHost(origin.HostOf(c.Public)) {
		panic(fmt.Sprintf(`host: Config.Public is %q: give "host" or "host:port"`, c.Public))
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
	Field string // "Addr", "QUIC", "Admin", "Bans" or "Web"
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
	config         Config
	gate           *gate // the listener of HTTP
	quic           *quicserver.Listener
	udp            *udpserver.Listener // on the socket of quic; nil without it
	id             string              // this start of the server, as tokens name it
	tokens         *token.Checker      // nil in open mode
	door           *door
	bans           bans
	quiet          *quiet // the handler of config.Log
	socket         *websocket.Listener
	loops          []*loop
	ticks          *ticks
	levels         map[string]*levelFiles
	downloads      *downloads
	page           *page // nil without one
	started        time.Time
	draining       drain
	told           atomic.Int32 // connections whose refusal is on its way
	admin          *admin       // nil without one
	certificateEnd certificateEnd
}

// New opens the ports; Run serves and closes them. The error is an [*AddressError]. New
// panics on an invalid Config.Matches.
func New(config Config) (*Host, error) {
	config.check()
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if config.Tracer == nil {
		config.Tracer = noTracer
	}
	quiet := newQuiet(config.Log.Handler())
	config.Log = slog.New(quiet)
	h := &Host{config: config, id: newID(), quiet: quiet, door: newDoor(config.Limits), started: time.Now(), ticks: newTicks(newAlarm()), levels: map[string]*levelFiles{}}
	h.ticks.late.log = config.Log
	h.config.Certificate = h.certificateEnd.watched(config.Certificate)
	h.draining.begun = make(chan struct{})
	h.downloads = newDownloads(config.Limits.Loopback)
	if len(config.Tokens) > 0 {
		h.tokens = token.NewChecker(config.Tokens, h.id)
	}
	if err := h.open(); err != nil {
		h.abandon()
		return nil, err
	}
	h.socket = websocket.New(websocket.Config{Addr: h.Addr(), Hello: config.Hello, Origins: config.Origins})
	for _, m := range config.Matches {
		l := newLoop(m, h.door, h.ticks, &h.draining, config.Log)
		l.tracer = config.Tracer
		if h.admin != nil {
			l.metrics = h.admin.metrics.forMatch(m.Name)
		}
		h.loops = append(h.loops, l)
	}
	h.ticks.loops.Store(&h.loops)
	for hash, l := range config.Levels {
		h.levels[hash] = newLevelFiles(hash, l)
	}
	return h, nil
}

// open reads the bans and opens the page and the ports. After an error abandon closes those that are open.
func (h *Host) open() error {
	c := &h.config
	h.bans.file = c.Bans
	if err := h.bans.read(); err != nil {
		return &AddressError{"Bans", c.Bans, err}
	}
	if c.Web != "" {
		if _, err := os.ReadDir(c.Web); err != nil {
			return &AddressError{"Web", c.Web, err}
		}
		h.page = newPage(c.Web)
	}
	if c.Admin != "" {
		if err := h.openAdmin(); err != nil {
			return err
		}
	}
	tcp, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return &AddressError{"Addr", c.Addr, err}
	}
	h.gate = newGate(tcp, c.Limits, c.Proxies, c.Log)
	h.gate.refused = h.refused
	if err := h.openUDP(); err != nil {
		return &AddressError{"QUIC", c.QUIC, err}
	}
	return nil
}

// abandon closes what a host that is not run has opened, but for UDP.
func (h *Host) abandon() {
	h.ticks.alarm.close()
	if h.admin != nil {
		h.admin.listener.Close()
	}
	if h.gate != nil {
		h.gate.Close()
	}
}

// openUDP opens the UDP port for QUIC, and for transport/udp on the same socket.
func (h *Host) openUDP() (err error) {
	c := quicserver.Config{
		Addr: h.config.QUIC, Hello: h.config.Hello, Origins: h.config.Origins, Certificate: h.config.Certificate, ResetKey: h.config.ResetKey,
	}
	if !h.config.NoUDP {
		if h.udp, err = udpserver.Listen(udpserver.Config{Addr: h.config.QUIC, Hello: h.config.Hello, Rest: h.ticks.rest, Held: true, Shared: true}); err != nil {
			return err
		}
		c.Socket = h.udp.Socket()
	}
	if h.quic, err = quicserver.Listen(c); err != nil && h.udp != nil {
		h.udp.Close()
		h.udp.Socket().Close()
	}
	return err
}

// closeUDP closes both; that which reads the socket last.
func (h *Host) closeUDP() (err error) {
	if h.udp != nil {
		err = h.udp.Close()
	}
	return errors.Join(err, h.quic.Close())
}

// listeners are those whose connections may join.
func (h *Host) listeners() []transport.Listener {
	if h.udp == nil {
		return []transport.Listener{h.quic, h.socket}
	}
	return []transport.Listener{h.quic, h.socket, h.udp}
}

// newID returns a name for this start of the server: 128 random bits in hex.
func newID() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// onlyLocal reports whether only this machine reaches the server.
func (h *Host) onlyLocal() bool {
	for _, a := range []net.Addr{h.Addr(), h.QUICAddr()} {
		if !origin.Loopback(origin.HostOf(a.String())) {
			return false
		}
	}
	return len(h.config.Proxies) == 0
}

// AdminAddr is the TCP address of the admin port, as opened; nil without one.
func (h *Host) AdminAddr() net.Addr {
	if h.admin == nil {
		return nil
	}
	return h.admin.listener.Addr()
}

// Addr is the TCP address of HTTP, as opened.
func (h *Host) Addr() net.Addr { return h.gate.Addr() }

// QUICAddr is the UDP address of QUIC and WebTransport, as opened.
func (h *Host) QUICAddr() net.Addr { return h.quic.Addr() }

// Run serves until the context ends or Drain is called, and then until its matches have finished, at the latest for
// Config.Drain. Then it closes every connection with a reason and closes the ports, which takes about two
// seconds at most. Where systemd started the process with Type=notify (NOTIFY_SOCKET), Run notifies it when the
// server is ready and when it stops, and feeds its watchdog as long as every match ticks. The error is nil after an
// orderly end, and not nil when HTTP could not be served or when the last match has failed.
func (h *Host) Run(ctx context.Context) error {
	outer := ctx
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	server := newServer(h.routes(), h.gate, h.config.Log)
	if h.tokens == nil && !h.onlyLocal() {
		h.config.Log.Warn("open mode: anybody that reaches this server may join under any name; see docs/howto/tokens.md")
	}
	supervised, unsupervised := context.WithCancel(context.Background())
	defer unsupervised()
	var matches, group sync.WaitGroup
	group.Go(h.ticks.alarm.run)
	for _, l := range h.loops {
		matches.Go(func() { l.run(ctx) })
	}
	for _, door := range h.listeners() {
		group.Go(func() { h.admit(ctx, door) })
	}
	served, ended := make(chan error, 1), make(chan struct{})
	if h.admin != nil {
		group.Go(func() { _ = h.admin.server.Serve(h.admin.listener) })
	}
	group.Go(func() { served <- server.Serve(secured(h.gate, h.config.Certificate)) })
	group.Go(func() { h.supervise(supervised) })
	group.Go(func() { matches.Wait(); close(ended) })

	var err error
	select {
	case <-outer.Done():
		h.Drain()
		h.finish()
	case <-h.draining.begun:
		h.finish()
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
	h.ticks.alarm.close()
	unsupervised()
	group.Wait()
	h.quiet.flush()
	return err
}

// close closes all ports at the same time, since each close waits for its clients.
func (h *Host) close(server *http.Server) error {
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	var group sync.WaitGroup
	var errs [3]error
	group.Go(func() { errs[0] = h.socket.Close() })
	if h.admin != nil { // who said drain is answered
		group.Go(func() { _ = shutDown(h.admin.server, grace) })
	}
	group.Go(func() { errs[1] = h.closeUDP() })
	group.Go(func() { errs[2] = shutDown(server, grace) })
	group.Wait()
	return errors.Join(errs[:]...)
}
