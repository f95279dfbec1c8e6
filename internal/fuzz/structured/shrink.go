package structured

// Shrink returns a short input that still fails: it takes out pieces, halves of it first and single
// bytes last, and then makes the bytes that are left small, for as long as that still fails
// (delta debugging). It calls fails at most tries times. b itself has to fail.
func Shrink(b []byte, tries int, fails func([]byte) bool) []byte {
	s := shrinker{best: append([]byte(nil), b...), tries: tries, fails: fails}
	for again := true; again && s.tries > 0; {
		again = s.without()
		again = s.smaller() || again
	}
	return s.best
}

type shrinker struct {
	best  []byte
	tries int
	fails func([]byte) bool
}

// take keeps an input if it fails.
func (s *shrinker) take(b []byte) bool {
	if s.tries--; s.tries < 0 || !s.fails(b) {
		return false
	}
	s.best = b
	return true
}

// without takes out pieces, and reports whether it could.
func (s *shrinker) without() (any bool) {
	for n := max(1, len(s.best)/2); n > 0; n /= 2 {
		for at := 0; at+n <= len(s.best); {
			left := append(append([]byte(nil), s.best[:at]...), s.best[at+n:]...)
			if s.take(left) {
				any = true
			} else {
				at += n
			}
		}
	}
	return any
}

// smaller makes each byte zero, or half of what it is.
func (s *shrinker) smaller() (any bool) {
	for i := range s.best {
		for _, v := range []byte{0, s.best[i] / 2, s.best[i] - 1} {
			if s.best[i] == 0 || v == s.best[i] {
				break
			}
			b := append([]byte(nil), s.best...)
			if b[i] = v; s.take(b) {
				any = true
				break
			}
		}
	}
	return any
}
