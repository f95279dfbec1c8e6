package session

import (
	"errors"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// maxDatagram is the longest datagram, in bytes: the smallest limit of any browser.
const maxDatagram = 1024

// The kinds of datagrams.
const (
	kindMoves    = 1 // client to server
	kindSnapshot = 2 // server to client
	kindBits     = 3
)

// How many low bits of a number are sent.
const (
	sequenceBits = 10 // of a client's datagrams
	tickBits     = 12 // of a tick that a client acknowledges
)

// maxSkipped is how many left out ticks a server reports at most: older ones no longer count.
const maxSkipped = 64

// An acknowledgement delay is sent in 11 bits, in units of 64 µs. noAckDelay stands for a longer or unknown one, from
// which no round trip follows.
const (
	ackDelayGrid = 64 * clock.Microsecond
	ackDelayBits = 11
	noAckDelay   = clock.Micros(-1)
)

// Errors of a client's datagram.
var (
	errUnsent  = errors.New("session: acknowledges what was not sent")
	errOutside = errors.New("session: moves of a player that is not in the world")
)

// isProbe reports whether a datagram is a probe of the transport (empty, or one zero byte),
// without content: transport drops those of its own peers before they get here.
func isProbe(b []byte) bool { return len(b) == 0 || len(b) == 1 && b[0] == 0 }

// clientHeader opens each datagram of a client.
type clientHeader struct {
	sequence uint32         // counts its datagrams from 1; only low bits are sent
	received track.Received // which snapshots arrived
	ackDelay clock.Micros   // since the newest one arrived
	moves    bool           // whether moves follow
}

// pack packs the header; the server reads it with its ticks.
func (h *clientHeader) pack(p *bits.Packer, ticks *ackCodec) {
	packKind(p, kindMoves)
	low := uint64(h.sequence) & (1<<sequenceBits - 1)
	p.Uint(&low, sequenceBits)
	if !p.Writing() {
		h.sequence = uint32(low)
	}
	packAck(p, ticks, &h.received, &h.ackDelay)
	p.Bool(&h.moves)
}

// serverHeader opens each datagram of the server.
type serverHeader struct {
	tick uint32 // from 1
	// skipped is how many ticks right before it, of those that are sent, an overloaded
	// server left out; at most maxSkipped are reported.
	skipped int
	// received is which datagrams of this client arrived; none if that was long ago or another
	// datagram of the tick has it. ackDelay is the time since the newest arrived.
	received track.Received
	ackDelay clock.Micros
}

// pack packs the header; the client reads it with the numbers of its datagrams.
func (h *serverHeader) pack(p *bits.Packer, sequences *ackCodec) {
	packKind(p, kindSnapshot)
	p.Uint32(&h.tick)
	if h.tick == 0 {
		p.Fail(bits.ErrRange)
	}
	some := h.skipped > 0
	p.Bool(&some)
	if some {
		p.Ranged(&h.skipped, 1, maxSkipped)
	} else {
		h.skipped = 0
	}
	packAck(p, sequences, &h.received, &h.ackDelay)
}

// packKind writes the kind, or checks it.
func packKind(p *bits.Packer, kind uint64) {
	k := kind
	p.Uint(&k, kindBits)
	if k != kind {
		p.Fail(errKind)
	}
}

// packAck packs what one end has received of the other, and for how long it had had the
// newest before it answered.
func packAck(p *bits.Packer, codec *ackCodec, r *track.Received, ackDelay *clock.Micros) {
	codec.pack(p, r)
	if r.Newest == 0 {
		*ackDelay = noAckDelay
		return
	}
	n := uint64(max(*ackDelay, 0) / ackDelayGrid)
	known := *ackDelay >= 0 && n>>ackDelayBits == 0
	p.Bool(&known)
	if !known {
		*ackDelay = noAckDelay
		return
	}
	p.Uint(&n, ackDelayBits)
	*ackDelay = clock.Micros(n) * ackDelayGrid
}
