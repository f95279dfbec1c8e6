package damage

import "slices"

// MaxRemembered is how many receipts a Ledger remembers for each shooter. Older ones are refused,
// so that none is applied twice. A grenade is the older the more its thrower hits while it flies: these are the
// hits of a weapon with a cooldown of 20 ms within shot.MaxFuse.
const MaxRemembered = 512

// memory is the set of receipts of one shooter that were applied, bounded in size. The zero memory
// is empty.
type memory struct {
	taken   []receiptID // at most MaxRemembered; most entities never shoot, so it grows
	refused uint32      // shots up to this number are refused …
	expired bool        // … if any receipt was dropped
}

// receiptID identifies a receipt.
type receiptID struct {
	shot  uint32
	stage uint8
}

// take adds a receipt and returns Applied, or why it is refused.
func (m *memory) take(r receiptID) Outcome {
	if slices.Contains(m.taken, r) {
		return Duplicate
	}
	if m.expired && newer(r.shot, m.refused) <= 0 {
		return TooOld
	}
	if len(m.taken) < MaxRemembered {
		m.taken = append(m.taken, r)
		return Applied
	}
	oldest := m.oldest()
	if newer(r.shot, m.taken[oldest].shot) > 0 {
		m.taken[oldest], r = r, m.taken[oldest]
	}
	m.refused, m.expired = r.shot, true
	return Applied
}

// oldest returns the index of the receipt of the oldest shot.
func (m *memory) oldest() int {
	least := 0
	for i := range m.taken {
		if newer(m.taken[i].shot, m.taken[least].shot) < 0 {
			least = i
		}
	}
	return least
}

// newer returns by how many numbers a is newer than b. Numbers wrap (THR-31).
func newer(a, b uint32) int32 { return int32(a - b) }
