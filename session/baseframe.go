package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// maxAirborne is the longest time for which a player that jumped off a base stays in the base's frame.
const maxAirborne = 2 * clock.Second

// maxSweep is how much faster, in m/s, than the nearest part of a turning base its frame may move at an
// airborne player. Beyond that the player leaves the frame at once, since the distance to blend grows with
// the distance from the base: 8 m beside a turntable of 180°/s and 4 m it is 9 m at a round trip of
// 200 ms.
const maxSweep = 1.0

// baseFrame is the base in whose frame a player's or an entity's poses are sent: the one that it stands on
// or, in the air, the one that it left. Otherwise a player that jumps on a train
// would be drawn beside it, since movers are drawn at another instant than characters.
type baseFrame struct {
	on       collide.MoverID // the base that the player stood on last
	stood    clock.Micros    // platform time at which it last carried the player
	base     collide.MoverID // as sent: on, unless an earlier change is still being blended
	previous collide.MoverID // the base before it
	since    clock.Micros    // match time at which base replaced previous; 0: never
	lag      clock.Micros    // since minus the platform time
}

// update records the pose after a move that ended at the platform time, and that others see at match
// time at. A change waits while an earlier one is being blended: a view has room for one.
func (r *baseFrame) update(pose *track.Sample, platform, at clock.Micros, c *moverFrames) {
	on := pose.Base
	if on != collide.Static {
		r.stood = platform
	} else if pose.Airborne && platform-r.stood < maxAirborne && c.carry(r.on, pose.Position, platform) {
		on = r.on
	}
	r.on = on
	if on != r.base && (r.since == 0 || at-r.since >= track.BaseBlendTimeFor(c.apart(pose, r.previous, r.base, platform))) {
		r.previous, r.since, r.lag, r.base = r.base, at, at-platform, on
	}
}

// apply returns a pose in the frame in which snapshots have it, at a platform time.
func (r *baseFrame) apply(pose track.Sample, w *collide.World, platform clock.Micros) track.Sample {
	if pose.Base != r.base {
		pose = pose.ToBase(r.base, w, platform)
	}
	pose.PreviousBase, pose.BaseChangedAt, pose.Lag, pose.Airborne = r.previous, r.since, r.lag, false
	return pose
}

// moverFrames are the movers of a world as frames in which poses are sent.
type moverFrames struct {
	world  *collide.World
	bounds []geom.AABB // of each mover, in its own space
}

func newMoverFrames(world *collide.World) moverFrames {
	c := moverFrames{world: world}
	if world != nil {
		for i := range world.Movers() {
			c.bounds = append(c.bounds, world.Movers()[i].Shape.Bounds())
		}
	}
	return c
}

// seenLater is about how much later than a pose was made its base is drawn, at a round trip of 200 ms.
const seenLater = 400 * clock.Millisecond

// apart returns about how far apart a pose is drawn in the frames of two movers, in metres.
func (c *moverFrames) apart(pose *track.Sample, a, b collide.MoverID, platform clock.Micros) float64 {
	p := pose.ToBase(a, c.world, platform).ToWorld(c.world, platform+seenLater)
	q := pose.ToBase(b, c.world, platform).ToWorld(c.world, platform+seenLater)
	return p.Position.Dist(q.Position)
}

// carry reports whether a pose in the air, at a place of the world and a platform time, is
// sent in a mover's frame: never in that of Static, and in that of a mover that turns only
// above the mover or so near that it makes no difference (maxSweep).
func (c *moverFrames) carry(id collide.MoverID, place geom.Vec3, platform clock.Micros) bool {
	if id == collide.Static {
		return false
	}
	if c.world == nil || c.world.Mover(id) == nil {
		return true
	}
	view := collide.WorldAt{World: c.world, At: platform}
	spin := view.AngularVelocity(id)
	if spin.IsZero() {
		return true
	}
	pose := view.Pose(id)
	at := pose.ApplyInverse(place)
	box := &c.bounds[id-1]
	beside := at.Sub(at.Max(box.Min).Min(box.Max))
	return spin.Cross(pose.Rotation.Rotate(beside)).LenSq() <= maxSweep*maxSweep
}
