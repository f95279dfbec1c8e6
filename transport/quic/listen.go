// Package quic is the road of first choice: one UDP port on which Go clients
// speak raw QUIC and browsers speak WebTransport, with the same two channels.
// Start with [Listen] on a server and [Dial] in a client; a browser connects
// to https://HOST:PORT/play with the hashes that [Listener.Hashes] gives.
//
// On raw QUIC (ALPN "backstep/1") and in a WebTransport session alike the
// client opens one bidirectional stream; both ways it carries messages, each
// behind its length as an unsigned LEB128 number. Datagrams are the channel's
// bytes as they are. 0-RTT and session resumption are off.
package quic

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
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
)

// ALPN is the protocol of raw QUIC connections.
const ALPN = "backstep/1"

// Path is where a WebTransport session is asked for.
const Path = "/play"

// Config is how to listen. The zero Config listens on a free port of every
// interface with certificates of its own.
type Config struct {
	// Addr is the UDP address, "host:port". Port 0 or "" picks a free one.
	Addr string

	// Certificate is a certificate from an authority, for a server with a
	// name. Nil means self-made ones that turn by themselves and that
	// clients accept by hash; see [Certificates].
	Certificate *tls.Certificate

	// Now is the clock that turns the self-made certificates; nil means
	// time.Now.
	Now func() time.Time

	// Origins are the web origins ("https://game.example") whose pages may
	// open a WebTransport session. Empty allows every page: the page usually
	// comes from another port, and a session carries no cookie that a
	// foreign page could misuse; who may play is the connect token's matter.
	Origins []string

	// ResetKey, when it is kept over restarts, lets clients notice in one
	// round trip that the server has restarted, not after IdleTimeout. All
	// zero means that there is none. Keep it secret.
	ResetKey [32]byte

	// RetryAbove is how many new connections a second are let in without
	// first proving that they own their address, at the price of one more
	// round trip. Zero means 32, negative means that all must prove it.
	RetryAbove int

	// Hello is transport.HelloDeadline, or a shorter one for tests.
	Hello time.Duration
}

// Listener is a transport.Listener on one UDP port.
type Listener struct {
	door  *pump.Door
	certs *Certificates // nil with a certificate from an authority
	hello time.Duration
	retry *gauge

	udp      *net.UDPConn
	over     *quic.Transport
	listener *quic.Listener
	web      *webtransport.Server
	working  sync.WaitGroup
	visits   sync.Map // *quic.Conn to *visit, for HTTP/3 connections
}

var _ transport.Listener = (*Listener)(nil)

// Listen opens the port.
func Listen(c Config) (*Listener, error) {
	if c.Hello <= 0 {
		c.Hello = transport.HelloDeadline
	}
	if c.RetryAbove == 0 {
		c.RetryAbove = 32
	}
	l := &Listener{door: pump.NewDoor(), hello: c.Hello, retry: &gauge{limit: max(0, c.RetryAbove)}}
	conf, err := l.tls(c)
	if err != nil {
		return nil, err
	}
	addr, err := net.ResolveUDPAddr("udp", c.Addr)
	if err != nil {
		return nil, fmt.Errorf("quic: address %q: %w", c.Addr, err)
	}
	if l.udp, err = net.ListenUDP("udp", addr); err != nil {
		return nil, fmt.Errorf("quic: %w", err)
	}
	l.over = &quic.Transport{Conn: l.udp, VerifySourceAddress: func(net.Addr) bool { return l.retry.tooMany(time.Now()) }}
	if c.ResetKey != [32]byte{} {
		key := quic.StatelessResetKey(c.ResetKey)
		l.over.StatelessResetKey = &key
	}
	if l.listener, err = l.over.Listen(conf, serverConfig()); err != nil {
		l.udp.Close()
		return nil, fmt.Errorf("quic: %w", err)
	}
	l.web = l.newWeb(c.Origins)
	l.working.Go(l.run)
	return l, nil
}

// tls is the server's half of the handshake.
func (l *Listener) tls(c Config) (*tls.Config, error) {
	conf := &tls.Config{
		MinVersion:             tls.VersionTLS13,
		NextProtos:             []string{ALPN, http3.NextProtoH3},
		SessionTicketsDisabled: true,
	}
	if c.Certificate != nil {
		conf.Certificates = []tls.Certificate{*c.Certificate}
		return conf, nil
	}
	var err error
	if l.certs, err = NewCertificates(c.Now); err != nil {
		return nil, err
	}
	conf.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return l.certs.Current() }
	return conf, nil
}

// serverConfig bounds what a client can make the server hold: its streams
// may have 64 KiB under way each and 128 KiB together, and never more.
func serverConfig() *quic.Config {
	return &quic.Config{
		HandshakeIdleTimeout:           3 * time.Second,
		MaxIdleTimeout:                 transport.IdleTimeout,
		KeepAlivePeriod:                transport.IdleTimeout / 3,
		InitialStreamReceiveWindow:     64 << 10,
		MaxStreamReceiveWindow:         64 << 10,
		InitialConnectionReceiveWindow: 128 << 10,
		MaxConnectionReceiveWindow:     128 << 10,
		// A browser has two open: the session's and ours. HTTP/3 takes three
		// unidirectional ones.
		MaxIncomingStreams:               4,
		MaxIncomingUniStreams:            4,
		EnableDatagrams:                  true,
		EnableStreamResetPartialDelivery: true,
	}
}

// newWeb is the WebTransport half. It serves connections that run hands it.
func (l *Listener) newWeb(origins []string) *webtransport.Server {
	mux := http.NewServeMux()
	web := &webtransport.Server{
		H3: &http3.Server{
			Handler:        mux,
			MaxHeaderBytes: 8 << 10,
			Logger:         slog.New(slog.DiscardHandler),
			ConnContext: func(ctx context.Context, c *quic.Conn) context.Context {
				v, _ := l.visits.Load(c)
				return context.WithValue(ctx, visitKey{}, v)
			},
		},
		// Safari asks for all three to be positive.
		Config:            &webtransport.Config{MaxIncomingStreams: 1, MaxIncomingUniStreams: 1, MaxIncomingData: 64 << 10},
		ReorderingTimeout: l.hello,
		CheckOrigin:       func(r *http.Request) bool { return allowed(origins, r.Header.Get("Origin")) },
	}
	mux.HandleFunc(Path, l.greetWeb)
	return web
}

// allowed reports whether a page from this origin may connect. A client that
// is no browser sends none, and could send any.
func allowed(origins []string, origin string) bool {
	if len(origins) == 0 || origin == "" {
		return true
	}
	for _, o := range origins {
		if o == origin {
			return true
		}
	}
	return false
}

// run takes connections from the socket until Close.
func (l *Listener) run() {
	for {
		conn, err := l.listener.Accept(context.Background())
		if err != nil {
			return
		}
		leave, ok := l.door.Knock(conn.RemoteAddr().String())
		if !ok {
			conn.CloseWithError(0, "server busy")
			continue
		}
		l.working.Go(func() {
			defer leave()
			if conn.ConnectionState().TLS.NegotiatedProtocol == ALPN {
				l.greetRaw(conn)
			} else {
				l.serveWeb(conn, leave)
			}
		})
	}
}

// greetRaw waits for a raw connection's stream and first message.
func (l *Listener) greetRaw(conn *quic.Conn) {
	deadline := time.Now().Add(l.hello)
	ctx, cancel := context.WithDeadline(conn.Context(), deadline)
	defer cancel()
	str, err := conn.AcceptStream(ctx)
	if err != nil {
		conn.CloseWithError(0, "no hello in time")
		return
	}
	w := &wire{conn: conn, grams: conn, stream: str}
	l.door.Admit(w.start(), time.Until(deadline))
}

// visit is one HTTP/3 connection; it may open one session, before late ends it.
type visit struct {
	conn  *quic.Conn
	late  *time.Timer
	leave func() // the door's
	once  sync.Once
}

// visitKey is where a request's context keeps its visit.
type visitKey struct{}

// serveWeb serves one HTTP/3 connection until it ends.
func (l *Listener) serveWeb(conn *quic.Conn, leave func()) {
	late := time.AfterFunc(l.hello, func() { conn.CloseWithError(0, "no hello in time") })
	defer late.Stop()
	l.visits.Store(conn, &visit{conn: conn, late: late, leave: leave})
	defer l.visits.Delete(conn)
	if err := l.web.ServeQUICConn(conn); err != nil {
		conn.CloseWithError(0, "")
	}
}

// greetWeb upgrades a request to a session, and waits for its stream and
// first message.
func (l *Listener) greetWeb(w http.ResponseWriter, r *http.Request) {
	v, ok := r.Context().Value(visitKey{}).(*visit)
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
	road := &wire{conn: v.conn, session: session, grams: session, connect: w.(http3.HTTPStreamer).HTTPStream()}
	l.working.Go(func() {
		defer v.leave()
		l.greetSession(road, deadline)
	})
}

// greetSession waits for a session's stream and first message.
func (l *Listener) greetSession(w *wire, deadline time.Time) {
	ctx, cancel := context.WithDeadline(w.session.Context(), deadline)
	defer cancel()
	str, err := w.session.AcceptStream(ctx)
	if err != nil {
		w.Shut("no hello in time")
		return
	}
	w.stream = str
	l.door.Admit(w.start(), time.Until(deadline))
}

// Accept implements transport.Listener.
func (l *Listener) Accept(ctx context.Context) (transport.Conn, error) { return l.door.Accept(ctx) }

// Addr implements transport.Listener.
func (l *Listener) Addr() net.Addr { return l.udp.LocalAddr() }

// Hashes are those of the certificate in use and of the next one, for
// [Dial] and for a browser's serverCertificateHashes; none with a certificate
// from an authority. Ask again for every page served.
func (l *Listener) Hashes() ([]Hash, error) {
	if l.certs == nil {
		return nil, nil
	}
	return l.certs.Hashes()
}

// Close implements transport.Listener: every connection hears "server
// closed", and the port is free when Close returns.
func (l *Listener) Close() error {
	if !l.door.Close("server closed") {
		return nil
	}
	err := errors.Join(l.listener.Close(), l.web.Close(), l.over.Close())
	l.working.Wait()
	return errors.Join(err, closeUDP(l.udp))
}

// closeUDP closes the socket; that it is closed already is fine.
func closeUDP(c io.Closer) error {
	if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// gauge tells whether more than limit things happen in a second.
type gauge struct {
	mu    sync.Mutex
	limit int
	since time.Time
	count int
}

// tooMany counts one more at time t.
func (g *gauge) tooMany(t time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.Sub(g.since) >= time.Second {
		g.since, g.count = t, 0
	}
	g.count++
	return g.count > g.limit
}
