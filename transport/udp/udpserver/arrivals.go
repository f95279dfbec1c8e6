package udpserver

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	// maxFollowed bounds the addresses with recorded arrivals; beyond it all are forgotten and learned again.
	maxFollowed = 4096
	// arrivalAge is how long an arrival is kept for the datagram that came with it.
	arrivalAge = 50 * time.Millisecond
	// quicOverhead is the least that a packet of QUIC is longer than its datagram: first byte, connection ID of four,
	// packet number, type of the frame, tag.
	quicOverhead = 1 + 4 + 1 + 1 + 16
)

// arrivals remembers when packets of QUIC arrived. quic-go hands out datagrams without the time of their packet, which
// the kernel has kept until the tick: here the time is found again, by address and length.
type arrivals struct {
	mu sync.Mutex
	of map[netip.AddrPort]*recentPackets
}

// recentPackets are the latest packets of an address, oldest first.
type recentPackets struct {
	n       int
	packets [16]struct {
		at   time.Time
		size int
	}
}

// drop forgets the oldest n.
func (r *recentPackets) drop(n int) {
	copy(r.packets[:], r.packets[n:r.n])
	r.n -= n
}

// note remembers a packet of an address for which take has been called.
func (a *arrivals) note(from netip.AddrPort, size int, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.of[from]
	if r == nil {
		return
	}
	if r.n == len(r.packets) {
		r.drop(1)
	}
	r.packets[r.n].at, r.packets[r.n].size = at, size
	r.n++
}

// take returns when a datagram's packet arrived: of the packets that are long enough for it the one that is least too
// long, since acknowledgements alone are shorter, and packets before it are forgotten. It returns now if it knows none.
func (a *arrivals) take(from netip.AddrPort, size int, now time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.of[from]
	if r == nil {
		if len(a.of) >= maxFollowed || a.of == nil {
			a.of = map[netip.AddrPort]*recentPackets{}
		}
		a.of[from] = &recentPackets{}
		return now
	}
	best := -1
	for i := range r.packets[:r.n] {
		p := &r.packets[i]
		if p.size >= size+quicOverhead && now.Sub(p.at) < arrivalAge && (best < 0 || p.size < r.packets[best].size) {
			best = i
		}
	}
	if best < 0 {
		return now
	}
	at := r.packets[best].at
	r.drop(best + 1)
	return at
}

// Arrival returns when the packet of a datagram of QUIC arrived that came from an address, has that many bytes and is
// read now; now if it is not known. Ask once for each datagram, in order.
func (s *Socket) Arrival(from net.Addr, size int, now time.Time) time.Time {
	address, ok := from.(*net.UDPAddr)
	if !ok {
		return now
	}
	a := address.AddrPort()
	return s.arrivals.take(netip.AddrPortFrom(a.Addr().Unmap(), a.Port()), size, now)
}
