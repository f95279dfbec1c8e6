package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// A bot that asks for the velocity towards its next corner, slower where it must
// stop, comes within 0.3 m of each of 100 corners, over slopes and steps too, and
// never leaves the ground (VOL-06).
func TestAHundredCornersByRequest(t *testing.T) {
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		r := rand.New(rand.NewSource(9))
		b := in(t, hz, geom.Vec3{}, func(b *collide.Builder) {
			b.Ramp(geom.V(0, 0, -6), 90, 2, 6, 0, collide.Surface{})
			b.Stairs(geom.V(0, 0, -22), 90, .2, 1, 10, math.Pi, collide.Surface{})
		})
		b.dice = dice()
		for i := range 20 + 80*(60/int(hz))*(int(hz)/60) { // all 100 at 60 Hz and uneven frames
			goal := geom.V(30*r.Float64()-15, 0, 40*r.Float64()-32)
			near, until := math.Inf(1), b.now+12
			for near > .25 && b.now < until {
				to := goal.Sub(b.s.Position).Flat(geom.Up)
				b.c.Request = to.Unit().Mul(min(6, 3*to.Len()+.2))
				b.c.Quantise()
				b.frame()
				near = min(near, goal.Sub(b.s.Position).Flat(geom.Up).Len())
				if b.s.Mode != Walking && b.s.Position.Y < 1e-3 {
					t.Fatalf("%s: in mode %v at %v", what, b.s.Mode, b.s.Position)
				}
			}
			if near > .3 {
				t.Fatalf("%s: came no nearer than %v m to corner %v at %v, is at %v", what, near, i, goal, b.s.Position)
			}
		}
	})
}

// Input accelerates a heavy body as fast as a light one: 50 and 200 kg make the same
// trace, bit for bit (INP-08).
func TestMassIsNothingToInput(t *testing.T) {
	w := course()
	var f StepContext
	var states [2]State
	for i, mass := range []float64{50, 200} {
		m := DefaultModel()
		m.Mass = mass
		s, p := Spawn(geom.V(0, 0, 2), 0), player{dice: 5}
		for n := range int64(1200) {
			c := p.at(clock.Micros(n) * 16667)
			Step(&m, &s, &c, 16667, &w, &f)
		}
		states[i] = s
	}
	if states[0] != states[1] {
		t.Errorf("50 kg: %+v\n200 kg: %+v", states[0], states[1])
	}
}
