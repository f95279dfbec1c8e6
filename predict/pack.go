package predict

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// maxSendAge is the age beyond which a move is not sent: the low bits of its stamp must still
// be unambiguous after a network held the packet for 6 s.
const maxSendAge = 4 * clock.Second

// Pack writes the moves that were never sent, and before them, without a gap, the
// unacknowledged ones that were sent in too few packets so far (GAP-21; see SetLoss), into at
// most budget bytes. Where not all fit, moves that were sent before are left out first, then
// the newest moves, which the next packet carries. Where acknowledgements are overdue it
// writes all saved moves, so that the first packet that gets through after a stall brings
// everything. It returns the number of moves written. If not even one move fits, the error is
// bits.ErrShort. Without moves it writes 17 bits, which still carry the epoch.
func (o *Owner[S, C]) Pack(p *bits.Packer, budget int) int {
	if p.Err() != nil {
		return 0
	}
	o.skipExpired()
	fresh := o.unsent()
	again := min(o.resendable(fresh), MaxMoves-min(fresh, MaxMoves))
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

// unsent returns how many saved moves were never sent.
func (o *Owner[S, C]) unsent() int { return min(newer(o.number, o.sent), o.Unacked()) }

// skipExpired gives up moves that were never sent and are older than maxSendAge.
func (o *Owner[S, C]) skipExpired() {
	for n := o.unsent(); n > 0 && o.stamp-o.slot(o.number-uint32(n-1)).Stamp > maxSendAge; n-- {
		o.sent = o.number - uint32(n-1)
	}
}

// resendable returns how many of the moves that were sent before are sent again: back to the
// oldest that was sent in too few packets. An important move (a shot, a jump, a landing) is
// sent in twice as many packets, since players notice its loss (CMD-09). After that it is sent until it is
// acknowledged, but only with 16, 32, 64 … moves after it: the packet carries all of those too, and would lengthen
// the queue of a congested link.
func (o *Owner[S, C]) resendable(fresh int) int {
	n, sent, least := 0, o.Unacked()-fresh, o.redundancy()
	if o.stalled() {
		o.count.Stalled++
		least = 1 << 8 // more than sends counts
	}
	twice := min(2*least, maxRedundancy)
	for i := range sent {
		after := fresh + i // moves
		m := o.slot(o.number - uint32(after))
		if o.stamp-m.Stamp > maxSendAge {
			break // all earlier ones are older still
		}
		if int(m.sends) < least || m.important && (int(m.sends) < twice || after&(after-1) == 0) {
			n = i + 1
		}
	}
	return n
}

// write packs the oldest fresh moves that were never sent, with again older ones before them.
// The first is coded against the newest acknowledged move, or against none where
// acknowledgements are overdue, since the authority may have forgotten the baseline.
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
	m.baseline = nil
	baseline := &o.slot(o.acked).Command
	if baseline.Number == o.acked && baseline.Duration > 0 && newer(first, o.acked) <= maxBehind+1 && !o.stalled() {
		m.baseline = baseline
	}
	m.pack(p, o.rules, o.stamp, nil)
}

// packed updates the counts of the moves that write wrote.
func (o *Owner[S, C]) packed(again, fresh int) {
	for i := range o.out.count {
		s := o.slot(o.out.moves[i].Number)
		s.sends = min(s.sends, 254) + 1
	}
	if fresh > 0 {
		o.sent = o.out.moves[o.out.count-1].Number
		o.pending = o.pending && o.sent != o.number
	}
	o.count.Sent += fresh
	o.count.Resent += again
}
