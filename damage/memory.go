package damage

// MaxRemembered is how many receipts a Ledger remembers for each shooter. Older ones are refused,
// so that none is applied twice.
const MaxRemembered = 64

// memory is the set of receipts of one shooter that were applied, fixed in size. The zero memory
// is empty.
type memory struct {
	taken   [MaxRemembered]receiptID
	count   int
	refused uint32 // shots up to this number are refused …
	expired bool   // … if any receipt was dropped
}

// receiptID identifies a receipt.
type receiptID struct {
	shot  uint32
	stage uint8
}

// take adds a receipt and returns Applied, or why it is refused.
func (m *memory) take(r receiptID) Outcome {
	for i := range m.count {
		if m.taken[i] == r {
			return Duplicate
		}
	}
	if m.expired && newer(r.shot, m.refused) <= 0 {
		return TooOld
	}
	if m.count < MaxRemembered {
		m.taken[m.count] = r
		m.count++
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
