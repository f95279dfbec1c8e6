package shot

import (
	"bytes"
	"sync"
	"testing"
)

// Matches of one process share a table: packing it for the one does not touch what the
// other reads (for the race detector).
func TestATableIsPackedAtOnce(t *testing.T) {
	list := Table{{Name: "shotgun", Range: 40, Cooldown: Rifle().Cooldown, Reload: Rifle().Reload, Magazine: 5, Pellets: 2, Damage: Rifle().Damage,
		Spread: Spread{Cone: 0.1, Pattern: [][2]float64{{0, 0.5}, {0.25, 0}}}}}
	want := list.Append(nil)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for range 100 {
				if got := list.Append(nil); !bytes.Equal(got, want) {
					t.Errorf("packed beside another: got % x, want % x", got, want)
					return
				}
			}
		})
	}
	group.Wait()
}
