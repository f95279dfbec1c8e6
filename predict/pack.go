package predict

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// reach is how old a move may be that is sent: its stamp's low bits must still be
// understood where a network held the packet for 6 s.
const reach = 4 * clock.Second

// Pack writes the moves that were never sent, and before them, without a gap, those
// not acknowledged that rode in fewer packets than they should (GAP-21; see Line),
// into at most budget bytes: what was sent before gives way first, then the newest
// moves, which the next packet then carries. Where nothing was acknowledged for
// much longer than usual it writes all that there are, so that the first packet which gets
// through after a freeze heals it. It returns how many moves were written. Not one
// fitting is bits.ErrShort. Without moves it writes 17 bits, which still tell the
// epoch.
func (o *Owner[S, C]) Pack(p *bits.Packer, budget int) int {
	if p.Err() != nil {
		return 0
	}
	o.giveUp()
	fresh := o.unsent()
	again := min(o.again(fresh), MaxMoves-min(fresh, MaxMoves))
	fresh = min(fresh, MaxMoves)
	start := p.Bits()
	for {
		o.write(p, again, fresh)
		if p.Err() == nil && p.Bits()-start > budget*8 {
			p.Fail(bits.ErrShort)
		}
		if p.Err() == nil {
			break
		}
		if p.Err() != bits.ErrShort || again+fresh <= 1 {
			return 0
		}
		p.Rewind(start)
		if again > 0 {
			again -= (again + 3) / 4
		} else {
			fresh -= (fresh + 3) / 4
		}
	}
	o.packed(again, fresh)
	return again + fresh
}

// unsent counts the moves that were never sent.
func (o *Owner[S, C]) unsent() int { return min(newer(o.number, o.sent), o.Unacked()) }

// giveUp passes over moves that were never sent and are out of reach.
func (o *Owner[S, C]) giveUp() {
	for n := o.unsent(); n > 0 && o.stamp-o.slot(o.number-uint32(n-1)).Stamp > reach; n-- {
		o.sent = o.number - uint32(n-1)
	}
}

// again counts the moves sent before that are worth sending again: back to the oldest
// that rode too seldom. One that changed what Rules.Digest sums up (a shot, a jump, a
// landing) rides until it is acknowledged, in mostFold packets at most: losing it is
// felt (CMD-09).
func (o *Owner[S, C]) again(fresh int) int {
	n, most, fold, tells := 0, o.Unacked()-fresh, o.fold(), mostFold
	if o.stalled() {
		o.count.Stalled++
		fold, tells = 1<<8, 1<<8 // more than rode counts
	}
	for i := range most {
		m := o.slot(o.number - uint32(fresh+i))
		if int(m.rode) >= tells || o.stamp-m.Stamp > reach {
			break // as did all before it
		}
		if m.tells || int(m.rode) < fold {
			n = i + 1
		}
	}
	return n
}

// write packs the oldest fresh moves never sent, with again older ones before them,
// coded against the newest move that the authority is known to have had; against none
// where it has been silent for long, since it may have forgotten.
func (o *Owner[S, C]) write(p *bits.Packer, again, fresh int) {
	first := o.number + 1 - uint32(o.unsent()+again)
	m := &o.out
	m.epoch, m.count = o.epoch&(1<<epochBits-1), again+fresh
	for i := range m.count {
		m.moves[i] = o.slot(first + uint32(i)).Command
	}
	if m.count > 0 {
		s := o.slot(m.moves[m.count-1].Number)
		m.claim = claimOf(s.after.position, s.after.digest, s.Number)
	}
	m.base = nil
	base := &o.slot(o.acked).Command
	if base.Number == o.acked && base.Duration > 0 && newer(first, o.acked) <= maxBehind+1 && !o.stalled() {
		m.base = base
	}
	m.pack(p, o.rules, o.stamp, nil)
}

// packed books what write wrote last.
func (o *Owner[S, C]) packed(again, fresh int) {
	for i := range o.out.count {
		s := o.slot(o.out.moves[i].Number)
		s.rode = min(s.rode, 254) + 1
	}
	if fresh > 0 {
		o.sent = o.out.moves[o.out.count-1].Number
		o.pending = o.pending && o.sent != o.number
	}
	o.count.Sent += fresh
	o.count.Resent += again
}
