package scenario

import (
	"math"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/strictyaml"
)

// solid are the kinds of shape that a body may be made of.
func solid() []string {
	return []string{string(Box), string(Ramp), string(Stairs), string(Triangles), string(Hull)}
}

// body reads what moves: one solid shape under its kind, or several of them under
// shapes, and the path.
func (f fields) body(s *Shape, n *yaml.Node) {
	kinds := solid()
	g := f.fields(n, "body", append(append([]string{"name"}, kinds...), "shapes", "path")...)
	g.need("name", "path")
	g.ident("name", &s.Name)
	for _, kind := range kinds {
		if v := g.of[kind]; v != nil {
			part := Shape{Kind: Kind(kind), Line: v.Line}
			g.checked(&part, v)
			s.Parts = append(s.Parts, part)
		}
	}
	given := len(s.Parts)
	if v := g.of["shapes"]; v != nil {
		given++
		f.list(v, "shapes", MaxShapes, func(_ int, n *yaml.Node) {
			s.Parts = append(s.Parts, f.shape(n, "shapes", kinds))
		})
		if v.Kind == yaml.SequenceNode && len(v.Content) == 0 {
			f.add(v.Line, "shapes is empty")
		}
	}
	if given != 1 && n.Kind == yaml.MappingNode && !g.has("shapes") && !g.hasAny(kinds) {
		f.add(n.Line, "body has no shape; it has one of box, ramp, stairs, triangles, hull and shapes")
	} else if given > 1 {
		f.add(n.Line, "body has %d shapes beside one another; list them under shapes", given)
	}
	if p := g.of["path"]; p != nil {
		f.path(&s.Path, p, "loop", "smooth", "axis", "points")
	}
}

func (f fields) hasAny(keys []string) bool {
	for _, k := range keys {
		if f.has(k) {
			return true
		}
	}
	return false
}

// path reads where something is over time.
func (f fields) path(into *Path, n *yaml.Node, keys ...string) {
	g := f.fields(n, "path", keys...)
	g.need("points")
	g.truth("loop", &into.Loop)
	g.truth("smooth", &into.Smooth)
	g.direction("axis", &into.Axis)
	g.points(into)
}

// direction reads a vector of any length but none, and gives a unit vector.
func (f fields) direction(key string, into *geom.Vec3) {
	n := f.of[key]
	if n == nil {
		return
	}
	v, ok := f.reader.vector(n, key, MaxReach)
	switch {
	case ok && v.Len() < 1e-6:
		f.add(n.Line, "%s points nowhere", key)
	case ok:
		*into = v.Unit()
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
		p, ok := f.point(n)
		if !ok {
			return
		}
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
	case into.Loop && k == len(n.Content) && !wholeTurns(into.Points[k-1].Angle-into.Points[0].Angle):
		f.add(n.Line, "a loop's last point is not turned as its first is")
	}
}

// point reads [time, place] or [time, place, degrees].
func (f fields) point(n *yaml.Node) (p Point, ok bool) {
	if n.Kind != yaml.SequenceNode || len(n.Content) != 2 && len(n.Content) != 3 {
		f.add(n.Line, "a point of a path is %s, not a time and a place such as [2s, [8, 3, 0]]", strictyaml.Describe(n))
		return p, false
	}
	if p.At, ok = f.reader.time(n.Content[0], "the time", 0, MaxTime); !ok {
		return p, false
	}
	p.Place, _ = f.reader.vector(n.Content[1], "the place", MaxReach)
	if len(n.Content) == 3 {
		degrees, _ := f.reader.number(n.Content[2], "the turn in degrees", -MaxTurn, MaxTurn)
		p.Angle = radians(degrees)
	}
	return p, true
}

// wholeTurns reports whether an angle in radians is full circles.
func wholeTurns(angle float64) bool {
	turns := angle / (2 * math.Pi)
	return math.Abs(turns-math.Round(turns)) < 1e-9
}

// rails reads the paths that characters may follow.
func (f fields) rails(s *Scenario) {
	n := f.of["paths"]
	if n == nil {
		return
	}
	f.list(n, "paths", MaxRails, func(_ int, n *yaml.Node) {
		r := Rail{Line: n.Line}
		g := f.fields(n, "paths", "name", "loop", "smooth", "points")
		g.need("name", "points")
		g.ident("name", &r.Name)
		if r.Name != "" && s.Rail(r.Name) >= 0 {
			f.add(n.Line, "two paths are called %q", r.Name)
		}
		g.truth("loop", &r.Loop)
		g.truth("smooth", &r.Smooth)
		complaints := len(f.complaints.list)
		g.points(&r.Path)
		path := r.Path.Collide()
		if err := path.Check(); len(f.complaints.list) == complaints && err != nil {
			f.add(n.Line, "path %s: %s", r.Name, err)
		}
		s.Paths = append(s.Paths, r)
	})
}
