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
	// amplification is how many bytes an address is sent for each of its own before it has proven to receive them
	// (RFC 9000, section 8.1).
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

// unproven bounds what addresses are sent that have begun a handshake and have not proven that it is theirs. quic-go
// has the same bound, but looks at what it has sent before a datagram and not at what it will have sent, so it exceeds
// it by up to one datagram. What exceeds it is lost, as on a bad line. A packet for a connection ID that the server has
// chosen and sent to the address is the proof, and so is the end of the handshake. It is for any goroutine. [THR-01]
type unproven struct {
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

// begin bounds an address, which was answered by nothing yet.
func (u *unproven) begin(from netip.AddrPort, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for a, had := range u.allowed {
		if now.Sub(had.began) > longestHandshake {
			delete(u.allowed, a)
		}
	}
	a := u.allowed[from]
	a.began = now
	for i := range u.recent {
		if d := &u.recent[i]; d.from == from {
			a.bytes += amplification * d.bytes
			*d = datagram{} // it counts once
		}
	}
	if u.allowed == nil {
		u.allowed = map[netip.AddrPort]allowance{}
	}
	u.allowed[from] = a
	u.some.Store(true)
}

// received counts a datagram, and ends the bound of its address if it is the proof.
func (u *unproven) received(from net.Addr, b []byte) {
	begins := len(b) > 0 && b[0]&0x80 != 0 // a packet of a handshake
	if begins || u.some.Load() {
		u.count(addrPort(from), b, begins)
	}
}

func (u *unproven) count(from netip.AddrPort, b []byte, begins bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	a, bounded := u.allowed[from]
	if !bounded {
		if begins {
			u.recent[u.next%recentReads] = datagram{from, len(b)}
			u.next++
		}
		return
	}
	if to, _ := connectionIDs(b); slices.Contains(a.ids, string(to)) {
		u.free(from)
		return
	}
	a.bytes += amplification * len(b)
	u.allowed[from] = a
}

// proven ends the bound of an address whose handshake has completed. A client that completes it with the last packet of
// the server answers to a connection ID that it was told in secret.
func (u *unproven) proven(from netip.AddrPort) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.free(from)
}

func (u *unproven) free(from netip.AddrPort) {
	delete(u.allowed, from)
	u.some.Store(len(u.allowed) > 0)
}

// take reports whether an address may be sent a datagram, and counts it.
func (u *unproven) take(to netip.AddrPort, b []byte) bool {
	if !u.some.Load() {
		return true
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	a, bounded := u.allowed[to]
	if !bounded {
		return true
	}
	if a.bytes < len(b) {
		return false
	}
	a.bytes -= len(b)
	if _, own := connectionIDs(b); 0 < len(own) && len(own) < clientIDs && len(a.ids) < maxIDs && !slices.Contains(a.ids, string(own)) {
		a.ids = append(a.ids, string(own))
	}
	u.allowed[to] = a
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

// boundedSocket is a socket that sends unproven addresses no more than they may be sent. Windows has no batches: there
// quic-go's own bound remains.
type boundedSocket struct {
	batchSocket
	unproven *unproven
}

// bounded returns what quic-go reads and writes of a socket.
func (u *unproven) bounded(socket net.PacketConn) net.PacketConn {
	switch s := socket.(type) {
	case batchSocket:
		return &boundedSocket{s, u}
	case *net.UDPConn:
		return &boundedSocket{&systemSocket{s, ipv4.NewPacketConn(s)}, u}
	}
	return socket
}

// ReadBatch is what quic-go reads with.
func (s *boundedSocket) ReadBatch(messages []ipv4.Message, flags int) (int, error) {
	n, err := s.batchSocket.ReadBatch(messages, flags)
	for i := range max(n, 0) { // negative with an error
		m := &messages[i]
		s.unproven.received(m.Addr, m.Buffers[0][:m.N])
	}
	return n, err
}

// WriteMsgUDP is what quic-go writes with. A datagram that an unproven address may not be sent is lost.
func (s *boundedSocket) WriteMsgUDP(b, control []byte, to *net.UDPAddr) (n, oobn int, err error) {
	if !s.unproven.take(to.AddrPort(), b) {
		return len(b), len(control), nil
	}
	return s.batchSocket.WriteMsgUDP(b, control, to)
}
