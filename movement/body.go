package movement

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Body is the character's capsule in the world of one move: what is around it, and how
// far it can go. A game's own modes move it by [Body.Move].
type Body struct {
	*State // of the moving character: Mode, Position, Velocity
	// Model of the character, read only.
	Model *Model
	// World around it, with movers where they are at the end of the move.
	World *collide.WorldAt
	// Up is the unit vector against gravity, never zero: the direction of State.Up.
	Up geom.Vec3
	// Queries counts the queries of the world since Begin: the work of the move.
	Queries int

	solid    collide.WorldAt // World without the obstacles, which give way softly
	alone    bool            // World has neither movers nor obstacles
	planar   bool            // the move is constrained to Model.Plane
	slope    float64         // Model.WalkableSlope, of which walkable is
	walkable float64         // least upward part of a walkable normal
	// from is where the motion of the slice began. Whatever displaces the body
	// without being motion displaces it too, so Position − from is the motion made.
	from geom.Vec3
	// stepTop is the height along Up, in metres, above which an edge is too high for a
	// walker to step onto; infinite for all other modes.
	stepTop   float64
	walls     obstacleWalls
	reachable [collide.MaxObstacles]collide.Obstacle // scratch
	contacts  [16]collide.Contact                    // scratch
	groove    groove                                 // scratch of floorResult
}

// setWorld makes w the world of the queries that follow.
func (b *Body) setWorld(w *collide.WorldAt) {
	b.World, b.solid, b.walls = w, *w, obstacleWalls{}
	b.solid.Obstacles = nil
	b.alone = w.World == nil || len(w.Obstacles)|len(w.World.Movers()) == 0
}

// capsule returns the capsule as it stands now.
func (b *Body) capsule() geom.Capsule {
	return b.Model.capsuleAt(b.Position, b.Up, b.Model.halfHeight(b.State))
}

// middle returns the middle of the capsule.
func (b *Body) middle() geom.Vec3 {
	return b.Position.MulAdd(b.Up, b.Model.halfHeight(b.State))
}

func middle(c geom.Capsule) geom.Vec3 { return c.A.Lerp(c.B, 0.5) }

// sweep stores in hit the first touch of the capsule on its way by delta: the level, moving
// bodies, and the obstacles that no wall separates from the body.
func (b *Body) sweep(hit *collide.Hit, c geom.Capsule, delta geom.Vec3) (ok bool) {
	b.Queries++
	*hit, ok = b.World.SweepCapsule(c, delta)
	for ok && hit.Mover >= collide.FirstObstacle && b.walledOff(int(hit.Mover-collide.FirstObstacle)) {
		*hit, ok = b.sweepReachable(c, delta)
	}
	return ok
}

// blocked reports whether something is in the way of the capsule by delta.
func (b *Body) blocked(c geom.Capsule, delta geom.Vec3) bool {
	var hit collide.Hit
	return b.sweep(&hit, c, delta)
}

// Move sweeps the body by delta metres and leaves it there, or a skin before the first hit
// [STP-04]. A walker keeps its height above surfaces that it touches from above. Blocked
// reports that something is in the way; hit.Fraction is then the share of delta that was made.
// A body that overlaps something and would go deeper stays where it is, with hit.Penetrating.
func (b *Body) Move(delta geom.Vec3) (hit collide.Hit, blocked bool) {
	blocked = b.moveLow(&hit, delta, 0)
	return hit, blocked
}

// moveLow is Move of a body that reaches low metres further down, and stores the hit.
func (b *Body) moveLow(hit *collide.Hit, delta geom.Vec3, low float64) (blocked bool) {
	delta = b.inPlane(delta)
	length := delta.Len()
	if length < 1e-9 {
		*hit = collide.Hit{Fraction: 1, Shape: collide.NoShape}
		return false
	}
	dir, reach := delta.Div(length), length+midFloor
	body, wider := b.capsule(), 0.0
	if b.Mode == Falling {
		wider = airMargin
		body.Radius += wider
	}
	if low > 0 {
		body.A = body.A.MulAdd(b.Up, -low)
	}
	if !b.sweep(hit, body, dir.Mul(reach)) {
		b.Position = b.Position.Add(delta)
		return false
	}
	if hit.Penetrating {
		hit.Fraction, hit.Depth = 0, max(hit.Depth-wider, 0)
		hit.Penetrating = hit.Depth > 0
		return true
	}
	stop := b.stop(hit, dir, reach, wider+float64(low*hit.Normal.Dot(b.Up)))
	b.flatten(hit)
	if stop >= length {
		b.Position = b.Position.Add(delta)
		return false
	}
	b.Position = b.Position.MulAdd(dir, stop)
	hit.Fraction = stop / length
	return true
}

// stop returns how far along dir the body gets before hit, which a sweep over reach
// metres found. The body that was swept is nearer metres larger than the real one.
func (b *Body) stop(hit *collide.Hit, dir geom.Vec3, reach, nearer float64) float64 {
	short := (b.clearance(hit.Normal) - nearer) / max(-hit.Normal.Dot(dir), 1e-6)
	return max(float64(hit.Fraction*reach)-short, 0)
}

// displace moves the body along dir by length metres, or up to the first hit: with the level
// alone, or with movers too. The body gains no velocity by it. It returns the distance
// moved.
func (b *Body) displace(dir geom.Vec3, length float64, levelOnly bool) (hit collide.Hit, made float64) {
	reach, blocked := length+midFloor, false
	b.Queries++
	if levelOnly {
		hit, blocked = b.World.World.SweepCapsule(b.capsule(), dir.Mul(reach))
	} else {
		hit, blocked = b.solid.SweepCapsule(b.capsule(), dir.Mul(reach))
	}
	if blocked && hit.Penetrating {
		return hit, 0
	}
	if blocked {
		length = min(b.stop(&hit, dir, reach, 0), length)
	}
	b.Position = b.Position.MulAdd(dir, length)
	return hit, length
}

// clearance returns how far from a surface with contact normal n the body stops,
// along n. A walker keeps its height above everything it touches from above, so
// that it hovers over a slope it runs into and above the edge that holds it.
func (b *Body) clearance(n geom.Vec3) float64 {
	if b.Mode != Walking {
		return skin
	}
	return hover(n, b.Up)
}

// hover returns how far from a surface with contact normal n a walker keeps, along n:
// midFloor above it, and a skin beside it.
func hover(n, up geom.Vec3) float64 { return max(skin, float64(midFloor*n.Dot(up))) }

// shift displaces the body without motion: it gains no velocity by it.
func (b *Body) shift(d geom.Vec3) {
	b.Position = b.Position.Add(d)
	b.from = b.from.Add(d)
}

// pushOut displaces the body by push, out of an overlap, and by a skin more if there is room.
func (b *Body) pushOut(push geom.Vec3) {
	push = b.outInPlane(push)
	b.shift(push)
	b.Queries++
	if spare := push.Unit().Mul(skin); !b.solid.Overlaps(b.capsule().Moved(spare)) {
		b.shift(spare)
	}
}
