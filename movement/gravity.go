package movement

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// sameUp is how far two directions up may differ and count as one: a walker
	// on a planet of 10 m is turned every 10 µm.
	sameUp = 1e-6
	// curving is the least cosine between the old and the new up of a walker whose
	// velocity turns with it, as on a planet; beyond it gravity has changed sides
	// and the velocity stays as it is.
	curving = 0.9
)

// UpVector returns the direction against gravity along which s stands: its Up, and +Y
// where that is zero.
func (s *State) UpVector() geom.Vec3 {
	if s.Up.IsZero() {
		return geom.Up
	}
	return s.Up
}

// Orientation returns how a character with that Up stands: the turn from +Y, the
// shortest way. Yaw turns within it: forward is Orientation.Rotate(geom.Forward(yaw)).
func (s *State) Orientation() geom.Quat { return orientation(s.Up) }

func orientation(up geom.Vec3) geom.Quat {
	if up.IsZero() {
		return geom.IdentityQuat
	}
	return geom.Arc(geom.Up, up)
}

// carryYaw returns the yaw that looks, under the direction up to, as near as can
// be to where yaw looks under the direction from; zero is +Y. A move that turns Up
// turns the body by it, and reports it in StepContext.Turned: the client turns its view by
// that, or the view would swing around.
func carryYaw(from, to geom.Vec3, yaw float64) float64 {
	look := orientation(from).Rotate(geom.Forward(yaw))
	look = geom.Arc((&State{Up: from}).UpVector(), (&State{Up: to}).UpVector()).Rotate(look)
	d := orientation(to).Inverse().Rotate(look)
	return geom.Yaw(d)
}

// orient finds the direction of up at the body, and turns the body [BAS-05]. A volume at its
// middle decides. Without one, up stays as it was: as the State was spawned or as the last
// such volume set it, and so +Y in most games. A game with one gravity along another axis sets
// State.Up at the spawn.
func (f moveStart) orient() {
	f.Up = f.UpVector()
	f.volumes = len(f.World.World.Volumes()) > 0
	if !f.volumes {
		return
	}
	at := f.middle()
	f.volume = f.World.VolumeAt(at)
	if f.volume == nil {
		return
	}
	if f.Mode == Walking {
		at = f.Position // what walks around a planet stays above its feet
	}
	if up := upIn(f.volume, at); !up.IsZero() && up.Dist(f.Up) > sameUp {
		f.turnUp(up)
	}
}

// upIn returns the direction against gravity that v has at the point at, and zero
// where v has none of its own.
func upIn(v *collide.Volume, at geom.Vec3) geom.Vec3 {
	if v.Planet {
		return at.Sub(v.Centre).Unit()
	}
	return v.Up
}

// turnUp turns the body so that it stands along up: about its middle, or about its feet where
// a walker's ground is curved. Then it looks for its floor, and out of an overlap. A body that
// lacks the room to turn stays as it is, and tries again in its next move.
func (f moveStart) turnUp(up geom.Vec3) {
	was, curved := f.Up, f.Mode == Walking && f.Up.Dot(up) > curving
	up = up.Add(geom.Vec3{}) // no −0
	middle, fits := f.middle(), true
	if !curved {
		middle, fits = f.roomAlong(up)
	}
	if !fits {
		return
	}
	by := geom.WrapAngle(carryYaw(was, up, f.Yaw) - f.Yaw)
	f.Yaw = geom.WrapAngle(f.Yaw + by)
	f.Turned += by
	f.Up, f.State.Up, f.tilted = up, up, true
	if up == geom.Up {
		f.State.Up = geom.Vec3{}
	}
	if curved {
		f.Velocity = geom.Arc(was, up).Rotate(f.Velocity)
		return
	}
	f.Position = middle.MulAdd(up, -f.Model.halfHeight(f.State))
}

// roomAlong returns the middle nearest to the present one at which the body fits
// when it stands along up, found by a ball from the middle to either end, and
// whether there is one.
func (b *Body) roomAlong(up geom.Vec3) (middle geom.Vec3, fits bool) {
	middle = b.middle()
	ball := geom.Capsule{A: middle, B: middle, Radius: b.Model.Radius}
	need := b.Model.halfHeight(b.State) - b.Model.Radius
	above, below := b.freeAlong(ball, up, need), b.freeAlong(ball, up.Neg(), need)
	lackAbove, lackBelow := need-above, need-below
	if lackAbove > 0 && lackBelow > 0 {
		return middle, false
	}
	by := max(lackBelow, 0) - max(lackAbove, 0)
	if room := b.freeAlong(ball, up, need+by); by > 0 && room < need+by {
		return middle, false
	}
	if room := b.freeAlong(ball, up.Neg(), need-by); by < 0 && room < need-by {
		return middle, false
	}
	return middle.MulAdd(up, by), true
}

// freeAlong returns how far the ball can move along dir, at most way metres, a skin less than
// to the first hit.
func (b *Body) freeAlong(ball geom.Capsule, dir geom.Vec3, way float64) float64 {
	var hit collide.Hit
	if !b.sweep(&hit, ball, dir.Mul(way+skin)) {
		return way
	}
	return max(0, float64(hit.Fraction*(way+skin))-skin)
}
