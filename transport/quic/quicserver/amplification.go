package quicserver

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
	"golang.org/x/net/ipv4"
)

const (
	// amplification is how many bytes an address that is not validated is sent for each of its own (RFC 9000,
	// section 8.1).
	amplification = 3
	// longestHandshake is longer than a handshake may take: quic-go ends it after two idle timeouts of 3 s.
	longestHandshake = 10 * time.Second
	// recentReads is how many datagrams are remembered whose connection has perhaps not begun yet.
	recentReads = 64
	// clientIDs is the least length of the connection IDs that clients make up for the server (RFC 9000, section 7.2).
	// Those of the server are shorter.
	clientIDs = 8
	// maxIDs is how many connections of an address are known at once.
	maxIDs = 8
)

// amplificationLimit limits what addresses are sent that have begun a handshake and are not validated. quic-go has the
// same limit, but looks at what it has sent before a datagram and not at what it will have sent, so it exceeds the limit
// by up to one datagram. What exceeds it here is lost, as on a bad link. An address is validated by a packet for a
// connection ID that the server has chosen and sent to it, or by the end of the handshake. It is for any goroutine.
// [THR-01]
type amplificationLimit struct {
	some    atomic.Bool                  // allowed is not empty: without handshakes a datagram costs no lock
	mu      sync.Mutex                   // of what follows
	allowed map[netip.AddrPort]allowance // of those that have begun a handshake
	recent  [recentReads]datagram
	next    int // of recent
}

// allowance is how many bytes an address may still be sent, when its handshake began, and which connection IDs the
// server has told it.
type allowance struct {
	bytes int
	began time.Time
	ids   []string
}

// datagram is one of a handshake that was received.
type datagram struct {
	from  netip.AddrPort
	bytes int
}

// begin limits an address that was sent nothing yet.
func (l *amplificationLimit) begin(from netip.AddrPort, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for a, had := range l.allowed {
		if now.Sub(had.began) > longestHandshake {
			delete(l.allowed, a)
		}
	}
	a := l.allowed[from]
	a.began = now
	for i := range l.recent {
		if d := &l.recent[i]; d.from == from {
			a.bytes += amplification * d.bytes
			*d = datagram{} // it counts once
		}
	}
	if l.allowed == nil {
		l.allowed = map[netip.AddrPort]allowance{}
	}
	l.allowed[from] = a
	l.some.Store(true)
}

// received counts a datagram, and ends the limit of its address if that is validated by it.
func (l *amplificationLimit) received(from net.Addr, b []byte) {
	begins := len(b) > 0 && b[0]&0x80 != 0 // a packet of a handshake
	if begins || l.some.Load() {
		l.count(addrPort(from), b, begins)
	}
}

func (l *amplificationLimit) count(from netip.AddrPort, b []byte, begins bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, limited := l.allowed[from]
	if !limited {
		if begins {
			l.recent[l.next%recentReads] = datagram{from, len(b)}
			l.next++
		}
		return
	}
	if to, _ := connectionIDs(b); slices.Contains(a.ids, string(to)) {
		l.free(from)
		return
	}
	a.bytes += amplification * len(b)
	l.allowed[from] = a
}

// validated ends the limit of an address whose handshake has completed. A client that completes it with the last packet
// of the server answers to a connection ID that it was sent encrypted.
func (l *amplificationLimit) validated(from netip.AddrPort) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free(from)
}

func (l *amplificationLimit) free(from netip.AddrPort) {
	delete(l.allowed, from)
	l.some.Store(len(l.allowed) > 0)
}

// take reports whether an address may be sent a datagram, and counts it.
func (l *amplificationLimit) take(to netip.AddrPort, b []byte) bool {
	if !l.some.Load() {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a, limited := l.allowed[to]
	if !limited {
		return true
	}
	if a.bytes < len(b) {
		return false
	}
	a.bytes -= len(b)
	if _, own := connectionIDs(b); 0 < len(own) && len(own) < clientIDs && len(a.ids) < maxIDs && !slices.Contains(a.ids, string(own)) {
		a.ids = append(a.ids, string(own))
	}
	l.allowed[to] = a
	return true
}

// connectionIDs returns the connection IDs, of its receiver and of its sender, of a datagram that begins with a long
// header; nil for any other (RFC 8999, section 5.1).
func connectionIDs(b []byte) (to, from []byte) {
	if len(b) < 6 || b[0]&0x80 == 0 {
		return nil, nil
	}
	b = b[5:] // after the version
	if to, b = sized(b); to != nil {
		from, _ = sized(b)
	}
	return to, from
}

// sized returns the bytes whose number is the first byte, and what follows; nil if they are not all there.
func sized(b []byte) (field, rest []byte) {
	if len(b) == 0 || len(b) <= int(b[0]) {
		return nil, nil
	}
	return b[1 : 1+int(b[0])], b[1+int(b[0]):]
}

// addrPort returns an address of UDP, zero for any other.
func addrPort(a net.Addr) netip.AddrPort {
	if udp, ok := a.(*net.UDPAddr); ok {
		return udp.AddrPort()
	}
	return netip.AddrPort{}
}

// batchSocket is a UDP socket that quic-go reads in batches.
type batchSocket interface {
	quic.OOBCapablePacketConn
	SetWriteBuffer(bytes int) error
	ReadBatch(messages []ipv4.Message, flags int) (int, error)
}

// systemSocket is a socket of package net that is read in batches, as quic-go does by itself.
type systemSocket struct {
	*net.UDPConn
	batches *ipv4.PacketConn
}

// ReadBatch implements batchSocket. It reads one datagram at a time where the system has no such call.
func (s *systemSocket) ReadBatch(messages []ipv4.Message, flags int) (int, error) {
	return s.batches.ReadBatch(messages, flags)
}

// limitedSocket is a socket with an amplificationLimit. Windows has no batches: there quic-go's own limit remains.
type limitedSocket struct {
	batchSocket
	limit *amplificationLimit
}

// limited returns what quic-go reads from and writes to.
func (l *amplificationLimit) limited(socket net.PacketConn) net.PacketConn {
	switch s := socket.(type) {
	case batchSocket:
		return &limitedSocket{s, l}
	case *net.UDPConn:
		return &limitedSocket{&systemSocket{s, ipv4.NewPacketConn(s)}, l}
	}
	return socket
}

// ReadBatch is what quic-go reads with.
func (s *limitedSocket) ReadBatch(messages []ipv4.Message, flags int) (int, error) {
	n, err := s.batchSocket.ReadBatch(messages, flags)
	for i := range max(n, 0) { // negative with an error
		m := &messages[i]
		s.limit.received(m.Addr, m.Buffers[0][:m.N])
	}
	return n, err
}

// WriteMsgUDP is what quic-go writes with. A datagram beyond the limit is lost.
func (s *limitedSocket) WriteMsgUDP(b, control []byte, to *net.UDPAddr) (n, oobn int, err error) {
	if !s.limit.take(to.AddrPort(), b) {
		return len(b), len(control), nil
	}
	return s.batchSocket.WriteMsgUDP(b, control, to)
}
