package movement_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
)

// To and fro in a plane over a box, with jumps and dashes aslant, on a line of 150 ms
// with 5 % loss.
func TestAPlaneIsPredicted(t *testing.T) { // PRF-15
	w := newLink(t, 16*clock.Millisecond)
	w.game.model.Plane = movement.Plane{Normal: geom.V(.6, 0, .8)}
	w.drop = 20
	w.begin(movement.Spawn(geom.V(0, .02, 0), 0))
	for i := range 30 {
		w.input.Forward = float64(1 - 2*(i/5%2))
		w.input.Jump, w.input.Dash = i%3 == 1, i%4 == 2
		w.run(clock.Second/2, nil)
	}
	w.settle()
	p := w.owner.State().Position
	if c := w.owner.Counters(); c.Corrections != 0 || p.Dot(w.game.model.Plane.Normal) > 1e-9 || w.owner.State().Motion.LastID == 0 {
		t.Errorf("%d corrections at %v, want 0", c.Corrections, p)
	}
}
