package scenario

import (
	"errors"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// World bakes the world: the geometry, each shape getting its ids in the file's
// order (stairs one a step, bodies their own), or what load makes of the level. zero
// is the match time of time zero, from which the bodies' paths count: until then
// they rest at their first point. Below zero they rest for good. A level's own
// bodies count from the match's beginning. The error is an [Error] with the line of
// the shape or of the level.
func (s *Scenario) World(load func(Level) (*collide.World, error), zero clock.Micros) (*collide.World, error) {
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
		if err := shape.build(&b, s.Duration, zero); err != nil {
			return nil, s.ErrorAt(shape.Line, err.Error())
		}
	}
	w, err := b.Bake()
	if err != nil {
		return nil, s.ErrorAt(0, err.Error())
	}
	return w, nil
}

// Moves reports whether the geometry has bodies, so that the world depends on when
// time zero is.
func (s *Scenario) Moves() bool {
	for i := range s.Geometry {
		if s.Geometry[i].Kind == Body {
			return true
		}
	}
	return false
}

// build adds a shape of the geometry.
func (s *Shape) build(b *collide.Builder, duration, zero clock.Micros) error {
	switch s.Kind {
	case Body:
		return s.buildBody(b, duration, zero)
	case Water, Pad, Gravity, Planet, Kill:
		return s.buildVolume(b)
	}
	return s.buildSolid(b)
}

// buildBody adds what moves.
func (s *Shape) buildBody(b *collide.Builder, duration, zero clock.Micros) error {
	path := s.Path.Collide()
	err := path.Check()
	if err == nil {
		path, err = begun(path, zero, duration)
	}
	if err != nil {
		return errors.New("the path of " + s.Name + ": " + err.Error())
	}
	b.Body(s.Name, path, func(b *collide.Builder) {
		for i := range s.Parts {
			if err == nil {
				err = s.Parts[i].buildSolid(b)
			}
		}
	})
	return err
}

// buildSolid adds what is solid, to the world or to a body.
func (s *Shape) buildSolid(b *collide.Builder) error {
	var plain collide.Surface
	switch s.Kind {
	case Box:
		b.Box(s.Min.Add(s.Max).Div(2), s.Max.Sub(s.Min).Div(2), geom.YawQuat(s.Yaw), plain)
	case Ramp:
		b.Ramp(s.At, s.Width, s.Rise, s.Run, s.Yaw, plain)
	case Stairs:
		b.Stairs(s.At, s.Width, s.Rise, s.Run, s.Steps, s.Yaw, plain)
	case Hull:
		_, err := b.Hull(s.Hull, plain)
		return err
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
