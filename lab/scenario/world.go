package scenario

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// World bakes the solid world: the geometry, each shape getting its ids in the
// file's order (stairs one a step), or what load makes of the level. Bodies and
// water are not in it: find them in Geometry. The error is an [Error] with
// the level's line, or collide's.
func (s *Scenario) World(load func(Level) (*collide.World, error)) (*collide.World, error) {
	if s.Level != (Level{}) {
		w, err := load(s.Level)
		if err != nil {
			return nil, s.ErrorAt(s.Level.Line, "the level cannot be read: "+err.Error())
		}
		return w, nil
	}
	var b collide.Builder
	for i := range s.Geometry {
		shape := &s.Geometry[i]
		if err := shape.build(&b); err != nil {
			return nil, s.ErrorAt(shape.Line, err.Error())
		}
	}
	w, err := b.Bake()
	if err != nil {
		return nil, s.ErrorAt(0, err.Error())
	}
	return w, nil
}

// build adds what is solid and does not move.
func (s *Shape) build(b *collide.Builder) error {
	var plain collide.Surface
	switch s.Kind {
	case Box:
		b.Box(s.Min.Add(s.Max).Div(2), s.Max.Sub(s.Min).Div(2), geom.YawQuat(s.Yaw), plain)
	case Ramp:
		b.Ramp(s.At, s.Width, s.Rise, s.Run, s.Yaw, plain)
	case Stairs:
		b.Stairs(s.At, s.Width, s.Rise, s.Run, s.Steps, s.Yaw, plain)
	case Triangles:
		var vertices []geom.Vec3
		var indices []uint32
		for _, t := range s.Triangles {
			for _, p := range t {
				indices = append(indices, uint32(len(vertices)))
				vertices = append(vertices, p)
			}
		}
		_, err := b.Triangles(vertices, indices, plain)
		return err
	}
	return nil
}
