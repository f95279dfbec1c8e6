package track

import (
	"slices"
	"sync"
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// Any number of goroutines may read a history and a SentLog: four at once get what one gets
// alone (for the race detector).
func TestAHistoryIsReadAtOnce(t *testing.T) {
	s := newStage(3, fair())
	var views []View
	for tick := uint32(1); tick <= 200; tick++ {
		s.tick(tick)
		s.receive()
		if tick > 150 {
			views = append(views, s.anyView(clock.TickTime(int64(tick), rate)))
		}
	}
	look := func() (all []Entity) {
		for _, v := range views {
			server, client := s.server, s.client // the frames and what was sent are shared
			all = server.Entities(v, 0, all)
			all = client.Entities(v, 0, all)
		}
		return all
	}
	want := look()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if got := look(); !slices.Equal(got, want) {
				t.Errorf("at once: %d entities, want the %d that one sees alone", len(got), len(want))
			}
		})
	}
	group.Wait()
	if len(want) < 500 {
		t.Errorf("only %d entities were seen", len(want))
	}
}
