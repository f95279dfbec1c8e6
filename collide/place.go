package collide

import "github.com/backstep-net/backstep/geom"

// SetTransform puts what is added from here on where t places it, turned first: shapes,
// volumes with their directions, bodies with their paths. So a part of a level is
// described in a frame of its own, or a whole one stands on end. It replaces the
// Place before; geom.Transform{Turn: geom.IdentityQuat} is the world's own frame.
func (b *Builder) SetTransform(t geom.Transform) {
	t.Rotation = t.Rotation.Unit()
	b.at, b.placed = t, t != geom.Transform{Rotation: geom.IdentityQuat}
}

// put returns the points where they are placed.
func (b *Builder) put(points []geom.Vec3) []geom.Vec3 {
	if !b.placed {
		return points
	}
	out := make([]geom.Vec3, len(points))
	for i, p := range points {
		out[i] = b.at.Apply(p)
	}
	return out
}

// putVolume places a volume's directions and its ball.
func (b *Builder) putVolume(v *Volume, ball *geom.Sphere) {
	if b.placed {
		v.Launch, v.Up = b.at.Rotation.Rotate(v.Launch), b.at.Rotation.Rotate(v.Up)
		v.Centre, ball.Centre = b.at.Apply(v.Centre), b.at.Apply(ball.Centre)
	}
}

// putPath places a path whose keys are the caller's to change.
func (b *Builder) putPath(p *Path) {
	if !b.placed {
		return
	}
	for i := range p.Keys {
		p.Keys[i].Position = b.at.Apply(p.Keys[i].Position)
	}
	p.Axis = b.at.Rotation.Rotate(p.axis())
}
