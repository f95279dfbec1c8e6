package scenario

import (
	"errors"
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/strictyaml"
)

// World bakes the geometry, or returns what load makes of the level. Shapes get ids in the order
// of the file: stairs one per step, movers their own. zero is the match time of time zero, from
// which the paths of the geometry's movers count; until then they rest at their first point, and
// below zero they rest for good. A level's own movers count from the beginning of the match. The
// error has the line of the shape or of the level.
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

// Moves reports whether the geometry has movers, so that the world depends on time zero.
func (s *Scenario) Moves() bool {
	for i := range s.Geometry {
		if s.Geometry[i].Kind == Mover {
			return true
		}
	}
	return false
}

func (s *Shape) build(b *collide.Builder, duration, zero clock.Micros) error {
	switch {
	case s.Kind == Mover:
		return s.buildMover(b, duration, zero)
	case s.volume():
		return s.buildVolume(b)
	}
	return s.buildSolid(b)
}

func (s *Shape) buildMover(b *collide.Builder, duration, zero clock.Micros) error {
	path := s.Path.Collide()
	err := path.Check()
	if err == nil && s.Trigger.Kind == collide.Untriggered {
		path, err = startedAt(path, zero, duration)
	}
	if err != nil {
		return errors.New("the path of " + s.Name + ": " + err.Error())
	}
	b.TriggeredMover(s.Name, path, s.Trigger, func(b *collide.Builder) {
		for i := range s.Parts {
			if err == nil {
				err = s.Parts[i].buildSolid(b)
			}
		}
	})
	if err == nil && s.Trigger.Kind != collide.Untriggered {
		middle, half := s.Min.Add(s.Max).Div(2), s.Max.Sub(s.Min).Div(2)
		err = b.VolumeBox(collide.Volume{Triggers: s.Name}, middle, half, geom.IdentityQuat)
	}
	return err
}

// buildSolid adds a solid shape to the world or to a mover.
func (s *Shape) buildSolid(b *collide.Builder) error {
	var surface collide.Surface
	switch s.Kind {
	case Box:
		b.Box(s.Min.Add(s.Max).Div(2), s.Max.Sub(s.Min).Div(2), geom.YawQuat(s.Yaw), surface)
	case Ramp:
		b.Ramp(s.At, s.Width, s.Rise, s.Run, s.Yaw, surface)
	case Stairs:
		b.Stairs(s.At, s.Width, s.Rise, s.Run, s.Steps, s.Yaw, surface)
	case Hull:
		_, err := b.Hull(s.Hull, surface)
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
		_, err := b.Triangles(vertices, indices, surface)
		return err
	}
	return nil
}

func (s *Shape) buildVolume(b *collide.Builder) error {
	v := collide.Volume{Priority: int8(s.Priority)}
	switch s.Kind {
	case Water:
		v.Water, v.Friction, v.TerminalSpeed = true, s.Friction, s.TerminalSpeed
	case Pad:
		v.Launch = s.Launch
	case Gravity:
		v.Up = s.Up
	case Kill:
		v.Kill = true
	case Planet:
		v.Planet, v.Centre = true, s.At
		return b.VolumeSphere(v, geom.Sphere{Centre: s.At, Radius: s.Radius})
	}
	middle, half := s.Min.Add(s.Max).Div(2), s.Max.Sub(s.Min).Div(2)
	return b.VolumeBox(v, middle, half, geom.YawQuat(s.Yaw))
}

// Collide returns the path as package collide has it, with its own time 0.
func (p *Path) Collide() collide.Path {
	out := collide.Path{Loop: p.Loop, Smooth: p.Smooth, Axis: p.Axis}
	for _, q := range p.Points {
		out.Keys = append(out.Keys, collide.Key{At: q.At, Position: q.Place, Angle: q.Angle})
	}
	return out
}

// maxClockAhead is how long movers move on after the run: no client's clock is further ahead.
const maxClockAhead = 2 * clock.Second

// startedAt returns the path p started at a match time; before that it rests at its first key, and
// with a time below zero for good. A loop is written out for the length of the run, which is
// exact: each round has the same keys at the same distances in time. The first round of a smooth
// loop starts from rest.
func startedAt(p collide.Path, at, duration clock.Micros) (collide.Path, error) {
	if at == 0 {
		return p, nil
	}
	keys, loop := p.Keys, p.Loop
	first, last := keys[0], keys[len(keys)-1]
	p.Loop, p.Keys = false, []collide.Key{{Position: first.Position, Angle: first.Angle}}
	if at < 0 {
		return p, nil
	}
	p.Keys = append(p.Keys, later(first, at, 0))
	for from, turned := at, 0.0; ; {
		for _, k := range keys[1:] {
			p.Keys = append(p.Keys, later(k, from, turned))
		}
		if from, turned = from+last.At, turned+last.Angle-first.Angle; !loop || from > at+duration+maxClockAhead {
			return p, nil
		}
		if len(p.Keys) > collide.MaxKeys {
			return p, fmt.Errorf("a loop of %d points makes more than %d in a run of %s",
				len(keys), collide.MaxKeys, strictyaml.FormatTime(duration))
		}
	}
}

// later returns a key that is later and turned further.
func later(k collide.Key, by clock.Micros, angle float64) collide.Key {
	return collide.Key{At: k.At + by, Position: k.Position, Angle: k.Angle + angle}
}
