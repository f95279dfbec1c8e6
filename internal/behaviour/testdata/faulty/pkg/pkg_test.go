package pkg

// What the whole file is about: NEW-02 to NEW-03, OLD-03.

import "testing"

const speed = 6

// The situation in words (OLD-01, OLD-02, NEW-01, BAD-14, BAD-15, ODD-02).
func TestComment(t *testing.T) {}

func TestBody(t *testing.T) { // NEW-02
}

func FuzzBody(f *testing.F) {}

func BenchmarkHead(b *testing.B) {}

// BAD-17 is cited here, where nothing reads it but TestBefore.
func TestBefore(t *testing.T) {}

func TestNeighbour(t *testing.T) {}

// What was NEW-99 once, and UTF-16, which is no row (BAD-18).
func TestOld(t *testing.T) {}

// Each file under testdata, and two words. NEW-04.
func TestTranscripts(t *testing.T) {
	t.Run("two words", func(t *testing.T) {})
}
