package scenario

import (
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/strictyaml"
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
			shape := f.shape(n, "geometry", Kinds())
			if triangles += shape.triangles(); triangles > MaxTriangles {
				f.add(n.Line, "more than %d triangles", MaxTriangles)
			}
			s.Geometry = append(s.Geometry, shape)
		})
		f.bodies(s.Geometry)
	}
}

// beside is the path of a file that the scenario names, from where the program runs.
func (f fields) beside(name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(f.file), name)
}

// level reads a built-in level's name or a file beside the scenario.
func (f fields) level(into *Level, n *yaml.Node) {
	known := f.options.Levels
	switch {
	case n.Kind != yaml.ScalarNode || n.Value == "":
		f.add(n.Line, "level is %s, not a level's name or a .glb file", strictyaml.Describe(n))
		return
	case strings.HasSuffix(n.Value, ".glb"), strings.HasSuffix(n.Value, ".world"):
		into.File = f.beside(n.Value)
	case known != nil && !contains(known, n.Value):
		f.add(n.Line, "unknown level %q%s", strictyaml.Clip(n.Value), strictyaml.DidYouMean(n.Value, known))
		return
	default:
		into.Name = n.Value
	}
	into.Line = n.Line
}

// shape reads one member of a list of shapes: a mapping of its kind to what it is.
func (f fields) shape(n *yaml.Node, list string, kinds []string) Shape {
	one := f.fields(n, list, kinds...)
	if n.Kind == yaml.MappingNode && len(n.Content) != 2 {
		f.add(n.Line, "one shape is one kind with a dash before it, not %d keys", len(n.Content)/2)
		return Shape{}
	}
	s := Shape{Line: n.Line}
	for _, kind := range kinds {
		if v := one.of[kind]; v != nil {
			s.Kind = Kind(kind)
			f.use(UseGeometry, kind, n.Line)
			f.checked(&s, v)
		}
	}
	return s
}

// checked reads a shape of a known kind; one that is good in itself must fit into
// the world.
func (f fields) checked(s *Shape, n *yaml.Node) {
	complaints := len(f.complaints.list)
	f.shapeOf(s, n)
	if len(f.complaints.list) == complaints {
		f.fits(s)
	}
	if len(f.complaints.list) == complaints && !plainKinds[s.Kind] {
		f.bakes(s)
	}
}

// plainKinds are the kinds of shape of which any in range can be built.
var plainKinds = map[Kind]bool{Box: true, Ramp: true, Stairs: true, Triangles: true}

// bakes tries whether the world takes the shape: it has its own mind about hulls
// and paths.
func (f fields) bakes(s *Shape) {
	var b collide.Builder
	err := s.build(&b, 0, 0)
	if err == nil {
		_, err = b.Bake()
	}
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "collide: ")
		if i := strings.LastIndex(text, s.Name+": "); s.Kind == Body && i >= 0 {
			text = text[i+len(s.Name)+2:]
		}
		f.add(s.Line, "%s: %s", strings.TrimSpace(string(s.Kind)+" "+s.Name), text)
	}
}

func (f fields) shapeOf(s *Shape, n *yaml.Node) {
	switch s.Kind {
	case Box:
		g := f.fields(n, "box", "min", "max", "yaw")
		g.corners(s)
		g.angle("yaw", &s.Yaw, -360, 360)
	case Ramp:
		f.ramp(s, n)
	case Stairs:
		f.stairs(s, n)
	case Triangles:
		f.triangles(s, n)
	case Hull:
		f.hull(s, n)
	case Body:
		f.body(s, n)
	default:
		f.volume(s, n)
	}
}

// triangles counts those that a shape lists.
func (s *Shape) triangles() int {
	n := len(s.Triangles)
	for i := range s.Parts {
		n += s.Parts[i].triangles()
	}
	return n
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
			f.add(n.Line, "a triangle is %s, not three points", strictyaml.Describe(n))
			return
		}
		var t [3]geom.Vec3
		for i, p := range n.Content {
			t[i], _ = f.reader.vector(p, "a point", MaxReach)
		}
		s.Triangles = append(s.Triangles, t)
	})
}

// hull reads the points whose convex hull is solid.
func (f fields) hull(s *Shape, n *yaml.Node) {
	f.list(n, "hull", MaxHull, func(_ int, n *yaml.Node) {
		p, _ := f.reader.vector(n, "a point", MaxReach)
		s.Hull = append(s.Hull, p)
	})
	if n.Kind == yaml.SequenceNode && len(n.Content) < 4 {
		f.add(n.Line, "a hull has %d points, fewer than 4", len(n.Content))
	}
}

// fits checks that a shape stays within what a world may reach.
func (f fields) fits(s *Shape) {
	if far := s.reach(); far > MaxReach {
		f.add(s.Line, "%s may reach %.0f m from the origin, more than %d", s.Kind, far, MaxReach)
	}
}

// reach bounds how far from the origin a shape may come along an axis, whichever
// way it is turned; 0 where its corners were checked already.
func (s *Shape) reach() float64 {
	switch s.Kind {
	case Box, Water, Pad, Gravity, Kill:
		if s.Yaw == 0 {
			return 0
		}
		return s.extent()
	case Ramp, Stairs, Planet:
		return s.extent()
	case Body:
		far := 0.0
		for _, p := range s.Path.Points {
			far = max(far, p.Place.Len())
		}
		return far + s.extent()
	}
	return 0
}

// extent bounds how far from its origin anything of the shape is.
func (s *Shape) extent() float64 {
	far := 0.0
	switch s.Kind {
	case Ramp:
		far = s.At.Len() + geom.V(s.Width, s.Rise, s.Run).Len()
	case Stairs:
		n := float64(s.Steps)
		far = s.At.Len() + geom.V(s.Width, float64(n*s.Rise), float64(n*s.Run)).Len()
	case Planet:
		far = s.At.Len() + s.Radius
	case Triangles:
		for _, t := range s.Triangles {
			far = max(far, t[0].Len(), t[1].Len(), t[2].Len())
		}
	case Hull:
		for _, p := range s.Hull {
			far = max(far, p.Len())
		}
	case Body:
		for i := range s.Parts {
			far = max(far, s.Parts[i].extent())
		}
	default:
		far = s.Min.Add(s.Max).Len()/2 + s.Max.Sub(s.Min).Len()/2
	}
	return far
}

// bodies checks that no two have one name, and that the world has room for them and
// for the volumes.
func (f fields) bodies(shapes []Shape) {
	seen, volumes := map[string]bool{}, 0
	for i := range shapes {
		s := &shapes[i]
		switch s.Kind {
		case Water, Pad, Gravity, Planet, Kill:
			if volumes++; volumes == collide.MaxVolumes+1 {
				f.add(s.Line, "more than %d volumes", collide.MaxVolumes)
			}
		case Body:
			if s.Name != "" && seen[s.Name] {
				f.add(s.Line, "two bodies are called %q", s.Name)
			}
			if seen[s.Name] = true; len(seen) == collide.MaxBodies+1 {
				f.add(s.Line, "more than %d bodies", collide.MaxBodies)
			}
		}
	}
}
