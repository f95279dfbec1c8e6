package quicserver

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

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

// Handshakes counts those of a listener since it was opened.
type Handshakes struct {
	Begun   uint64 // a connection was begun for them
	Refused uint64 // too many of one address, or of all
	Retried uint64 // the client was told to prove its address first
}

// handshakes decides which connections are begun. It is for any goroutine. [THR-02]
type handshakes struct {
	unvalidated *rate.Limiter // of clients whose address is not validated
	all         *rate.Limiter
	mu          sync.Mutex // of what follows
	byAddress   map[netip.Prefix]*rate.Limiter
	swept       time.Time // when byAddress was last swept
	counts      Handshakes
}

// newHandshakes returns the bounds: so many a second, and at once, without a validated address, and in all.
func newHandshakes(unvalidated, all int) *handshakes {
	return &handshakes{
		unvalidated: rate.NewLimiter(rate.Limit(unvalidated), unvalidated), all: rate.NewLimiter(rate.Limit(all), all), byAddress: map[netip.Prefix]*rate.Limiter{},
	}
}

// validate reports whether a newcomer must prove its address first, which costs it a round trip and the server
// nothing that lasts.
func (h *handshakes) validate(now time.Time) bool {
	if h.unvalidated.AllowN(now, 1) {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts.Retried++
	return true
}

// admit counts a connection that is about to begin; the error refuses it. An address counts only where it is
// validated: a forged one would be at its owner's cost.
func (h *handshakes) admit(from net.Addr, validated bool, now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if validated && !h.of(transport.AddressBlock(from.String()), now) || !h.all.AllowN(now, 1) {
		h.counts.Refused++
		return errManyHandshakes
	}
	h.counts.Begun++
	return nil
}

// of counts one of an address; it reports false if there is none left.
func (h *handshakes) of(block netip.Prefix, now time.Time) bool {
	if block.Addr().IsLoopback() {
		return true
	}
	b := h.byAddress[block]
	if b == nil {
		h.forget(now)
		b = rate.NewLimiter(handshakesPerAddress, 2*handshakesPerAddress)
		h.byAddress[block] = b
	}
	return b.AllowN(now, 1)
}

// forget drops the addresses that have been quiet, at most once a second: a search of all for each of a spray of
// addresses would cost the square of their number.
func (h *handshakes) forget(now time.Time) {
	if len(h.byAddress) < maxAddresses || now.Sub(h.swept) < time.Second {
		return
	}
	h.swept = now
	for block, b := range h.byAddress {
		if b.TokensAt(now) >= float64(b.Burst()) {
			delete(h.byAddress, block)
		}
	}
}
