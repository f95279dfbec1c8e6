// Package quicserver implements the server's end of QUIC: one UDP port for raw QUIC
// (transport/quic) of native clients and WebTransport of browsers, with the same two
// channels. Start at [Listen]; a browser connects to https://HOST:PORT/play with the hashes
// of [Listener.Hashes].
package quicserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
	"github.com/backstep-net/backstep/transport/internal/quicwire"
	"github.com/backstep-net/backstep/transport/origin"
)

// Hash is the SHA-256 of a certificate's DER bytes, as in a browser's
// serverCertificateHashes and as pinned by quic.Dial.
type Hash = quicwire.Hash

// Path is the URL path of WebTransport sessions.
const Path = "/play"

// Config configures a Listener. The zero Config listens on a free port of every interface
// with self-signed certificates.
type Config struct {
	// Addr is the UDP address, "host:port". Port 0 or "" picks a free one.
	Addr string

	// Socket is an open UDP socket to use instead of Addr, shared with udpserver.Listener.Socket; Close closes it.
	// Nil opens one.
	Socket net.PacketConn

	// Certificate returns the certificate of an authority for a handshake, for a server with a
	// domain name; package cert makes such functions. Nil means self-signed certificates that
	// rotate and that clients accept by hash; see [Certificates].
	Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)

	// Now is the clock for the rotation of self-signed certificates; nil means time.Now.
	Now func() time.Time

	// Origins are the hosts ("game.example", "*.game.example", "*") whose pages may open a
	// WebTransport session beside the server's own; see origin.Check. Nil allows no others.
	Origins []string

	// ResetKey lets clients notice a restarted server in one round trip instead of after
	// IdleTimeout, if it stays the same over restarts. All zero means none. Keep it
	// secret.
	ResetKey [32]byte

	// RetryAbove is how many new connections per second are accepted without address
	// validation, which costs one more round trip. Zero means 32, negative means that
	// every client must validate its address.
	RetryAbove int

	// Handshakes is how many connections may begin per second, of one address 32; others are refused before
	// anything is kept for them. Zero means 512, about half of what one core can do.
	Handshakes int

	// Hello is how long a connection may take to send its first message. Zero means
	// transport.HelloTimeout; tests have a shorter one.
	Hello time.Duration
}

// Listener is a transport.Listener on one UDP port.
type Listener struct {
	queue *pump.AcceptQueue
	certs *Certificates // nil with a certificate of an authority
	hello time.Duration
	begun *handshakes
	// limit is on what clients are sent before they have answered.
	limit amplificationLimit

	udp      net.PacketConn
	arrival  func(from net.Addr, size int, now time.Time) time.Time // of a socket that knows it; else nil
	over     *quic.Transport
	listener *quic.Listener
	web      *webtransport.Server
	working  sync.WaitGroup
	webConns sync.Map // connection of quic-go to *webConn, for HTTP/3 connections
}

var _ transport.Listener = (*Listener)(nil)

// Listen opens the port.
func Listen(c Config) (*Listener, error) {
	if c.Hello <= 0 {
		c.Hello = transport.HelloTimeout
	}
	if c.RetryAbove == 0 {
		c.RetryAbove = 32
	}
	if c.Handshakes <= 0 {
		c.Handshakes = 512
	}
	l := &Listener{queue: pump.NewAcceptQueue(), hello: c.Hello, begun: newHandshakes(max(0, c.RetryAbove), c.Handshakes)}
	conf, err := l.tls(c)
	if err != nil {
		return nil, err
	}
	if l.udp, err = c.socket(); err != nil {
		return nil, err
	}
	if s, ok := l.udp.(interface {
		Arrival(from net.Addr, size int, now time.Time) time.Time
	}); ok {
		l.arrival = s.Arrival
	}
	l.over = &quic.Transport{Conn: l.limit.limited(l.udp), VerifySourceAddress: func(net.Addr) bool { return l.begun.validate(time.Now()) }}
	if c.ResetKey != [32]byte{} {
		key := quic.StatelessResetKey(c.ResetKey)
		l.over.StatelessResetKey = &key
	}
	if l.listener, err = l.over.Listen(conf, l.connections()); err != nil {
		l.udp.Close()
		return nil, fmt.Errorf("quic: %w", err)
	}
	l.web = l.newWeb(c.Origins)
	l.working.Go(l.run)
	return l, nil
}

// connections returns the configuration of connections, with the bounds on those that begin.
func (l *Listener) connections() *quic.Config {
	c := quicwire.ServerConfig()
	plain := c.Clone()
	c.GetConfigForClient = func(client *quic.ClientInfo) (*quic.Config, error) {
		now := time.Now()
		if err := l.begun.admit(client.RemoteAddr, client.AddrVerified, now); err != nil {
			return nil, err
		}
		if !client.AddrVerified {
			l.limit.begin(addrPort(client.RemoteAddr), now)
		}
		return plain, nil
	}
	return c
}

// socket returns the socket of the configuration, open.
func (c *Config) socket() (net.PacketConn, error) {
	if c.Socket != nil {
		return c.Socket, nil
	}
	addr, err := net.ResolveUDPAddr("udp", c.Addr)
	if err != nil {
		return nil, fmt.Errorf("quic: address %q: %w", c.Addr, err)
	}
	udp, err := net.ListenUDP("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("quic: %w", err)
	}
	return udp, nil
}

// tls returns the server's TLS configuration.
func (l *Listener) tls(c Config) (*tls.Config, error) {
	conf := &tls.Config{
		MinVersion:             tls.VersionTLS13,
		NextProtos:             []string{quicwire.ALPN, http3.NextProtoH3},
		SessionTicketsDisabled: true,
	}
	if c.Certificate != nil {
		conf.GetCertificate = c.Certificate
		return conf, nil
	}
	var err error
	if l.certs, err = NewCertificates(c.Now); err != nil {
		return nil, err
	}
	conf.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return l.certs.Current() }
	return conf, nil
}

// newWeb returns the WebTransport server. It serves connections that run passes to it.
func (l *Listener) newWeb(origins []string) *webtransport.Server {
	mux := http.NewServeMux()
	web := &webtransport.Server{
		H3: &http3.Server{
			Handler:        mux,
			MaxHeaderBytes: 8 << 10,
			Logger:         slog.New(slog.DiscardHandler),
			ConnContext: func(ctx context.Context, c *quic.Conn) context.Context {
				v, _ := l.webConns.Load(c)
				return context.WithValue(ctx, webConnKey{}, v)
			},
		},
		// Safari requires all three to be positive.
		Config:            &webtransport.Config{MaxIncomingStreams: 1, MaxIncomingUniStreams: 1, MaxIncomingData: 64 << 10},
		ReorderingTimeout: l.hello,
		CheckOrigin:       func(r *http.Request) bool { return origin.Check(origins, r.Header.Get("Origin"), r.Host) == nil },
	}
	mux.HandleFunc(Path, l.acceptWeb)
	return web
}

// run accepts connections from the socket until Close.
func (l *Listener) run() {
	for {
		conn, err := l.listener.Accept(context.Background())
		if err != nil {
			return
		}
		l.limit.validated(addrPort(conn.RemoteAddr()))
		leave, ok := l.queue.Reserve(conn.RemoteAddr().String(), func() { conn.CloseWithError(0, pump.Busy) })
		if !ok {
			conn.CloseWithError(0, "server closed")
			continue
		}
		l.working.Go(func() {
			defer leave()
			if conn.ConnectionState().TLS.NegotiatedProtocol == quicwire.ALPN {
				l.acceptRaw(conn)
			} else {
				l.serveWeb(conn, leave)
			}
		})
	}
}

// acceptRaw waits for a raw connection's stream and first message.
func (l *Listener) acceptRaw(conn *quic.Conn) {
	deadline := time.Now().Add(l.hello)
	ctx, cancel := context.WithDeadline(conn.Context(), deadline)
	defer cancel()
	str, err := conn.AcceptStream(ctx)
	if err != nil {
		l.noteLate(ctx)
		conn.CloseWithError(0, "no hello in time")
		return
	}
	w := quicwire.New(conn, conn, str)
	w.Arrival = l.arrival
	l.queue.Add(w.Start(), time.Until(deadline))
}

// webConn is one HTTP/3 connection; it may open one session before the timer late closes
// it.
type webConn struct {
	conn  *quic.Conn
	late  *time.Timer
	leave func() // of the AcceptQueue
	once  sync.Once
}

// webConnKey is the key of a request's webConn in its context.
type webConnKey struct{}

// serveWeb serves one HTTP/3 connection until it ends.
func (l *Listener) serveWeb(conn *quic.Conn, leave func()) {
	late := time.AfterFunc(l.hello, func() {
		l.queue.NoteUnheard()
		conn.CloseWithError(0, "no hello in time")
	})
	defer late.Stop()
	l.webConns.Store(conn, &webConn{conn: conn, late: late, leave: leave})
	defer l.webConns.Delete(conn)
	if err := l.web.ServeQUICConn(conn); err != nil {
		conn.CloseWithError(0, "")
	}
}

// acceptWeb upgrades a request to a session and waits for its stream and first message.
func (l *Listener) acceptWeb(w http.ResponseWriter, r *http.Request) {
	v, ok := r.Context().Value(webConnKey{}).(*webConn)
	if !ok {
		http.Error(w, "not an HTTP/3 connection of this server", http.StatusBadRequest)
		return
	}
	first := false
	v.once.Do(func() { first = true })
	if !first {
		http.Error(w, "one session a connection", http.StatusTooManyRequests)
		return
	}
	deadline := time.Now().Add(l.hello)
	session, err := l.web.Upgrade(w, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	v.late.Stop()
	conn := &webWire{Wire: quicwire.New(v.conn, session, nil), session: session, connect: w.(http3.HTTPStreamer).HTTPStream()}
	l.working.Go(func() {
		defer v.leave()
		l.acceptSession(conn, deadline)
	})
}

// acceptSession waits for a session's stream and first message.
func (l *Listener) acceptSession(w *webWire, deadline time.Time) {
	ctx, cancel := context.WithDeadline(w.session.Context(), deadline)
	defer cancel()
	str, err := w.session.AcceptStream(ctx)
	if err != nil {
		l.noteLate(ctx)
		w.Shut("no hello in time")
		return
	}
	w.Wire = quicwire.New(w.Conn, w.session, str)
	w.Arrival = l.arrival
	l.queue.Add(w.start(), time.Until(deadline))
}

// noteLate counts a connection that has not opened its stream until the deadline of ctx, and not one that ended itself.
func (l *Listener) noteLate(ctx context.Context) {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		l.queue.NoteUnheard()
	}
}

// Unheard returns how many connections have sent no hello in time, or gave way to newer ones before.
func (l *Listener) Unheard() uint64 { return l.queue.Unheard() }

// Handshakes returns how many handshakes there have been.
func (l *Listener) Handshakes() Handshakes {
	l.begun.mu.Lock()
	defer l.begun.mu.Unlock()
	return l.begun.counts
}

// Accept implements transport.Listener.
func (l *Listener) Accept(ctx context.Context) (transport.Conn, error) { return l.queue.Accept(ctx) }

// Addr implements transport.Listener.
func (l *Listener) Addr() net.Addr { return l.udp.LocalAddr() }

// Hashes returns the hashes of the certificate in use and of the next one, for quic.Dial and
// for a browser's serverCertificateHashes; none with a certificate of an authority. Call it
// for every page served.
func (l *Listener) Hashes() ([]Hash, error) {
	if l.certs == nil {
		return nil, nil
	}
	return l.certs.Hashes()
}

// Close implements transport.Listener. It closes every connection with the reason "server
// closed"; the port is free when Close returns.
func (l *Listener) Close() error {
	if !l.queue.Close("server closed") {
		return nil
	}
	err := errors.Join(l.listener.Close(), l.web.Close(), l.over.Close())
	l.working.Wait()
	return errors.Join(err, quicwire.CloseUDP(l.udp))
}
