package scenario

import (
	"math"
	"slices"
	"strings"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/strictyaml"
)

// thin is the smallest size of anything solid, in metres; package collide refuses less.
const thin = 1e-5

// readWorld reads geometry or level, of which exactly one must be there.
func (r *reader) readWorld(m *strictyaml.Mapping) {
	geometry, level := m.Key("geometry"), m.Key("level")
	switch {
	case geometry.Given() && level.Given():
		r.Errorf(max(geometry.Line(), level.Line()), "geometry and level are both given; a scenario has one of the two")
	case !geometry.Present() && !level.Present():
		m.Errorf("geometry is missing; a scenario has either geometry or level")
	}
	r.readLevel(level)
	triangles := 0
	geometry.List(0, MaxShapes, func(_ int, v strictyaml.Value) {
		s := r.readShape(v, kinds)
		if triangles += s.triangles(); triangles > MaxTriangles {
			v.Errorf("more than %d triangles", MaxTriangles)
		}
		r.Geometry = append(r.Geometry, s)
	})
	r.checkMovers()
}

// readLevel reads the name of a built-in level, or of a file beside the scenario.
func (r *reader) readLevel(v strictyaml.Value) {
	name := ""
	if !v.Text(&name, "a level's name or a .glb file", func(s string) bool { return s != "" }) {
		return
	}
	if strings.HasSuffix(name, ".glb") || strings.HasSuffix(name, ".world") {
		r.Level = Level{File: r.beside(name), Line: v.Line()}
	} else if v.Word(&r.Level.Name, r.options.Levels) {
		r.Level.Line = v.Line()
	}
}

// triangles counts the triangles that a shape lists.
func (s *Shape) triangles() int {
	n := len(s.Triangles)
	for i := range s.Parts {
		n += s.Parts[i].triangles()
	}
	return n
}

// readShape reads a member of a list of shapes: a mapping of its kind to its keys.
func (r *reader) readShape(v strictyaml.Value, of []string) Shape {
	s := Shape{Line: v.Line()}
	v.Mapping(func(m *strictyaml.Mapping) {
		for _, kind := range of {
			if k := m.Key(kind); k.Given() {
				s.Kind = Kind(kind)
				r.readKind(k, &s)
			}
		}
		if len(m.Given()) != 1 {
			m.Errorf("a shape is one kind with a dash before it, not %d keys", len(m.Given()))
		}
	})
	return s
}

// readKind reads the keys of a shape of a known kind. A shape without errors must also pass the
// checks of package collide.
func (r *reader) readKind(v strictyaml.Value, s *Shape) {
	before := r.Count()
	switch s.Kind {
	case Triangles:
		v.List(0, MaxTriangles, func(_ int, v strictyaml.Value) { s.Triangles = append(s.Triangles, readTriangle(v)) })
	case Hull:
		v.List(4, MaxHull, func(_ int, v strictyaml.Value) {
			p := geom.Vec3{}
			v.Name = "a point"
			v.Vector(&p, MaxReach)
			s.Hull = append(s.Hull, p)
		})
	default:
		v.Mapping(func(m *strictyaml.Mapping) { r.readKeys(m, s) })
	}
	if r.Count() > before {
		return
	}
	var b collide.Builder
	err := s.build(&b, 0, 0)
	if err == nil {
		_, err = b.Bake()
	}
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "collide: ")
		if i := strings.LastIndex(text, s.Name+": "); s.Kind == Mover && i >= 0 {
			text = text[i+len(s.Name)+2:]
		}
		r.Errorf(s.Line, "%s: %s", strings.TrimSpace(string(s.Kind)+" "+s.Name), text)
	}
}

func readTriangle(v strictyaml.Value) (t [3]geom.Vec3) {
	v.Name = "a triangle"
	v.List(3, 3, func(i int, v strictyaml.Value) {
		v.Name = "a point"
		v.Vector(&t[i], MaxReach)
	})
	return t
}

// readKeys is the schema of the shapes that are mappings.
func (r *reader) readKeys(m *strictyaml.Mapping, s *Shape) {
	switch s.Kind {
	case Box, Water, Pad, Gravity, Kill:
		readBox(m, s)
	case Ramp:
		size := geom.V(1, 1, 1)
		m.Key("at").Required().Vector(&s.At, MaxReach)
		v := m.Key("size").Required()
		v.Vector(&size, MaxReach)
		if s.Width, s.Rise, s.Run = size.X, size.Y, size.Z; !(min(size.X, size.Y, size.Z) >= thin) {
			v.Errorf("size has a width, rise or run that is not above 0")
		}
	case Stairs:
		m.Key("at").Required().Vector(&s.At, MaxReach)
		m.Key("width").Required().Number(&s.Width, thin, MaxReach, "m")
		m.Key("rise").Required().Number(&s.Rise, thin, MaxReach, "m")
		m.Key("run").Required().Number(&s.Run, thin, MaxReach, "m")
		strictyaml.Whole(m.Key("steps").Required(), &s.Steps, 1, 1000)
	case Planet:
		m.Key("centre").Required().Vector(&s.At, MaxReach)
		m.Key("radius").Required().Number(&s.Radius, thin, MaxReach, "m")
	case Mover:
		r.readMover(m, s)
		return
	}
	if s.Kind != Planet {
		m.Key("yaw").Angle(&s.Yaw, -360, 360)
	}
	switch s.Kind {
	case Water:
		m.Key("friction").Number(&s.Friction, 0, 1000, "1/s")
		m.Key("terminal_speed").Number(&s.TerminalSpeed, 0, 1000, "m/s")
	case Pad:
		m.Key("launch").Required().Vector(&s.Launch, 1000)
	case Gravity:
		readDirection(m.Key("up").Required(), &s.Up)
	}
	if s.volume() {
		strictyaml.Whole(m.Key("priority"), &s.Priority, -128, 127)
	}
}

// volume reports whether a shape is a volume, which does not collide.
func (s *Shape) volume() bool {
	return slices.Contains([]Kind{Water, Pad, Gravity, Planet, Kill}, s.Kind)
}

func readBox(m *strictyaml.Mapping, s *Shape) {
	low := m.Key("min").Required().Vector(&s.Min, MaxReach)
	high := m.Key("max").Required().Vector(&s.Max, MaxReach)
	if size := s.Max.Sub(s.Min); low && high && !(min(size.X, size.Y, size.Z) >= thin) {
		m.Errorf("%s has a max that is not above its min on every axis", m.Name)
	}
}

// readMover reads a mover: one solid shape under its kind, or several under shapes, and the
// path.
func (r *reader) readMover(m *strictyaml.Mapping, s *Shape) {
	readName(m.Key("name").Required(), &s.Name)
	given := 0
	for _, kind := range solidKinds {
		if v := m.Key(kind); v.Given() {
			part := Shape{Kind: Kind(kind), Line: v.Line()}
			r.readKind(v, &part)
			s.Parts = append(s.Parts, part)
			given++
		}
	}
	if v := m.Key("shapes"); v.Given() {
		v.List(1, MaxShapes, func(_ int, v strictyaml.Value) { s.Parts = append(s.Parts, r.readShape(v, solidKinds)) })
		given++
	}
	if given == 0 {
		m.Errorf("mover has no shape; it has one of %s and shapes", strings.Join(solidKinds, ", "))
	} else if given > 1 {
		m.Errorf("mover has %d shapes beside one another; list them under shapes", given)
	}
	m.Key("path").Required().Mapping(func(m *strictyaml.Mapping) {
		readDirection(m.Key("axis"), &s.Path.Axis)
		readPath(m, &s.Path)
	})
	if v := m.Key("trigger"); v.Given() {
		v.Mapping(func(m *strictyaml.Mapping) { readTrigger(m, s) })
	}
}

// readTrigger reads what starts a mover's path, and the box in which characters do.
func readTrigger(m *strictyaml.Mapping, s *Shape) {
	kind, t := "", &s.Trigger
	m.Key("kind").Required().Word(&kind, triggerKinds)
	t.Kind, t.Delay = collide.TriggerKind(1+slices.Index(triggerKinds, kind)), collide.DefaultDelay
	m.Key("delay").Time(&t.Delay, 0, collide.MaxDelay)
	if t.Kind == collide.Timed {
		m.Key("hold").Required().Time(&t.Hold, collide.MinHold, MaxTime)
	}
	readBox(m, s)
}

// readDirection reads a vector of any length but zero, and gives a unit vector.
func readDirection(v strictyaml.Value, into *geom.Vec3) {
	d := geom.Vec3{}
	if !v.Vector(&d, MaxReach) {
		return
	}
	if d.Len() < 1e-6 {
		v.Errorf("%s points nowhere", v.Name)
		return
	}
	*into = d.Unit()
}

// readPath reads the points of a path: from time 0 on, in order of time, and closed in a loop.
func readPath(m *strictyaml.Mapping, p *Path) {
	m.Key("loop").Bool(&p.Loop)
	m.Key("smooth").Bool(&p.Smooth)
	v, good := m.Key("points").Required(), true
	good = v.List(1, MaxPoints, func(i int, v strictyaml.Value) {
		q := Point{}
		if !readPoint(v, &q) {
			good = false
			return
		}
		switch last := len(p.Points) - 1; {
		case i == 0 && q.At != 0:
			v.Errorf("a path begins at %s, not at 0s", strictyaml.FormatTime(q.At))
		case last >= 0 && q.At <= p.Points[last].At:
			v.Errorf("the times of a path go from %s to %s, not upwards", strictyaml.FormatTime(p.Points[last].At), strictyaml.FormatTime(q.At))
		}
		p.Points = append(p.Points, q)
	}) && good
	if !good || !p.Loop {
		return
	}
	first, last := p.Points[0], p.Points[len(p.Points)-1]
	if len(p.Points) < 2 || first.Place != last.Place {
		v.Errorf("the last point of a loop is not where the first is")
	} else if turns := (last.Angle - first.Angle) / (2 * math.Pi); math.Abs(turns-math.Round(turns)) >= 1e-9 {
		v.Errorf("the last point of a loop is not turned as the first is")
	}
}

// readPoint reads [time, place] or [time, place, degrees].
func readPoint(v strictyaml.Value, p *Point) bool {
	good := true
	v.Name = "a point, such as [2s, [8, 3, 0]],"
	return v.List(2, 3, func(i int, v strictyaml.Value) {
		switch i {
		case 0:
			v.Name = "the time"
			good = v.Time(&p.At, 0, MaxTime)
		case 1:
			v.Name = "the place"
			good = v.Vector(&p.Place, MaxReach) && good
		default:
			v.Name = "the turn"
			good = v.Angle(&p.Angle, -MaxTurn, MaxTurn) && good
		}
	}) && good
}

// readPaths reads the paths that characters follow.
func (r *reader) readPaths(v strictyaml.Value) {
	v.List(0, MaxPaths, func(_ int, v strictyaml.Value) {
		p := NamedPath{Line: v.Line()}
		v.Mapping(func(m *strictyaml.Mapping) {
			if readName(m.Key("name").Required(), &p.Name); p.Name != "" && r.path(p.Name) >= 0 {
				m.Errorf("two paths are called %q", p.Name)
			}
			before := r.Count()
			readPath(m, &p.Path)
			path := p.Path.Collide()
			if err := path.Check(); r.Count() == before && err != nil {
				m.Errorf("path %s: %s", p.Name, err)
			}
		})
		r.Paths = append(r.Paths, p)
	})
}

// checkMovers checks that movers have different names, and that the world has room for them and
// for the volumes.
func (r *reader) checkMovers() {
	seen, volumes := map[string]bool{}, 0
	for i := range r.Geometry {
		s := &r.Geometry[i]
		if s.volume() || s.Trigger.Kind != collide.Untriggered {
			if volumes++; volumes == collide.MaxVolumes+1 {
				r.Errorf(s.Line, "more than %d volumes", collide.MaxVolumes)
			}
		}
		if s.Kind != Mover {
			continue
		}
		if s.Name != "" && seen[s.Name] {
			r.Errorf(s.Line, "two movers are called %q", s.Name)
		}
		if seen[s.Name] = true; len(seen) == collide.MaxMovers+1 {
			r.Errorf(s.Line, "more than %d movers", collide.MaxMovers)
		}
	}
}
