package scenario

import (
	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// volume reads a region that does something to who is inside. All but planets are
// boxes.
func (f fields) volume(s *Shape, n *yaml.Node) {
	box := []string{"min", "max", "yaw", "priority"}
	var g fields
	switch s.Kind {
	case Water:
		g = f.fields(n, "water", append(box, "friction", "terminal_speed")...)
		g.number("friction", &s.Friction, 0, 1000)
		g.number("terminal_speed", &s.TerminalSpeed, 0, 1000)
	case Pad:
		g = f.fields(n, "pad", append(box, "launch")...)
		g.need("launch")
		g.vector("launch", &s.Launch, 1000)
	case Gravity:
		g = f.fields(n, "gravity", append(box, "up")...)
		g.need("up")
		g.direction("up", &s.Up)
	case Kill:
		g = f.fields(n, "kill", box...)
	case Planet:
		g = f.fields(n, "planet", "centre", "radius", "priority")
		g.need("centre", "radius")
		g.vector("centre", &s.At, MaxReach)
		g.number("radius", &s.Radius, thin, MaxReach)
	}
	g.whole("priority", &s.Priority, -128, 127)
	if s.Kind != Planet {
		g.corners(s)
		g.angle("yaw", &s.Yaw, -360, 360)
	}
}

// buildVolume adds a volume to the world.
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
