package movement

import "github.com/backstep-net/backstep/geom"

// ledgeDepth in metres is how far below the floor's level the ball is that feels
// for its edge.
const ledgeDepth = 0.01

// keepOn holds a walker on the floor that the motion delta from start has left:
// once a move it goes along the edge instead, otherwise it stays where it was
// (GRD-16, GAP-63).
func (f *StepContext) keepOn(start geom.Vec3, floor *Floor, delta geom.Vec3, dt float64) {
	edge := f.edgeNormal(start, floor)
	f.Position, f.from, f.Floor = start, start, *floor
	along := delta.MulAdd(edge, -delta.Dot(edge))
	if !f.edged && !edge.IsZero() && along.Len() > nearlyZero {
		f.edged = true
		f.follow(along)
		if f.stepped || f.stand() {
			f.Velocity = f.madeVelocity(dt)
			return
		}
	}
	f.Position, f.Floor = start, *floor
	f.Velocity, f.Remaining = geom.Vec3{}, 0
}

// edgeNormal returns the horizontal normal of the edge that was crossed since
// start: a ball at the floor's level, moved back, must meet it. Zero where it
// does not.
func (f *StepContext) edgeNormal(start geom.Vec3, floor *Floor) geom.Vec3 {
	at := f.Position.MulAdd(f.Up, floor.height()-ledgeDepth)
	ball := geom.Capsule{A: at, B: at, Radius: f.Model.Radius}
	hit, ok := f.sweep(ball, start.Sub(f.Position).Flat(f.Up))
	if !ok {
		return geom.Vec3{}
	}
	return f.wall(hit.Normal)
}
