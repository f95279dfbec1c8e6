package session

import (
	"errors"
	mathbits "math/bits"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// maxDatagram is the longest datagram, in bytes: what the narrowest browser
// takes.
const maxDatagram = 1024

// The kinds of datagrams.
const (
	kindMoves    = 1 // client to server
	kindSnapshot = 2 // server to client
)

// holdGrid is the unit in which a hold travels: 16 bits of it are a second. The
// largest, maxHold, stands for any longer one, from which no round trip follows.
const (
	holdGrid = 16 * clock.Microsecond
	maxHold  = 65535 * holdGrid
)

// What a client's datagram cannot say.
var (
	errUnsent  = errors.New("session: acknowledges a snapshot that was not sent")
	errOutside = errors.New("session: moves of a player who is not in the world")
)

// clientHeader opens each datagram of a client.
type clientHeader struct {
	sent     uint32         // the client's own clock, low 32 bits of microseconds
	hold     clock.Micros   // since the newest snapshot came
	received track.Received // which snapshots have come
	moves    bool           // whether moves follow
}

func (h *clientHeader) pack(p *bits.Packer) {
	packKind(p, kindMoves)
	p.Uint32(&h.sent)
	packReceived(p, &h.received)
	if h.received.Newest != 0 {
		packHold(p, &h.hold)
	}
	p.Bool(&h.moves)
}

// serverHeader opens each datagram of the server.
type serverHeader struct {
	tick uint32 // from 1
	// heard tells whether the server has had a datagram of this client, not long
	// ago; sent is the newest one's clock, and hold how long ago it came.
	heard bool
	sent  uint32
	hold  clock.Micros
}

func (h *serverHeader) pack(p *bits.Packer) {
	packKind(p, kindSnapshot)
	p.Uint32(&h.tick)
	if h.tick == 0 {
		p.Fail(bits.ErrRange)
	}
	p.Bool(&h.heard)
	if h.heard {
		p.Uint32(&h.sent)
		packHold(p, &h.hold)
	}
}

// packKind writes the kind, or checks it.
func packKind(p *bits.Packer, kind uint8) {
	k := kind
	p.Byte(&k)
	if k != kind {
		p.Fail(errKind)
	}
}

// packHold packs a short duration on a grid of 16 µs, at most maxHold.
func packHold(p *bits.Packer, d *clock.Micros) {
	n := uint16(min(max(*d/holdGrid, 0), 65535))
	p.Uint16(&n)
	*d = clock.Micros(n) * holdGrid
}

// maxMissing is the most snapshots that are named one by one as missing; where
// more are, the mask is shorter.
const maxMissing = 10

// packReceived packs which snapshots have come: the newest, and of the 64 before it
// how many are missing and which.
func packReceived(p *bits.Packer, r *track.Received) {
	p.Uint32(&r.Newest)
	if r.Newest == 0 {
		r.Mask = 0
		return
	}
	missing := mathbits.OnesCount64(^r.Mask)
	n := min(missing, maxMissing+1)
	p.Ranged(&n, 0, maxMissing+1)
	if n <= maxMissing {
		packMissing(p, &r.Mask, n)
	} else {
		p.Uint(&r.Mask, 64)
		if mathbits.OnesCount64(^r.Mask) <= maxMissing {
			p.Fail(bits.ErrRange)
		}
	}
	if first := r.Newest - 1; first < track.Reach && r.Mask>>first != 0 {
		p.Fail(bits.ErrRange)
	}
}

// packMissing packs the places of the n bits that are not set, ascending.
func packMissing(p *bits.Packer, mask *uint64, n int) {
	left, place := ^*mask, -1
	if !p.Writing() {
		*mask = 1<<64 - 1
	}
	for ; n > 0; n-- {
		lowest := place + 1
		place = max(mathbits.TrailingZeros64(left), lowest)
		p.Ranged(&place, lowest, 64-n)
		left &^= 1 << place
		if !p.Writing() {
			*mask &^= 1 << place
		}
	}
}

// widen returns the time nearest to about whose low 32 bits are low.
func widen(low uint32, about clock.Micros) clock.Micros {
	return about + clock.Micros(int32(low-uint32(about)))
}
