package collide

import "github.com/backstep-net/backstep/geom"

// SetTransform puts what is added from here on where t places it, turned first: shapes,
// volumes with their directions, bodies with their paths. So a part of a level is
// described in a frame of its own, or a whole one stands on end. It replaces the
// Place before; geom.Transform{Turn: geom.IdentityQuat} is the world's own frame.
func (b *Builder) SetTransform(t geom.Transform) {
	t.Rotation = t.Rotation.Unit()
	b.transform, b.transformed = t, t != geom.Transform{Rotation: geom.IdentityQuat}
}

// transformPoints returns the points where they are placed.
func (b *Builder) transformPoints(points []geom.Vec3) []geom.Vec3 {
	if !b.transformed {
		return points
	}
	out := make([]geom.Vec3, len(points))
	for i, p := range points {
		out[i] = b.transform.Apply(p)
	}
	return out
}

// transformVolume places a volume's directions and its ball.
func (b *Builder) transformVolume(v *Volume, ball *geom.Sphere) {
	if b.transformed {
		v.Launch, v.Up = b.transform.Rotation.Rotate(v.Launch), b.transform.Rotation.Rotate(v.Up)
		v.Centre, ball.Centre = b.transform.Apply(v.Centre), b.transform.Apply(ball.Centre)
	}
}

// transformPath places a path whose keys are the caller's to change.
func (b *Builder) transformPath(p *Path) {
	if !b.transformed {
		return
	}
	for i := range p.Keys {
		p.Keys[i].Position = b.transform.Apply(p.Keys[i].Position)
	}
	p.Axis = b.transform.Rotation.Rotate(p.axis())
}
