package movement

import (
	"fmt"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/golden"
)

// TestGoldenModes swims, flies, is launched, follows a path and walks up a wall and
// around a planet for 40 s. The hashes are the same on every processor (PRF-14).
func TestGoldenModes(t *testing.T) {
	var w, p collide.Builder
	lake(&w)
	w.VolumeBox(collide.Volume{Launch: geom.V(-6, 8, 1)}, geom.V(14, 2.5, 0), geom.V(2, 1, 4), geom.IdentityQuat)
	box(&w, geom.V(-40, .3, -24), geom.V(40, 9, -22), collide.Surface{})
	w.VolumeBox(collide.Volume{Up: geom.V(0, 0, 1)}, geom.V(0, 5, -21), geom.V(30, 4, 1.2), geom.IdentityQuat)
	w.VolumeBox(collide.Volume{Up: geom.Up, Priority: -1}, geom.Vec3{}, geom.V(99, 99, 99), geom.IdentityQuat)
	planet(&p, 8)
	m := DefaultModel()
	m.MaxJumpHold, m.MaxJumps, m.Buoyancy, m.Paths = .2, 2, 1.1, []collide.Path{tour()}
	var f StepContext
	var out strings.Builder
	for i, world := range []*collide.Builder{&w, &p} {
		for _, hz := range []int{60, 144} {
			b := inOnly(t, 60, geom.V(float64(12-12*i), 8.5, 0), world)
			s, pl, h, events := b.s, player{dice: uint32(hz)}, uint64(0), 0
			for n := range int64(40 * hz) {
				now := clock.TickTime(n, hz)
				c := pl.at(now)
				c.Pitch, c.Up = .5*float64(int(pl.dice%5)-2), float64(pl.dice%3)-1
				c.Quantise()
				switch b.w.At = now; {
				case n%int64(7*hz) == int64(3*hz) && i == 0:
					s.EnterPath(1, now)
				case n%int64(7*hz) == int64(4*hz):
					s.LeavePath()
				case n%int64(11*hz) == int64(5*hz):
					s.Mode = Flying
				case n%int64(11*hz) == int64(7*hz) && s.Mode == Flying:
					s.Mode = Falling
				}
				Step(&m, &s, &c, clock.TickTime(n+1, hz)-now, &b.w, &f)
				h = h*1099511628211 ^ s.Hash()
				events += len(f.Events())
				if s.Position.Len() > 60 {
					s = Spawn(geom.V(float64(12-12*i), 8.5, 0), 0)
				}
			}
			fmt.Fprintf(&out, "world %d, %d Hz: %d events, hash %016x\n", i, hz, events, h)
		}
	}
	golden.Check(t, "testdata/modes.golden", out.String())
}
