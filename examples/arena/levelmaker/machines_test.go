package levelmaker_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena/levelmaker"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/movement"
)

// at sets the walker's clock.
func (w *walker) at(seconds float64) *walker {
	w.view.At = clock.Micros(seconds * 1e6)
	return w
}

// ride holds c for some seconds and fails where the walker is ever crushed or
// stuck.
func (w *walker) ride(t *testing.T, c movement.Command, seconds float64, each func()) {
	t.Helper()
	w.hold(c, int(seconds*60), func() {
		for _, e := range w.frame.Events() {
			if e.Kind == movement.Crushed || e.Kind == movement.Stuck {
				t.Errorf("at %.2f s, at %.3f: event %d of %.3f", w.view.At.Seconds(), w.state.Position, e.Kind, e.Value)
			}
		}
		if each != nil {
			each()
		}
	})
}

func moverNamed(t *testing.T, l *level.Level, name string) (collide.MoverID, *collide.Mover) {
	t.Helper()
	id, ok := l.World.MoverNamed(name)
	if !ok {
		t.Fatalf("the arena has no mover %q", name)
	}
	return id, l.World.Mover(id)
}

// BAS-01: on at the bottom, up, and off onto the deck; both towers.
func TestTheLiftsLeadToTheDecks(t *testing.T) {
	l := open(t)
	for _, name := range []string{levelmaker.RedLift, levelmaker.BlueLift} {
		_, b := moverNamed(t, l, name)
		foot := b.Path.Pose(0).Translation
		out := math.Copysign(3, foot.Z) // away from the tower
		yaw := 0.0
		if foot.Z < 0 {
			yaw = math.Pi
		}
		w := newWalker(l, geom.V(foot.X, 0, foot.Z+out), yaw).at(0.2)
		w.ride(t, movement.Command{Forward: 1, Yaw: yaw}, 0.62, nil)
		w.ride(t, movement.Command{Yaw: yaw}, 7, nil)
		if p := w.state.Position; math.Abs(p.Y-4.22) > 0.01 || w.state.Base.Mover == collide.Static {
			t.Errorf("%s: stands at %.3f on mover %d after the ride; want height 4.22 on the lift", name, p, w.state.Base.Mover)
		}
		w.ride(t, movement.Command{Forward: 1, Yaw: yaw}, 0.7, nil)
		if p := w.state.Position; math.Abs(p.Y-4.22) > 0.01 || w.state.Base.Mover != collide.Static {
			t.Errorf("%s: stands at %.3f on mover %d after walking off; want the deck", name, p, w.state.Base.Mover)
		}
	}
}

// VOL-01: a player that walks onto the pad lands on the base's roof.
func TestThePadsThrowOntoTheRoofs(t *testing.T) {
	l := open(t)
	for _, yaw := range []float64{math.Pi, math.Pi / 2, -math.Pi / 2} {
		for _, turn := range []float64{1, -1} {
			at := levelmaker.PadAt.Sub(geom.Forward(yaw).Mul(1.7))
			face := yaw
			if turn < 0 {
				at.X, at.Z, face = -at.X, -at.Z, geom.WrapAngle(yaw+math.Pi)
			}
			w := newWalker(l, at, face)
			thrown := false
			for i := 0; i < 60 && !thrown; i++ {
				w.ride(t, movement.Command{Forward: 1, Yaw: face}, 0.017, func() { thrown = w.state.Mode == movement.Falling })
			}
			w.ride(t, movement.Command{Yaw: face}, 3, nil)
			if p := w.state.Position; !thrown || math.Abs(p.Y-5.2) > 0.3 || w.state.Mode != movement.Walking {
				t.Errorf("bearing %.2f, side %v: thrown %v, at last in mode %d at %.2f; want to stand on the roof", yaw, turn, thrown, w.state.Mode, p)
			}
		}
	}
}

// BAS-01: over the turning bridge while it lies, and a ride on its end once around.
func TestTheTurningBridgeCarries(t *testing.T) {
	l := open(t)
	w := newWalker(l, geom.V(0.9, 1.2, 6), 0).at(1)
	w.ride(t, movement.Command{Forward: 1}, 2.2, nil)
	if p := w.state.Position; math.Abs(p.Y-1.22) > 0.05 || p.Z > -5.4 {
		t.Errorf("walked over the bridge to %.2f; want the north landing", p)
	}
	id, b := moverNamed(t, l, levelmaker.Bridge)
	w = newWalker(l, geom.V(0, 1.21, 4.4), 0).at(1)
	w.ride(t, movement.Command{}, 36, nil)
	if want := b.Path.Pose(w.view.At).Apply(geom.V(0, 0, 4.4)); w.state.Base.Mover != id || want.Flat(geom.Up).Dist(w.state.Position.Flat(geom.Up)) > 0.01 {
		t.Errorf("rode to %.3f on mover %d; want %.3f on the bridge", w.state.Position, w.state.Base.Mover, want)
	}
}

// BAS-01: from the tower's deck onto the waiting train, a whole round, and off.
func TestTheTrainTakesPeopleAround(t *testing.T) {
	l := open(t)
	id, b := moverNamed(t, l, levelmaker.Train)
	around := b.Path.Keys[len(b.Path.Keys)-1].At.Seconds()
	t.Logf("a round takes %.1f s", around)
	w := newWalker(l, geom.V(-20, 4.2, 0), math.Pi/2).at(0.3)
	w.ride(t, movement.Command{Forward: 1, Yaw: math.Pi / 2}, 0.7, nil)
	if w.state.Base.Mover != id {
		t.Fatalf("boarded mover %d at %.2f; want the train", w.state.Base.Mover, w.state.Position)
	}
	far := geom.EmptyAABB()
	w.ride(t, movement.Command{}, around-1, func() { far = far.Include(w.state.Position) })
	if w.state.Base.Mover != id || far.Max.X < 22 || far.Max.Z < 20 || far.Min.Z > -20 {
		t.Errorf("the ride led to %.1f … %.1f and ends on mover %d; want it around the arena on the train", far.Min, far.Max, w.state.Base.Mover)
	}
	w.ride(t, movement.Command{}, 2, nil)
	w.ride(t, movement.Command{Forward: 1, Yaw: -math.Pi / 2}, 0.7, nil)
	if p := w.state.Position; w.state.Base.Mover != collide.Static || math.Abs(p.Y-4.22) > 0.01 {
		t.Errorf("got off at %.2f on mover %d; want the station", p, w.state.Base.Mover)
	}
}

// Nothing that moves ever comes where players enter, and no machine runs through
// the still world: a ball at its corners is free all the way.
func TestMachinesKeepClear(t *testing.T) {
	l := open(t)
	for _, s := range l.Spawns {
		v := collide.WorldAt{World: l.World}
		for at := range 72 {
			v.At = clock.Micros(at) * clock.Second
			if c := stand(s.Position.Add(geom.V(0, 0.05, 0)), standing); v.Overlaps(c) {
				t.Errorf("%s: something is there at %v s", s.Name, at)
				break
			}
		}
	}
	_, b := moverNamed(t, l, levelmaker.Train)
	for i := range 720 {
		pose := b.Path.Pose(clock.Micros(i) * 100 * clock.Millisecond)
		for _, c := range []geom.Vec3{{X: -1.2, Y: 1.8, Z: -3.3}, {X: 1.2, Y: 1.8, Z: -3.3}, {X: -1.2, Y: 1.8, Z: 3.3}, {X: 1.2, Y: 1.8, Z: 3.3}, {Y: 1}} {
			ball := geom.Capsule{A: pose.Apply(c), B: pose.Apply(c), Radius: 0.1}
			if l.World.Overlaps(ball) {
				t.Errorf("at %.1f s the train is in something at %.2f", float64(i)/10, ball.A)
			}
		}
	}
}
