package movement

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// crest is a ramp of 20° that climbs towards −Z from z = 0 to z = −6, and one as
// steep behind it that leads down again.
func crest(b *collide.Builder) {
	top := 6 * math.Tan(math.Pi/9)
	b.Ramp(geom.V(0, 0, 0), 10, top, 6, 0, collide.Surface{})
	b.Ramp(geom.V(0, 0, -12), 10, top, 6, math.Pi, collide.Surface{})
}

func TestOverACrest(t *testing.T) { // AIR-08
	for _, hz := range rates {
		for _, catch := range []float64{0, 2} {
			b := in(t, hz, geom.V(0, 0, 3), crest)
			b.m.CatchAir = catch
			b.c.Forward = 1
			var from, off geom.Vec3
			left, frames, worst := 0.0, 0, 0.0
			for b.s.Position.Z > -11.5 {
				was := b.s
				b.step()
				switch {
				case b.s.Mode == Falling && was.Mode == Walking:
					from, off, left = b.s.Position, b.s.Velocity, b.now
				case b.s.Mode == Falling:
					s := b.now - left
					want := from.MulAdd(off, s).MulAdd(geom.Up, -b.m.Gravity*s*s/2)
					worst = max(worst, b.s.Position.Dist(want))
				}
				if b.s.Mode == Falling {
					frames++
				}
			}
			if catch == 0 {
				if frames != 0 {
					t.Errorf("%v Hz, without: %d frames in the air, want 0", hz, frames)
				}
				continue
			}
			if rise := 6 * math.Tan(math.Pi/9); math.Abs(off.Y-rise) > b.m.Gravity/hz+.01 || math.Abs(from.Z+6) > 6/hz+.2 {
				t.Errorf("%v Hz: left with %v m/s at %v, want %v upwards at the crest", hz, off, from, rise)
			}
			if worst > .01 || b.total[Landed] != 1 || b.total[WalkedOff] != 1 || float64(frames)/hz < .6 {
				t.Errorf("%v Hz: %v m off the ballistic curve in %d frames, left %d times and landed %d times; want ≤ 1 cm, once",
					hz, worst, frames, b.total[WalkedOff], b.total[Landed])
			}
		}
	}
}

func TestOverALedge(t *testing.T) { // AIR-08
	for _, c := range []struct {
		what        string
		drop, speed float64
		air, keep   bool
	}{
		{"runs over 30 cm", .3, 6, true, false},
		{"runs over 30 cm and may not leave ledges", .3, 6, false, true},
		{"walks over 15 cm", .15, 1, false, false},
		{"runs over 2 cm", .02, 6, false, false},
	} {
		for _, hz := range rates {
			b := in(t, hz, geom.V(0, c.drop, 3), func(b *collide.Builder) {
				box(b, geom.V(-9, 0, 0), geom.V(9, c.drop, 9), collide.Surface{})
			})
			b.m.CatchAir, b.m.MaxWalkSpeed, b.m.WalkOffLedges = 3, c.speed, !c.keep
			b.c.Forward = 1
			b.run(1.2/c.speed*6 + 1)
			if got := b.total[WalkedOff] > 0; got != c.air || b.s.Mode != Walking || b.s.Position.Z > -1 && !c.keep {
				t.Errorf("%s at %v Hz: left the ground %t, want %t; now %v at %v", c.what, hz, got, c.air, b.s.Mode, b.s.Position)
			}
		}
	}
}
