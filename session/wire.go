package session

import (
	"errors"

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

// holdGrid is the unit in which a hold travels: 16 bits of it are a second.
const holdGrid = 16 * clock.Microsecond

var (
	errFuture = errors.New("session: acknowledges a tick that has not been")
	errFull   = errors.New("session: the match is full")
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
	tick uint32
	part bool // a further part of this tick's snapshot: nothing but entities
	// heard tells whether the server has had a datagram of this client; sent is
	// the newest one's clock, and hold how long ago it came.
	heard bool
	sent  uint32
	hold  clock.Micros
}

func (h *serverHeader) pack(p *bits.Packer) {
	packKind(p, kindSnapshot)
	p.Uint32(&h.tick)
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

// packHold packs a short duration on a grid of 16 µs, at most a second.
func packHold(p *bits.Packer, d *clock.Micros) {
	n := uint16(min(max(*d/holdGrid, 0), 65535))
	p.Uint16(&n)
	*d = clock.Micros(n) * holdGrid
}

// packReceived packs which snapshots have come: the newest, and the mask in full.
func packReceived(p *bits.Packer, r *track.Received) {
	p.Uint32(&r.Newest)
	if r.Newest != 0 {
		p.Uint(&r.Mask, 64)
	}
}

// widen returns the time nearest to about whose low 32 bits are low.
func widen(low uint32, about clock.Micros) clock.Micros {
	return about + clock.Micros(int32(low-uint32(about)))
}
