package body_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// mesh is a floor at height 0 of loose triangles of 1 m, cut both ways.
func mesh(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	const n = 12
	var v []geom.Vec3
	var idx []uint32
	for z := range uint32(n + 1) {
		for x := range uint32(n + 1) {
			v = append(v, geom.V(float64(x)-n/2, 0, float64(z)-n/2))
		}
	}
	for z := range uint32(n) {
		for x := range uint32(n) {
			a := z*(n+1) + x
			c := a + n + 1
			if (x+z)%2 == 0 {
				idx = append(idx, a, c, a+1, a+1, c, c+1)
			} else {
				idx = append(idx, a, c, c+1, a, c+1, a+1)
			}
		}
	}
	if _, err := b.Triangles(v, idx, collide.Surface{}); err != nil {
		t.Fatal(err)
	}
	return b.MustBake()
}

// A box put on a floor of one box, of many triangles, or let fall on it from 5 cm, stays
// where it is and sleeps.
func TestBoxStands(t *testing.T) {
	for name, level := range map[string]*collide.World{"box": floor(t, nil), "mesh": mesh(t)} {
		for _, drop := range []float64{0, 0.05} {
			w := body.New(level, body.Config{})
			b := body.NewBox(geom.V(0.4, 0.3, 0.5), 20)
			b.Position, b.Rotation = geom.V(0.2, 0.3+drop, 0.1), geom.YawQuat(0.5)
			id := w.Add(b)
			run(w, 3*clock.Second, nil)
			m := w.Motion(id)
			near(t, name+": metres from where it was put", m.Position.Dist(geom.V(0.2, 0.3, 0.1)), 0, 0.003)
			if !m.Asleep {
				t.Errorf("%s, dropped %.2f m: after 3 s got %+v, want it asleep", name, drop, m)
			}
		}
	}
}

// A box slides over the seams of a floor of triangles as over one plane: it slows by μ·g
// and does not leave the floor.
func TestBoxSlidesOverSeams(t *testing.T) {
	for name, level := range map[string]*collide.World{"box": floor(t, nil), "mesh": mesh(t)} {
		for _, yaw := range []float64{0, 0.3, math.Pi / 4} {
			w := body.New(level, body.Config{})
			b := body.NewBox(geom.V(0.3, 0.2, 0.3), 5)
			b.Friction, b.LinearDamping, b.AngularDamping = 0.2, 0, 0
			b.Position, b.Velocity, b.Rotation = geom.V(-4.3, 0.2, 0.13), geom.V(5, 0, 0.3), geom.YawQuat(yaw)
			id := w.Add(b)
			highest := 0.0
			run(w, 3*clock.Second, func(clock.Micros) { highest = max(highest, w.Motion(id).Position.Y) })
			m := w.Motion(id)
			way := m.Position.Sub(b.Position)
			v := b.Velocity.LenSq()
			near(t, name+": how far it slid, m", way.Len(), v/(2*0.2*g), 0.1)
			near(t, name+": how high its middle came, m", highest, 0.2, 0.005)
		}
	}
}

// A box slides over the seam of two floors that are triangulated differently, so that no corner of the
// large triangle lies on its neighbour, in both directions. It neither trips nor jumps.
func TestBoxSlidesOverATJunction(t *testing.T) {
	var b collide.Builder
	v := []geom.Vec3{
		{X: -9, Z: -9}, {X: 0, Z: -9}, {X: 0, Z: 9}, {X: -9, Z: 9}, // one edge of 18 m
		{X: 0, Z: -3}, {X: 9, Z: -3}, {X: 9, Z: 2}, {X: 0, Z: 2}, // and 5 m of it continued
	}
	if _, err := b.Triangles(v, []uint32{0, 2, 1, 0, 3, 2, 4, 6, 5, 4, 7, 6}, collide.Surface{}); err != nil {
		t.Fatal(err)
	}
	level := b.MustBake()
	for _, direction := range []float64{1, -1} {
		for _, yaw := range []float64{0, 0.4, math.Pi / 4} {
			w := body.New(level, body.Config{})
			x := undamped(body.NewBox(geom.V(0.3, 0.2, 0.3), 5))
			x.Friction, x.Rotation = 0.2, geom.YawQuat(yaw)
			x.Position, x.Velocity = geom.V(-direction*2, 0.2, 0.3), geom.V(direction*4, 0, 0)
			id := w.Add(x)
			highest := 0.0
			run(w, 3*clock.Second, func(clock.Micros) { highest = max(highest, w.Motion(id).Position.Y) })
			near(t, "how far it slid, m", w.Motion(id).Position.Dist(x.Position), 16/(2*0.2*g), 0.1)
			near(t, "how high its middle came, m", highest, 0.2, 0.005)
		}
	}
}

// On an incline a box stays exactly if tan θ < μ, and otherwise slides with
// g·(sin θ − μ·cos θ).
func TestBoxOnAnIncline(t *testing.T) {
	for _, angle := range []float64{0.2, 0.35, 0.5} {
		for _, ratio := range []float64{0.8, 0.95, 1.05, 1.5} {
			w := body.New(tilted(angle), body.Config{RestAfter: -1})
			b := body.NewBox(geom.V(0.4, 0.2, 0.4), 8)
			mu := ratio * math.Tan(angle)
			b.Friction, b.LinearDamping, b.AngularDamping = mu, 0, 0
			b.Rotation = geom.AxisAngle(geom.V(0, 0, 1), -angle)
			b.Position = b.Rotation.Rotate(geom.V(0, 0.2, 0))
			id := w.Add(b)
			run(w, 2*clock.Second, nil)
			got, want := w.Motion(id).Position.Dist(b.Position), 0.0
			if ratio < 1 {
				want = 2 * g * (math.Sin(angle) - mu*math.Cos(angle))
			}
			near(t, "metres slid in 2 s", got, want, 0.025)
		}
	}
}

// Five boxes on each other stand and sleep.
func TestStackStands(t *testing.T) {
	for name, level := range map[string]*collide.World{"box": floor(t, nil), "mesh": mesh(t)} {
		w := body.New(level, body.Config{})
		var ids []body.ID
		for i := range 5 {
			b := body.NewBox(geom.V(0.25, 0.25, 0.25), 10)
			b.Position = geom.V(0.3+0.01*float64(i%2), 0.25+0.505*float64(i), 0.2)
			ids = append(ids, w.Add(b))
		}
		slept := clock.Micros(0)
		run(w, 10*clock.Second, func(at clock.Micros) {
			if slept == 0 && w.Awake() == 0 {
				slept = at
			}
		})
		for i, id := range ids {
			m := w.Motion(id)
			near(t, name+": height in the stack, m", m.Position.Y, 0.25+0.5*float64(i), 0.01)
			near(t, name+": upright", m.Rotation.Rotate(geom.Up).Y, 1, 1e-4)
		}
		if slept == 0 || slept > 5*clock.Second {
			t.Errorf("%s: asleep after %.1f s (0: never), want by 5 s", name, slept.Seconds())
		}
	}
}

// A box on the edge of a platform stays if its middle is over it, and tips and falls if it
// is beyond.
func TestBoxTipsOverAnEdge(t *testing.T) {
	level := floor(t, func(b *collide.Builder) {
		b.Box(geom.V(-2, 1, 0), geom.V(2, 1, 2), geom.IdentityQuat, collide.Surface{})
	})
	for _, x := range []float64{-0.1, -0.02, 0.02, 0.1} {
		w := body.New(level, body.Config{})
		b := body.NewBox(geom.V(0.4, 0.3, 0.4), 20)
		b.Position = geom.V(x, 2.3, 0)
		id := w.Add(b)
		run(w, 4*clock.Second, nil)
		m := w.Motion(id)
		if x < 0 {
			near(t, "height of a box whose middle is over the platform, m", m.Position.Y, 2.3, 0.005)
		} else if m.Position.Y > 0.5 {
			t.Errorf("a box whose middle is %.2f m beyond the edge: got height %.2f, want it on the floor", x, m.Position.Y)
		}
		if !m.Asleep {
			t.Errorf("after 4 s: got %+v, want it asleep", m)
		}
	}
}

// A capsule that is let fall askew lies down and sleeps.
func TestCapsuleLiesDown(t *testing.T) {
	for name, level := range map[string]*collide.World{"box": floor(t, nil), "mesh": mesh(t)} {
		w := body.New(level, body.Config{})
		b := body.NewCapsule(0.2, 0.6, 10)
		b.Position, b.Rotation = geom.V(0.1, 0.7, 0.3), geom.AxisAngle(geom.V(0.6, 0, 0.8), 0.3)
		id := w.Add(b)
		run(w, 8*clock.Second, nil)
		m := w.Motion(id)
		near(t, name+": height of its middle, m", m.Position.Y, 0.2, 0.003)
		near(t, name+": its axis against the vertical", m.Rotation.Rotate(geom.Up).Y, 0, 0.01)
		if !m.Asleep {
			t.Errorf("%s: after 8 s got %+v, want it asleep", name, m)
		}
	}
}

// A box that spins freely about its middle axis turns over and over; its angular momentum
// stays and its energy does not grow (Dzhanibekov).
func TestFreeSpinKeepsItsMomentum(t *testing.T) {
	w := body.New(nil, body.Config{Gravity: -1})
	b := body.NewBox(geom.V(0.1, 0.2, 0.4), 3)
	b.LinearDamping, b.AngularDamping, b.AngularVelocity = 0, 0, geom.V(0.01, 8, 0.01)
	id := w.Add(b)
	inertia := b.Inertia()
	momentum := func() (l geom.Vec3, energy float64) {
		m := w.Motion(id)
		j := m.Rotation.Diagonal(inertia)
		l = j.Mul(m.AngularVelocity)
		return l, l.Dot(m.AngularVelocity) / 2
	}
	l0, e0 := momentum()
	turned := 1.0
	last := e0
	run(w, 20*clock.Second, func(clock.Micros) {
		_, e := momentum()
		if e > last*(1+1e-12) {
			t.Errorf("energy: got %v, want no more than %v", e, last)
		}
		last = e
		m := w.Motion(id)
		turned = min(turned, m.Rotation.Rotate(geom.Up).Dot(geom.Up))
	})
	l, e := momentum()
	near(t, "angular momentum that came or went, part", l.Dist(l0)/l0.Len(), 0, 0.01)
	near(t, "energy left, part", e/e0, 1, 0.01)
	near(t, "its axis at the most, upside down", turned, -1, 0.05)
}

// A ball and a box thrown into the corner of a room stay in it and sleep.
func TestCornerHolds(t *testing.T) {
	level := floor(t, func(b *collide.Builder) {
		for i := range 4 {
			turn := geom.YawQuat(float64(i) * math.Pi / 2)
			b.Box(turn.Rotate(geom.V(5.5, 2, 0)), geom.V(0.5, 2, 8), turn, collide.Surface{})
		}
	})
	w := body.New(level, body.Config{})
	ball, box := body.NewBall(0.2, 1), body.NewBox(geom.V(0.3, 0.3, 0.3), 5)
	ball.Position, ball.Velocity = geom.V(3, 0.5, 3.1), geom.V(12, 2, 12)
	box.Position, box.Velocity = geom.V(1, 0.5, 1.1), geom.V(9, 3, 9)
	i, j := w.Add(ball), w.Add(box)
	run(w, 20*clock.Second, func(clock.Micros) {
		for _, id := range []body.ID{i, j} {
			if p := w.Motion(id).Position; p.X > 4.82 || p.Z > 4.82 || p.Y < 0.18 {
				t.Fatalf("got %+v, want it inside the corner", w.Motion(id))
			}
		}
	})
	if w.Awake() != 0 {
		t.Errorf("after 20 s: %d awake: %+v %+v", w.Awake(), w.Motion(i), w.Motion(j))
	}
}

// A box that stands on a table of loose triangles and reaches over its edge by any little
// stays where it is: the table's side, which looks away from it, does not push.
func TestBoxOverTheEdgeOfLooseTriangles(t *testing.T) {
	var b collide.Builder
	var v []geom.Vec3
	for i := range 8 {
		v = append(v, geom.V(float64(i&1)*2-1, float64(i>>1&1)-1, float64(i>>2)*2-1))
	}
	idx := []uint32{
		1, 0, 3, 3, 0, 2, 4, 5, 6, 5, 7, 6, // −Z, +Z
		0, 1, 4, 1, 5, 4, 3, 2, 7, 2, 6, 7, // bottom, top
		0, 4, 2, 4, 6, 2, 1, 3, 5, 3, 7, 5, // −X, +X
	}
	if _, err := b.Triangles(v, idx, collide.Surface{}); err != nil {
		t.Fatal(err)
	}
	level := b.MustBake()
	for _, over := range []float64{-0.005, 0, 0.0001, 0.001, 0.003, 0.01, 0.05, 0.15} {
		w := body.New(level, body.Config{})
		x := body.NewBox(geom.V(0.2, 0.2, 0.2), 5)
		x.Position = geom.V(1-0.2+over, 0.22, 0.1)
		id := w.Add(x)
		run(w, 3*clock.Second, nil)
		m := w.Motion(id)
		if d := m.Position.Dist(geom.V(0.8+over, 0.2, 0.1)); d > 0.003 || !m.Asleep {
			t.Errorf("over the edge by %.4f m: it moved by %.4f m, asleep %t; want it to stay", over, d, m.Asleep)
		}
	}
}

// A crate of 2 m and a long plank that fall on a floor of thousands of triangles of 5 cm lie on it and
// sleep. A box slides over it as over one plane.
func TestBoxesOnAFineFloor(t *testing.T) {
	const n, cell = 160, 0.05
	var vertices []geom.Vec3
	var indices []uint32
	for x := range uint32(n + 1) {
		for z := range uint32(n + 1) {
			vertices = append(vertices, geom.V(float64(x)*cell-4, 0, float64(z)*cell-4))
			if a, b := x*(n+1)+z, (x+1)*(n+1)+z; x < n && z < n {
				indices = append(indices, a, a+1, b, a+1, b+1, b)
			}
		}
	}
	var level collide.Builder
	if _, err := level.Triangles(vertices, indices, collide.Surface{}); err != nil {
		t.Fatal(err)
	}
	for _, half := range []geom.Vec3{geom.V(1, 1, 1), geom.V(1.5, 0.2, 0.5)} {
		w := body.New(level.MustBake(), body.Config{})
		b := body.NewBox(half, 50)
		b.Position = geom.V(0.1, half.Y+0.1, 0.2)
		id := w.Add(b)
		run(w, 3*clock.Second, nil)
		m := w.Motion(id)
		near(t, "metres from where it was let go, without the fall", m.Position.Dist(geom.V(0.1, half.Y, 0.2)), 0, 0.003)
		if !m.Asleep {
			t.Errorf("half sizes %v: after 3 s got %+v, want it asleep", half, m)
		}
		b.Position, b.Velocity = geom.V(-0.7, half.Y, 0.1), geom.V(4, 0, 0)
		w = body.New(level.MustBake(), body.Config{})
		id = w.Add(b)
		run(w, 3*clock.Second, nil)
		near(t, "metres slid", w.Motion(id).Position.X+0.7, 1.345, 0.03) // almost v²/(2·μ·g)
	}
}
