package damage

// MaxRemembered is how many receipts of one shooter are known to have been taken. Older ones
// than those are refused rather than counted twice.
const MaxRemembered = 64

// memory is which receipts of one shooter were taken: fixed in size. The zero memory has
// taken none.
type memory struct {
	taken   [MaxRemembered]receipt
	count   int
	horizon uint32 // no shot up to this number is taken any more …
	past    bool   // … where there is one
}

// receipt names one.
type receipt struct {
	shot  uint32
	stage uint8
}

// take notes that a receipt is taken: Done, or why it is not.
func (m *memory) take(r receipt) Outcome {
	for i := range m.count {
		if m.taken[i] == r {
			return Duplicate
		}
	}
	if m.past && newer(r.shot, m.horizon) <= 0 {
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
	m.horizon, m.past = r.shot, true
	return Applied
}

// oldest returns the place of the receipt of the oldest shot.
func (m *memory) oldest() int {
	least := 0
	for i := range m.taken {
		if newer(m.taken[i].shot, m.taken[least].shot) < 0 {
			least = i
		}
	}
	return least
}

// newer returns by how much a is newer than b, both numbers that wrap (THR-31).
func newer(a, b uint32) int32 { return int32(a - b) }
