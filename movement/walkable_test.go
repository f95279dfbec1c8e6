package movement

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// facings are one plane, at radians from the level and turned by yaw, through the
// origin, as each kind of shape.
var facings = []struct {
	kind  string
	build func(b *collide.Builder, angle, yaw float64)
}{
	{"a triangle", func(b *collide.Builder, angle, yaw float64) {
		q := tilted(angle, yaw)
		v := []geom.Vec3{q.Rotate(geom.V(-9, 0, 8)), q.Rotate(geom.V(9, 0, 8)), q.Rotate(geom.V(0, 0, -9))}
		if _, err := b.Triangles(v, []uint32{0, 1, 2}, collide.Surface{}); err != nil {
			panic(err)
		}
	}},
	{"a box", func(b *collide.Builder, angle, yaw float64) {
		q := tilted(angle, yaw)
		b.Box(q.Rotate(geom.V(0, -1, 0)), geom.V(8, 1, 8), q, collide.Surface{})
	}},
	{"a hull", func(b *collide.Builder, angle, yaw float64) {
		q := tilted(angle, yaw)
		v := []geom.Vec3{geom.V(-9, 0, 8), geom.V(9, 0, 8), geom.V(0, 0, -9), geom.V(0, -5, 0)}
		for i := range v {
			v[i] = q.Rotate(v[i])
		}
		if _, err := b.Hull(v, collide.Surface{}); err != nil {
			panic(err)
		}
	}},
}

// tilted is the turn of a floor to that slope, climbing towards that yaw.
func tilted(angle, yaw float64) geom.Quat {
	return geom.AxisAngle(geom.Right(yaw), angle)
}

// A slope at exactly the limit is walkable whichever way it faces, whatever it is made
// of and wherever gravity points; 0.01° more is not.
func TestExactlyTheWalkableAngle(t *testing.T) { // FLR-07
	defer func() { upward = geom.Vec3{} }()
	for _, up := range append([]geom.Vec3{{}}, upwards...) {
		upward = up
		for _, limit := range []float64{30, 44.765, 60} {
			for _, more := range []float64{0, .01} {
				for _, shape := range facings {
					walks := 0
					for yaw := range 360 {
						w := level()
						angle := (limit + more) * math.Pi / 180
						shape.build(w, angle, float64(yaw)*math.Pi/180)
						b := inOnly(t, 60, geom.V(0, .34*(1/math.Cos(angle)-1)+midFloor, 0), w)
						b.m.WalkableSlope = limit * math.Pi / 180
						b.step()
						if b.s.Mode == Walking {
							walks++
						}
					}
					if want := map[bool]int{true: 360}[more == 0]; walks != want {
						t.Errorf("%s of %v° + %v°, limit %v°, up %v: walkable at %d of 360 yaws, want %d",
							shape.kind, limit, more, limit, up, walks, want)
					}
				}
			}
		}
	}
}
