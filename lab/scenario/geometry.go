package scenario

import (
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/geom"
)

// thin is the least size of anything solid, in metres: collide refuses less.
const thin = 1e-5

// world reads geometry or level, of which exactly one must be there.
func (f fields) world(s *Scenario) {
	shapes, level := f.of["geometry"], f.of["level"]
	switch {
	case shapes != nil && level != nil:
		f.add(max(shapes.Line, level.Line), "geometry and level are both given; a scenario has one of the two")
	case !f.has("geometry") && !f.has("level"):
		f.add(f.node.Line, "geometry is missing; a scenario has either geometry or level")
	}
	if level != nil {
		f.level(&s.Level, level)
	}
	if shapes != nil {
		triangles := 0
		f.list(shapes, "geometry", MaxShapes, func(_ int, n *yaml.Node) {
			shape := f.shape(n)
			if triangles += len(shape.Triangles); triangles > MaxTriangles {
				f.add(n.Line, "more than %d triangles", MaxTriangles)
			}
			s.Geometry = append(s.Geometry, shape)
		})
		f.bodies(s.Geometry)
	}
}

// level reads a built-in level's name or a file beside the scenario.
func (f fields) level(into *Level, n *yaml.Node) {
	known := f.options.Levels
	switch {
	case n.Kind != yaml.ScalarNode || n.Value == "":
		f.add(n.Line, "level is %s, not a level's name or a .glb file", describe(n))
		return
	case strings.HasSuffix(n.Value, ".glb"):
		into.File = filepath.FromSlash(n.Value)
		if !filepath.IsAbs(into.File) {
			into.File = filepath.Join(filepath.Dir(f.file), into.File)
		}
	case known != nil && !contains(known, n.Value):
		f.add(n.Line, "unknown level %q%s", clip(n.Value), didYouMean(n.Value, known))
		return
	default:
		into.Name = n.Value
	}
	into.Line = n.Line
}

// shape reads one member of geometry: a mapping of its kind to what it is.
func (f fields) shape(n *yaml.Node) Shape {
	one := f.fields(n, "geometry", Kinds()...)
	if n.Kind == yaml.MappingNode && len(n.Content) != 2 {
		f.add(n.Line, "one shape is one kind with a dash before it, not %d keys", len(n.Content)/2)
		return Shape{}
	}
	s := Shape{Line: n.Line}
	for _, kind := range Kinds() {
		if v := one.of[kind]; v != nil {
			s.Kind = Kind(kind)
			f.use(UseGeometry, kind, n.Line)
			complaints := len(f.complaints.list)
			f.shapeOf(&s, v)
			if len(f.complaints.list) == complaints {
				f.fits(&s)
			}
		}
	}
	return s
}

func (f fields) shapeOf(s *Shape, n *yaml.Node) {
	switch s.Kind {
	case Box:
		g := f.fields(n, "box", "min", "max", "yaw")
		g.corners(s)
		g.angle("yaw", &s.Yaw, -360, 360)
	case Water:
		g := f.fields(n, "water", "min", "max")
		g.corners(s)
	case Ramp:
		f.ramp(s, n)
	case Stairs:
		f.stairs(s, n)
	case Triangles:
		f.triangles(s, n)
	case Body:
		f.body(s, n)
	}
}

func (f fields) corners(s *Shape) {
	f.need("min", "max")
	complaints := len(f.complaints.list)
	f.vector("min", &s.Min, MaxReach)
	f.vector("max", &s.Max, MaxReach)
	whole := f.of["min"] != nil && f.of["max"] != nil && len(f.complaints.list) == complaints
	if size := s.Max.Sub(s.Min); whole && !(size.X >= thin && size.Y >= thin && size.Z >= thin) {
		f.add(f.node.Line, "%s has a max that is not above its min on every axis", f.name)
	}
}

func (f fields) ramp(s *Shape, n *yaml.Node) {
	g := f.fields(n, "ramp", "at", "size", "yaw")
	g.need("at", "size")
	g.vector("at", &s.At, MaxReach)
	g.angle("yaw", &s.Yaw, -360, 360)
	size := geom.V(1, 1, 1)
	g.vector("size", &size, MaxReach)
	s.Width, s.Rise, s.Run = size.X, size.Y, size.Z
	if !(size.X >= thin && size.Y >= thin && size.Z >= thin) {
		g.add(g.of["size"].Line, "size has a width, rise or run that is not above 0")
	}
}

func (f fields) stairs(s *Shape, n *yaml.Node) {
	g := f.fields(n, "stairs", "at", "width", "rise", "run", "steps", "yaw")
	g.need("at", "width", "rise", "run", "steps")
	g.vector("at", &s.At, MaxReach)
	g.number("width", &s.Width, thin, MaxReach)
	g.number("rise", &s.Rise, thin, MaxReach)
	g.number("run", &s.Run, thin, MaxReach)
	g.whole("steps", &s.Steps, 1, 1000)
	g.angle("yaw", &s.Yaw, -360, 360)
}

func (f fields) triangles(s *Shape, n *yaml.Node) {
	f.list(n, "triangles", MaxTriangles, func(_ int, n *yaml.Node) {
		if n.Kind != yaml.SequenceNode || len(n.Content) != 3 {
			f.add(n.Line, "a triangle is %s, not three points", describe(n))
			return
		}
		var t [3]geom.Vec3
		for i, p := range n.Content {
			t[i], _ = f.reader.vector(p, "a point", MaxReach)
		}
		s.Triangles = append(s.Triangles, t)
	})
}

func (f fields) body(s *Shape, n *yaml.Node) {
	g := f.fields(n, "body", "name", "box", "path")
	g.need("name", "box", "path")
	g.ident("name", &s.Name)
	if b := g.of["box"]; b != nil {
		h := f.fields(b, "box", "min", "max")
		h.corners(s)
	}
	if p := g.of["path"]; p != nil {
		h := f.fields(p, "path", "loop", "points")
		h.need("points")
		h.truth("loop", &s.Path.Loop)
		h.points(&s.Path)
	}
}

// points reads a path's: from time 0 on, one after the other, and back to the
// first in a loop.
func (f fields) points(into *Path) {
	n := f.of["points"]
	if n == nil {
		return
	}
	f.list(n, "points", MaxPoints, func(i int, n *yaml.Node) {
		if n.Kind != yaml.SequenceNode || len(n.Content) != 2 {
			f.add(n.Line, "a point of a path is %s, not a time and a place such as [2s, [8, 3, 0]]", describe(n))
			return
		}
		var p Point
		var ok bool
		if p.At, ok = f.reader.time(n.Content[0], "the time", 0, MaxTime); !ok {
			return
		}
		p.Place, _ = f.reader.vector(n.Content[1], "the place", MaxReach)
		switch last := len(into.Points) - 1; {
		case i == 0 && p.At != 0:
			f.add(n.Line, "a path begins at %s, not at 0s", Spell(p.At))
		case last >= 0 && p.At <= into.Points[last].At:
			f.add(n.Line, "a path's times go from %s to %s, not upwards", Spell(into.Points[last].At), Spell(p.At))
		}
		into.Points = append(into.Points, p)
	})
	switch k := len(into.Points); {
	case len(n.Content) == 0:
		f.add(n.Line, "a path has no points")
	case into.Loop && k == len(n.Content) && (k < 2 || into.Points[0].Place != into.Points[k-1].Place):
		f.add(n.Line, "a loop's last point is not where its first is")
	}
}

// fits checks that a shape stays within what a world may reach.
func (f fields) fits(s *Shape) {
	if far := s.reach(); far > MaxReach {
		f.add(s.Line, "%s may reach %.0f m from the origin, more than %d", s.Kind, far, MaxReach)
	}
}

// reach bounds how far from the origin a shape may come along an axis, whichever
// way it is turned.
func (s *Shape) reach() float64 {
	far := 0.0
	for _, p := range s.Path.Points {
		far = max(far, p.Place.Len())
	}
	switch s.Kind {
	case Box:
		if s.Yaw == 0 {
			return 0 // its corners were checked
		}
		return s.Min.Add(s.Max).Len()/2 + s.Max.Sub(s.Min).Len()/2
	case Ramp:
		return s.At.Len() + geom.V(s.Width, s.Rise, s.Run).Len()
	case Stairs:
		n := float64(s.Steps)
		return s.At.Len() + geom.V(s.Width, float64(n*s.Rise), float64(n*s.Run)).Len()
	case Body:
		return far + max(s.Min.Len(), s.Max.Len())
	}
	return 0
}

// bodies checks that no two have one name.
func (f fields) bodies(shapes []Shape) {
	seen := map[string]bool{}
	for i := range shapes {
		s := &shapes[i]
		if s.Kind == Body && s.Name != "" && seen[s.Name] {
			f.add(s.Line, "two bodies are called %q", s.Name)
		}
		seen[s.Name] = true
	}
}
