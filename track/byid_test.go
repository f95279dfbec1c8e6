package track_test

import (
	"testing"

	"github.com/backstep-net/backstep/track"
)

// Values of IDs that were never set are zero, and setting a larger one keeps the others. [WIR-21]
func TestByIDGrowsWithTheLargestID(t *testing.T) {
	var l track.ByID[int]
	for _, id := range []track.ID{3, track.MaxID, 0} {
		*l.At(id) = int(id) + 1
	}
	for id, want := range map[track.ID]int{0: 1, 1: 0, 3: 4, 4: 0, track.MaxID: int(track.MaxID) + 1} {
		if got := l.Get(id); got != want {
			t.Errorf("ID %d: got %d, want %d", id, got, want)
		}
	}
	if got := l.Get(track.MaxID + 1); got != 0 || len(l) != int(track.MaxID)+1 {
		t.Errorf("beyond the largest: got %d, length %d", got, len(l))
	}
}
