package movement

import "github.com/backstep-net/backstep/geom"

// ledgeDepth in metres is how far below the floor the edge's side is looked for.
const ledgeDepth = 0.05

// keepOn holds a walker on the floor that the motion delta from start has left:
// once a move it goes along the edge instead, otherwise it stays where it was
// (GRD-16, GAP-63).
func (f *Frame) keepOn(start geom.Vec3, floor *Floor, delta geom.Vec3, dt float64) {
	edge := f.edgeNormal(floor, delta)
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
	f.Velocity, f.Left = geom.Vec3{}, 0
}

// edgeNormal returns the horizontal normal of the edge that delta led across: of
// the floor's side, found by looking back from below. Zero where there is none.
func (f *Frame) edgeNormal(floor *Floor, delta geom.Vec3) geom.Vec3 {
	f.Queries++
	low := f.Position.MulAdd(f.Up, f.height(floor)-ledgeDepth)
	back := delta.Unit().Mul(-(delta.Len() + float64(2*f.Model.Radius)))
	hit, ok := f.World.Ray(low, back)
	if !ok {
		return geom.Vec3{}
	}
	return f.wall(hit.Face)
}
