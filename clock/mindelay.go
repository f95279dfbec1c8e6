package clock

// The window of MinDelay.
const (
	minDelayBin  = 250 * Millisecond // a bin keeps the minimum of this long
	minDelayBins = 8                 // so the window is 2 s
)

// MinDelay is a sliding minimum of delays over the last 2 s: over the 250 ms bin of the newest
// instant and the seven bins before. The zero MinDelay is ready to use and empty. It allocates
// nothing.
type MinDelay struct {
	bins    [minDelayBins]binMinimum
	newest  Micros // the bin of the last Note
	minimum Micros // of the window up to it
}

// binMinimum is the minimum of one bin.
type binMinimum struct {
	bin, least Micros
	used       bool
}

// Note adds a delay at an instant and returns the minimum of the 2 s up to it. The instant may be
// earlier than that of the Note before; bins that newer delays have replaced are then missing
// from the minimum.
func (l *MinDelay) Note(at, delay Micros) Micros {
	n := at / minDelayBin
	b := &l.bins[uint64(n)%minDelayBins]
	if b.used && b.bin == n && n == l.newest {
		b.least, l.minimum = min(b.least, delay), min(l.minimum, delay)
		return l.minimum
	}
	if !b.used || b.bin != n || delay < b.least {
		*b = binMinimum{n, delay, true}
	}
	l.newest, l.minimum = n, b.least
	for _, b := range l.bins {
		if b.used && b.bin > n-minDelayBins && b.bin <= n {
			l.minimum = min(l.minimum, b.least)
		}
	}
	return l.minimum
}

// Delay returns the result of the last Note, zero before the first.
func (l *MinDelay) Delay() Micros { return l.minimum }
