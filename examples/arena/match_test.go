package arena

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/transport/mem"
)

func TestOwnerAndServerAgreeWithoutLoss(t *testing.T) {
	for _, frame := range []int{60, 144} {
		s := newStage(yard(t), Spawn{Position: geom.V(0, 0.1, 4)})
		p := s.join(frame, mem.Network{RTT: 100e6}, tour)
		r := s.run(60 * clock.Second)
		f := r.Players[0]
		t.Logf("%d frames/s: corrections %d, up %.0f B/s, down %.0f B/s, %+v", frame, f.Corrections, f.Up, f.Down, p.Stats().Moves)
		if f.Corrections != 0 {
			t.Errorf("%d frames/s: got %d corrections, want 0: %+v", frame, f.Corrections, p.Stats())
		}
	}
}
