package quicserver

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/backstep-net/backstep/transport"
)

// Bounds of handshakes, each of which costs a signature and a key exchange, most of a millisecond.
const (
	// handshakesPerAddress is how many one address (one /64 of IPv6) may begin a second, and at once twice as many:
	// a house full of players comes back after a restart. This machine's own addresses are exempt.
	handshakesPerAddress = 32
	// maxAddresses is how many addresses are remembered before those that have been quiet are forgotten.
	maxAddresses = 4096
)

// errManyHandshakes refuses a connection before anything is kept for it; its client hears it at once.
var errManyHandshakes = errors.New("quic: too many handshakes")

// handshakes decides which connections are begun. It is for any goroutine. [THR-02]
type handshakes struct {
	mu        sync.Mutex
	unproven  bucket // of clients whose address is not validated
	all       bucket
	byAddress map[netip.Prefix]*bucket
	swept     time.Time // when byAddress was last swept
}

// newHandshakes returns the bounds: so many a second without a validated address, and so many in all.
func newHandshakes(unproven, all int) *handshakes {
	return &handshakes{unproven: newBucket(unproven, unproven), all: newBucket(all, all), byAddress: map[netip.Prefix]*bucket{}}
}

// validate reports whether a newcomer must prove its address first, which costs it a round trip and the server
// nothing that lasts.
func (h *handshakes) validate(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.unproven.take(now)
}

// admit counts a connection that is about to begin; the error refuses it. An address counts only where it is
// proven: a forged one would be at its owner's cost.
func (h *handshakes) admit(from net.Addr, proven bool, now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if proven && !h.of(transport.AddressBlock(from.String()), now) || !h.all.take(now) {
		return errManyHandshakes
	}
	return nil
}

// of takes one from the bucket of an address.
func (h *handshakes) of(block netip.Prefix, now time.Time) bool {
	if block.Addr().IsLoopback() {
		return true
	}
	b := h.byAddress[block]
	if b == nil {
		h.forget(now)
		fresh := newBucket(handshakesPerAddress, 2*handshakesPerAddress)
		b = &fresh
		h.byAddress[block] = b
	}
	return b.take(now)
}

// forget drops the addresses that have been quiet, at most once a second: a search of all for each of a spray of
// addresses would cost the square of their number.
func (h *handshakes) forget(now time.Time) {
	if len(h.byAddress) < maxAddresses || now.Sub(h.swept) < time.Second {
		return
	}
	h.swept = now
	for block, b := range h.byAddress {
		if b.full(now) {
			delete(h.byAddress, block)
		}
	}
}

// config returns the configuration of connections, with the bounds.
func (h *handshakes) config(c *quic.Config) *quic.Config {
	plain := c.Clone()
	c.GetConfigForClient = func(info *quic.ClientInfo) (*quic.Config, error) {
		return plain, h.admit(info.RemoteAddr, info.AddrVerified, time.Now())
	}
	return c
}

// bucket allows so many events a second, and a number at once.
type bucket struct {
	rate, most, left float64
	since            time.Time
}

func newBucket(rate, most int) bucket {
	return bucket{rate: float64(rate), most: float64(most), left: float64(most)}
}

// fill gives back what the time since the last call allows.
func (b *bucket) fill(now time.Time) {
	b.left = min(b.most, b.left+b.rate*now.Sub(b.since).Seconds())
	b.since = now
}

// take counts one event; it reports false if there is none left.
func (b *bucket) take(now time.Time) bool {
	b.fill(now)
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}

// full reports whether nothing has happened for as long as it takes to give all back.
func (b *bucket) full(now time.Time) bool {
	b.fill(now)
	return b.left >= b.most
}
