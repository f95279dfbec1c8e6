package session

import (
	mathbits "math/bits"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/track"
)

// maxMissing is the most missing numbers that are listed one by one; if there are more,
// the mask is sent instead. A place takes up to 6 bits, so a longer list could be longer
// than the mask of 64.
const maxMissing = 10

// ackCodec encodes which numbers of a sequence from 1 arrived, as one end reports it to the
// other: ticks of snapshots, or sequence numbers of datagrams.
type ackCodec struct {
	width    int            // low bits of the newest number that are sent
	newest   uint32         // the newest that the reading end has sent
	schedule schedule       // the ticks that are sent; zero: every number
	skipped  track.Received // those of the schedule that were not sent
}

// pack packs which numbers arrived, in either direction: the low bits of the newest, then
// how many of the 64 before it are missing, and which, without those that are never sent. The
// reader takes the newest number with those bits that it has sent.
func (s *ackCodec) pack(p *bits.Packer, r *track.Received) {
	some := r.Newest != 0
	p.Bool(&some)
	if !some {
		*r = track.Received{}
		return
	}
	low := uint64(r.Newest) & (1<<s.width - 1)
	p.Uint(&low, s.width)
	if !p.Writing() {
		back := (uint64(s.newest) - low) & (1<<s.width - 1)
		if back >= uint64(s.newest) {
			p.Fail(errUnsent)
			*r = track.Received{}
			return
		}
		r.Newest = s.newest - uint32(back)
	}
	packed, n := s.compress(r)
	packMissing(p, &packed, n)
	if !p.Writing() {
		r.Mask = s.expand(r.Newest, packed)
	}
}

// compress returns the mask without the numbers that are never sent, and how many
// are left.
func (s *ackCodec) compress(r *track.Received) (mask uint64, n int) {
	before := int(min(r.Newest-1, track.ReceivedWindow))
	if s.schedule.every() {
		return r.Mask & (1<<before - 1), before
	}
	for i := range before {
		if s.schedule.sends(r.Newest - 1 - uint32(i)) {
			mask |= r.Mask >> i & 1 << n
			n++
		}
	}
	return mask, n
}

// expand undoes compress.
func (s *ackCodec) expand(newest uint32, mask uint64) uint64 {
	if s.schedule.every() {
		return mask
	}
	var wide uint64
	for i := range int(min(newest-1, track.ReceivedWindow)) {
		if s.schedule.sends(newest - 1 - uint32(i)) {
			wide |= mask & 1 << i
			mask >>= 1
		}
	}
	return wide
}

// packMissing packs which of the low n bits of the mask are not set: one bit if none is
// missing, else how many, and the place of each or, if there are many, the mask.
func packMissing(p *bits.Packer, mask *uint64, n int) {
	all := uint64(1)<<n - 1
	left := all &^ *mask
	some := left != 0
	p.Bool(&some)
	if !some {
		*mask = all
		return
	}
	count := min(mathbits.OnesCount64(left), maxMissing+1)
	p.Ranged(&count, 1, maxMissing+1)
	switch {
	case count > n:
		p.Fail(bits.ErrRange)
		*mask = all
	case count > maxMissing:
		p.Uint(mask, n)
		// So few are listed one by one. A mask with them would be a second form of the same report.
		if n-mathbits.OnesCount64(*mask) <= maxMissing {
			p.Fail(bits.ErrRange)
		}
	default:
		packPlaces(p, mask, n, count)
	}
}

// packPlaces packs the places of the count bits of n that are not set, ascending.
func packPlaces(p *bits.Packer, mask *uint64, n, count int) {
	all := uint64(1)<<n - 1
	left, place := all&^*mask, -1
	if !p.Writing() {
		*mask = all
	}
	for ; count > 0; count-- {
		lowest := place + 1
		place = max(mathbits.TrailingZeros64(left), lowest)
		p.Ranged(&place, lowest, n-count)
		left &^= 1 << place
		if !p.Writing() {
			*mask &^= 1 << place
		}
	}
}

// worstLoss is the worst loss of the recent past. The loss among 64 packets varies, and moves
// that were repeated by the newest figure alone would be too few when the loss returns.
type worstLoss struct{ share, run float64 }

// worstLossFade is the share by which the worst decays at each acknowledgement: half in 47 s, at 60 a
// second, since a link that lost a run of packets once soon does so again.
const worstLossFade = 1. / 4096

// update records the loss of an acknowledgement, and returns the worst of the recent past.
func (l *worstLoss) update(share float64, run int) (float64, int) {
	l.share = max(share, l.share-float64(l.share*worstLossFade))
	l.run = max(float64(run), l.run-float64(l.run*worstLossFade))
	return l.share, int(l.run + 0.5)
}

// reorderWindow is how many packets before the newest may still arrive, because they were
// overtaken: they do not count as lost yet.
const reorderWindow = 4

// lost returns the share of the last 64 numbers from first on that did not arrive, and
// the longest run of them.
func (s *ackCodec) lost(r track.Received, first uint32) (share float64, run int) {
	if r.Newest == 0 {
		return 0, 0
	}
	n, missing, streak := 0, 0, 0
	for i := reorderWindow; i < track.ReceivedWindow && uint32(i)+1 <= r.Newest-min(first, r.Newest); i++ {
		switch {
		case !s.schedule.sends(r.Newest - 1 - uint32(i)), s.skipped.Has(r.Newest - 1 - uint32(i)):
		case r.Mask>>i&1 != 0:
			n, streak = n+1, 0
		default:
			n, missing, streak = n+1, missing+1, streak+1
			run = max(run, streak)
		}
	}
	return float64(missing) / float64(max(n, 1)), run
}
