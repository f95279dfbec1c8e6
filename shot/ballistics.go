package shot

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// Bouncing, rolling and resting.
const (
	// maxBounces is the most bounces in one step; the rest of the step is dropped.
	maxBounces = 4
	// rollSpeed is the least speed into a surface that bounces, in m/s; a slower projectile
	// rolls along it. Gravity adds that much in four steps.
	rollSpeed = 0.35
	// rollDrag is the deceleration of a roll, in m/s².
	rollDrag = 4
	// restSpeed is the speed of a roll below which it comes to rest, in m/s, and restSlope the
	// least upward component of the surface normal for that: 45°.
	restSpeed, restSlope = 0.4, 0.7
	// surfaceOffset is the distance of a bounce, or of the centre of a blast, from the surface,
	// in metres, so that the next query does not begin inside it.
	surfaceOffset = 1e-3
)

// seconds is the duration of a step.
const seconds = float64(FlightStep) / 1e6

// step flies one FlightStep in the scene at its end. over reports whether a hit ended the flight:
// on a character, or on the world if the projectile does not bounce.
func (f *Flight) step(w *Weapon, scene *rewind.Scene) (o rewind.Outcome, normal geom.Vec3, over bool) {
	if f.Resting {
		f.ride(w, &scene.World)
		return o, normal, false
	}
	// Movers first: a cast that begins inside one would find no surface to bounce off.
	if n := f.pushed(w, &scene.World); n != (geom.Vec3{}) && w.Flight.Bounce == 0 {
		return rewind.Outcome{HitTarget: rewind.HitTarget{Kind: rewind.World}, Point: f.Position}, n, true
	}
	// It came to rest on a mover that has moved under it.
	if f.Resting {
		return o, normal, false
	}
	left, fall := seconds, geom.Up.Mul(-w.Flight.Gravity)
	for range maxBounces {
		// The path of constant gravity, exact at the end of each step, so the arc does not depend
		// on the step. Between them it is straight: less than 0.1 mm off at 9.81 m/s².
		delta := f.Velocity.Mul(left).MulAdd(fall, float64(left*left)/2)
		way := delta.Len()
		// The direction of such a way is noise.
		if way < 1e-9 {
			return o, normal, false
		}
		o = scene.Sphere(f.Position, delta.Div(way), way, w.Flight.Radius, w.Policy)
		if o.Kind == rewind.Nothing {
			f.Position, f.Velocity = f.Position.Add(delta), f.Velocity.MulAdd(fall, left)
			return o, normal, false
		}
		// Also for a hit that ends the flight: the blast is centred where the ball touched, not
		// where the step would have ended.
		f.Position = o.Point
		hit := scene.Surface()
		if o.Kind == rewind.Player {
			return o, delta.Div(-way), true
		}
		if w.Flight.Bounce == 0 {
			return o, hit.Normal, true
		}
		flown := float64(left * (o.Distance / way))
		f.Velocity = f.Velocity.MulAdd(fall, flown)
		// Gravity would press a rolling projectile into the floor again in the rest of the step,
		// and use up all bounces.
		if left -= flown; f.bounce(w, hit, &scene.World, left) {
			fall = geom.Vec3{}
		}
		if f.Resting {
			return o, normal, false
		}
	}
	return o, normal, false
}

// maxPushers is the most movers that push a projectile in one step.
const maxPushers = 8

// pushed moves the projectile out of the way of movers that move in the step, before it moves
// itself, and returns the normal of the last one that touched it, zero for none. Movers are swept,
// so a fast one cannot pass the projectile.
func (f *Flight) pushed(w *Weapon, world *collide.WorldAt) (normal geom.Vec3) {
	if world.World == nil || len(world.World.Movers()) == 0 {
		return normal
	}
	var room [maxPushers]collide.MoverID
	began := world.At - FlightStep
	ball := geom.Capsule{A: f.Position, B: f.Position, Radius: w.Flight.Radius}
	for _, id := range world.NearbyMovers(ball, began, room[:0:maxPushers]) {
		p, q := world.PoseAt(id, began), world.Pose(id)
		// In the mover's space it is the projectile that moves, and one sweep finds where the two
		// touch first.
		at, way := p.ApplyInverse(f.Position), q.ApplyInverse(f.Position).Sub(p.ApplyInverse(f.Position))
		hit, ok := world.SweepMover(id, geom.Capsule{A: at, B: at, Radius: w.Flight.Radius}, way)
		if !ok {
			continue
		}
		hit.Point, hit.Normal = q.Apply(hit.Point), q.Rotation.Rotate(hit.Normal)
		normal = hit.Normal
		// Where the level holds it the mover passes it.
		if f.carry(w, q.Apply(at.MulAdd(way, hit.Fraction)), world) {
			f.bounce(w, &hit, world, 0)
		}
	}
	return normal
}

// carry moves the projectile to where a mover takes it, and reports whether it gets there: a door that closes must
// not push it through the wall beside which it closes.
func (f *Flight) carry(w *Weapon, to geom.Vec3, world *collide.WorldAt) bool {
	way := to.Sub(f.Position)
	hit, blocked := world.World.SweepCapsule(geom.Capsule{A: f.Position, B: f.Position, Radius: w.Flight.Radius}, way)
	if blocked {
		f.Position = f.Position.MulAdd(way, hit.Fraction)
		return false
	}
	f.Position = to
	return true
}

// bounce reflects the velocity at a surface, relative to the mover that has it. It reports whether
// that is a roll, to which gravity does not apply for the rest of the step.
func (f *Flight) bounce(w *Weapon, hit *collide.Hit, world *collide.WorldAt, left float64) (rolls bool) {
	// A lift that rises throws a grenade up as a racket does a ball.
	base := world.VelocityAt(hit.Mover, hit.Point)
	v := f.Velocity.Sub(base)
	into := -v.Dot(hit.Normal)
	if f.Position = f.Position.MulAdd(hit.Normal, surfaceOffset); into <= 0 {
		return false
	}
	along := v.MulAdd(hit.Normal, into)
	if into > rollSpeed {
		v = along.Mul((1+w.Flight.Bounce)/2).MulAdd(hit.Normal, float64(into*w.Flight.Bounce))
	} else {
		speed := along.Len()
		v = along.ClampLen(speed - float64(rollDrag*left))
		rolls = true
		// Resting ends the sweeps: a grenade that lies still would otherwise be cast until its fuse
		// ends.
		if speed < restSpeed && hit.Normal.Dot(geom.Up) > restSlope && w.Flight.Gravity > 0 {
			f.Resting, f.Base, f.Velocity = true, hit.Mover, geom.Vec3{}
			return rolls
		}
	}
	f.Velocity = base.Add(v)
	return rolls
}

// ride moves a resting projectile with its base, in a step that ends at the world's instant. It rests no longer
// where the level holds it.
func (f *Flight) ride(w *Weapon, world *collide.WorldAt) {
	if f.Base == collide.Static {
		return
	}
	before, after := world.PoseAt(f.Base, world.At-FlightStep), world.Pose(f.Base)
	f.Resting = f.carry(w, after.Apply(before.ApplyInverse(f.Position)), world)
}

// detonate ends the flight at its position, in the scene of that instant.
func (f *Flight) detonate(w *Weapon, end DetonationCause, o rewind.Outcome, normal geom.Vec3, past WorldHistory, scene *rewind.Scene) Detonation {
	b := Detonation{
		Shooter: f.Shooter, Shot: f.Shot, Weapon: f.Weapon, At: f.At(), View: f.TargetTime(w, f.At()), Cause: end,
		Point: f.Position, Normal: normal, Hits: HitSet{Outcome: o},
	}
	// The characters on its way are unknown, so it must not damage any now.
	if end == Expired {
		return b
	}
	m := &b.Hits
	m.addHit(&o, w.Damage[o.HitGroup])
	// Off the surface, or every line of the blast would begin in the wall.
	centre := f.Position.MulAdd(normal, surfaceOffset)
	if w.Blast.Radius > 0 {
		m.blast(&w.Blast, scene, centre, 1, o.Target)
	}
	m.Scene = sceneCheckOf(scene)
	// Last, since it replaces the scene: the shooter is tested in the present, all others where it saw them.
	if w.Blast.Radius > 0 && w.Blast.Self > 0 && past.Self(b.At, scene) {
		m.blast(&w.Blast, scene, centre, w.Blast.Self, 0)
	}
	m.finish(nil)
	return b
}

// maxBlastTargets is the most characters that a blast query returns; at most MaxDamageEvents of
// them are damaged.
const maxBlastTargets = 32

// blast adds the damage of a blast around centre, times part, to every character in reach except
// direct, which was hit directly.
func (m *HitSet) blast(b *Blast, scene *rewind.Scene, centre geom.Vec3, part float64, direct track.ID) {
	var room [maxBlastTargets]rewind.BlastHit
	fall := Falloff{From: b.Inner, To: b.Radius, Min: b.Min}
	list := scene.Blast(centre, b.Radius, 0, room[:0])
	for i := range list {
		x := &list[i]
		if x.Target == direct {
			continue
		}
		o := rewind.Outcome{HitTarget: rewind.HitTarget{Kind: rewind.Player, Target: x.Target, Hitbox: x.Hitbox, HitGroup: x.HitGroup}, Life: x.Life}
		m.addHit(&o, scaled(b.Damage, float64(fall.share(x.Distance)*part)))
	}
}
