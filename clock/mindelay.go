package clock

// How long Least remembers.
const (
	leastBin  = 250 * Millisecond // a bin keeps the least of this long
	leastBins = 8                 // so over 2 s
)

// MinDelay is the least delay of the last 2 s: of the 250 ms that the newest instant noted
// falls into, and of the seven before. The zero Least is ready and knows none. It
// allocates nothing.
type MinDelay struct {
	bins   [leastBins]leastDelay
	newest Micros // the bin noted last
	least  Micros // of the bins up to it
}

// leastDelay is the least delay of one bin.
type leastDelay struct {
	bin, least Micros
	used       bool
}

// Note takes the delay of what happened at an instant, and returns the least of the
// 2 s up to it. It may be earlier than the one before: then of what newer ones took the
// place of, nothing is known any more.
func (l *MinDelay) Note(at, delay Micros) Micros {
	n := at / leastBin
	b := &l.bins[uint64(n)%leastBins]
	if b.used && b.bin == n && n == l.newest {
		b.least, l.least = min(b.least, delay), min(l.least, delay)
		return l.least
	}
	if !b.used || b.bin != n || delay < b.least {
		*b = leastDelay{n, delay, true}
	}
	l.newest, l.least = n, b.least
	for _, b := range l.bins {
		if b.used && b.bin > n-leastBins && b.bin <= n {
			l.least = min(l.least, b.least)
		}
	}
	return l.least
}

// Delay returns what Note returned last; zero before the first.
func (l *MinDelay) Delay() Micros { return l.least }
