package host

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"golang.org/x/time/rate"

	"github.com/backstep-net/backstep/transport"
)

// gate is the listener of HTTP. It bounds the TCP connections in all and of each address. At a bound a new
// one takes the place of the one that has been without a request for longest, so that those that hold
// connections open, or send half a header, lock out nobody. Only where every connection answers a request is
// a new one refused. It also bounds the connections and requests of an address in time. A connection that became a
// WebSocket is not counted any more: it has the bounds of players. [THR-42]
type gate struct {
	net.Listener
	limits  Limits
	proxies proxies
	log     *slog.Logger
	refused func(cause string) // counts

	mu        sync.Mutex
	conns     map[*tcpConn]struct{}
	addresses map[netip.Prefix]*visits
	swept     time.Time // when addresses were last forgotten
}

// tcpConn is one TCP connection of HTTP.
type tcpConn struct {
	*net.TCPConn
	gate  *gate
	from  netip.AddrPort
	block netip.Prefix // of from; invalid where the address has no bound of its own
	busy  int          // requests that are being answered
	since time.Time    // of the last request's end, or of the connection
}

// visits is what one address does over HTTP.
type visits struct {
	open     int // connections
	requests *rate.Limiter
}

// maxSwept is how many addresses a gate remembers before it forgets those that do nothing.
const maxSwept = 4096

func newGate(l net.Listener, limits Limits, trusted proxies, log *slog.Logger) *gate {
	return &gate{
		Listener: l, limits: limits.withDefaults(), proxies: trusted, log: log, refused: func(string) {},
		conns: map[*tcpConn]struct{}{}, addresses: map[netip.Prefix]*visits{},
	}
}

// Accept implements net.Listener.
func (g *gate) Accept() (net.Conn, error) {
	for {
		raw, err := g.Listener.Accept()
		if errors.Is(err, syscall.EMFILE) && g.closeOldest(netip.Prefix{}) {
			continue // the process has no descriptor left: the new one takes that of an idle one
		}
		if err != nil {
			return nil, err
		}
		from, _ := netip.ParseAddrPort(raw.RemoteAddr().String())
		c := &tcpConn{TCPConn: raw.(*net.TCPConn), gate: g, from: from, since: time.Now()}
		if block := transport.AddressBlock(from.String()); g.bounded(block) && !g.proxies.trust(from.Addr()) {
			c.block = block
		}
		if g.admit(c) {
			_ = c.SetWriteBuffer(sendBuffer)
			return c, nil
		}
		raw.Close()
		g.log.Info("refused HTTP connection", "from", from)
	}
}

// bounded reports whether an address has bounds of its own.
func (g *gate) bounded(block netip.Prefix) bool {
	return g.limits.Loopback || !block.Addr().IsLoopback()
}

// admit counts a connection. It makes room where it can, and returns false where it cannot.
func (g *gate) admit(c *tcpConn) bool {
	if c.block.IsValid() {
		if !g.spend(c.block, c.since) {
			return false
		}
		for g.limits.AddressSockets >= 0 && g.opened(c.block) >= g.limits.AddressSockets {
			if !g.closeOldest(c.block) {
				return false
			}
		}
	}
	for g.limits.Sockets >= 0 && g.total() >= g.limits.Sockets {
		if !g.closeOldest(netip.Prefix{}) {
			return false
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns[c] = struct{}{}
	if c.block.IsValid() {
		g.visits(c.block, c.since).open++
	}
	return true
}

func (g *gate) total() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.conns)
}

func (g *gate) opened(block netip.Prefix) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.visits(block, time.Now()).open
}

// closeOldest closes the connection, of that address if it is valid, that has been without a request for
// longest; false if there is none.
func (g *gate) closeOldest(of netip.Prefix) bool {
	g.mu.Lock()
	var oldest *tcpConn
	for c := range g.conns {
		if c.busy == 0 && (!of.IsValid() || c.block == of) && (oldest == nil || c.since.Before(oldest.since)) {
			oldest = c
		}
	}
	g.mu.Unlock()
	if oldest == nil {
		return false
	}
	_ = oldest.Close()
	return true
}

// release counts a connection no more: it has ended, or became a WebSocket.
func (g *gate) release(c *tcpConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.conns[c]; !ok {
		return
	}
	delete(g.conns, c)
	if c.block.IsValid() {
		g.visits(c.block, time.Now()).open--
	}
}

// Close implements net.Conn.
func (c *tcpConn) Close() error {
	c.gate.release(c)
	return c.TCPConn.Close()
}

// spend takes one of the requests that an address has left; false if it has none.
func (g *gate) spend(block netip.Prefix, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.visits(block, now).requests.AllowN(now, 1)
}

// visits returns what an address does. Call it with the lock.
func (g *gate) visits(block netip.Prefix, now time.Time) *visits {
	v := g.addresses[block]
	if v == nil {
		if len(g.addresses) >= maxSwept && now.Sub(g.swept) > time.Second {
			g.sweep(now)
		}
		v = &visits{requests: perMinute(g.limits.Requests)}
		g.addresses[block] = v
	}
	return v
}

// sweep forgets the addresses that do nothing.
func (g *gate) sweep(now time.Time) {
	g.swept = now
	for block, v := range g.addresses {
		if v.open == 0 && unused(v.requests, now) {
			delete(g.addresses, block)
		}
	}
}

// tcpKey is the key of a request's tcpConn in its context.
type tcpKey struct{}

// connContext remembers the TCP connection of a request: http.Server.ConnContext.
func connContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, tcpKey{}, tcpOf(c))
}

// connState notices WebSockets: http.Server.ConnState.
func (g *gate) connState(c net.Conn, s http.ConnState) {
	if t := tcpOf(c); s == http.StateHijacked && t != nil {
		g.release(t)
	}
}

// tcpOf returns the connection beneath TLS.
func tcpOf(c net.Conn) *tcpConn {
	if over, ok := c.(*tls.Conn); ok {
		c = over.NetConn()
	}
	t, _ := c.(*tcpConn)
	return t
}

// bound is the handler around all others: it knows the client behind a proxy, counts its requests, and marks
// its connection as busy.
func (g *gate) bound(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(tcpKey{}).(*tcpConn); ok && c != nil {
			g.begin(c)
			defer g.end(c)
		}
		r.RemoteAddr = g.proxies.client(r)
		if block := transport.AddressBlock(r.RemoteAddr); g.bounded(block) && !g.spend(block, time.Now()) {
			g.refused(causeHTTP)
			w.Header().Set("Connection", "close")
			w.Header().Set("Retry-After", "10")
			http.Error(w, "host: too many requests from your address: wait a minute", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g *gate) begin(c *tcpConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.busy++
}

func (g *gate) end(c *tcpConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.busy--
	c.since = time.Now()
}
