package level

import (
	"fmt"

	"github.com/backstep-net/backstep/geom"
)

// budget counts what has been read and placed against the limits.
//
// Two counts, because they bound different things: elements the memory and the time of
// reading, vertices and triangles those of the world. A mesh of a few bytes may be placed a
// million times.
type budget struct{ elements, vertices, triangles int }

// readElements charges n numbers or points that are about to be read from the file.
func (b *budget) readElements(n int) error {
	// Written as a difference, because the sum could overflow. Twice the vertices, since
	// indices count too.
	if n > 2*MaxVertices-b.elements {
		return fmt.Errorf("with its %d elements the meshes have more than %d", n, 2*MaxVertices)
	}
	b.elements += n
	return nil
}

// placeMesh charges a mesh that is about to be added to the world.
func (b *budget) placeMesh(vertices, triangles int) error {
	if triangles > MaxTriangles-b.triangles {
		return fmt.Errorf("with its %d triangles the level has more than %d", triangles, MaxTriangles)
	}
	if vertices > MaxVertices-b.vertices {
		return fmt.Errorf("with its %d vertices the level has more than %d", vertices, MaxVertices)
	}
	b.triangles += triangles
	b.vertices += vertices
	return nil
}

// triangleMesh is a mesh as triangles, in its own space.
type triangleMesh struct {
	number   int         // in the file, for errors
	vertices []geom.Vec3 // m, once it is in the world; file units before
	indices  []uint32    // three for each triangle, counter-clockwise seen from its front
}

// triangleMesh reads mesh i, once even if it is placed several times.
//
// All primitives of a mesh are one surface: materials do not matter here, marks are the
// node's.
func (f *file) triangleMesh(i int) (*triangleMesh, error) {
	if i < 0 || i >= len(f.Meshes) {
		return nil, fmt.Errorf("mesh %d does not exist", i)
	}
	if s := f.parsed[i]; s != nil {
		return s, nil
	}
	if ownExtras(f.Meshes[i].Extras) != nil {
		return nil, fmt.Errorf("mesh %d %s: extras.backstep is on the mesh: move it to the node (Blender: from Object Data to Object Properties)", i, quote(f.Meshes[i].Name))
	}
	s := &triangleMesh{number: i}
	for j := range f.Meshes[i].Primitives {
		if err := f.appendPrimitive(s, &f.Meshes[i].Primitives[j]); err != nil {
			return nil, fmt.Errorf("mesh %d %s, primitive %d: %w", i, quote(f.Meshes[i].Name), j, err)
		}
	}
	f.parsed[i] = s
	return s, nil
}

// The primitive modes of glTF 2.0, section 3.7.2.1; 0 … 3 are points and lines.
const (
	modeTriangles = 4
	modeStrip     = 5
	modeFan       = 6
)

// appendPrimitive adds the triangles of p to s. Points and lines are not solid. The vertices of
// each primitive follow those of the last, so indices are moved up by what there was.
func (f *file) appendPrimitive(s *triangleMesh, p *primitive) error {
	mode := modeTriangles
	if p.Mode != nil {
		mode = *p.Mode
	}
	if mode < 0 || mode > modeFan {
		return fmt.Errorf("mode %d does not exist", mode)
	}
	// Lines are drawn as cables and guides.
	if mode < modeTriangles {
		return nil
	}
	at, ok := p.Attributes["POSITION"]
	if !ok {
		return fmt.Errorf("has no POSITION")
	}
	vertices, err := f.positions(at)
	if err != nil {
		return fmt.Errorf("POSITION: %w", err)
	}
	var order []uint32
	if p.Indices != nil {
		if order, err = f.indices(*p.Indices, len(vertices)); err != nil {
			return fmt.Errorf("indices: %w", err)
		}
	} else {
		// Without indices the vertices are in the order of the triangles.
		order = make([]uint32, len(vertices))
		for i := range order {
			order[i] = uint32(i)
		}
	}
	if mode == modeTriangles && len(order)%3 != 0 {
		return fmt.Errorf("%d indices are not whole triangles", len(order))
	}
	first := uint32(len(s.vertices))
	s.vertices = append(s.vertices, vertices...)
	s.indices = appendTriangles(s.indices, mode, order, first)
	return nil
}

// appendTriangles converts a list, strip or fan into triples. It omits degenerate
// triangles, which name a vertex twice and only join strips.
//
// In a strip every second triangle runs the other way round; the swap of its last two
// vertices keeps all fronts on one side.
func appendTriangles(into []uint32, mode int, order []uint32, first uint32) []uint32 {
	add := func(a, b, c uint32) {
		if a != b && b != c && c != a {
			into = append(into, first+a, first+b, first+c)
		}
	}
	switch mode {
	case modeTriangles:
		for i := 0; i+2 < len(order); i += 3 {
			add(order[i], order[i+1], order[i+2])
		}
	case modeStrip:
		for i := 0; i+2 < len(order); i++ {
			add(order[i], order[i+1+i%2], order[i+2-i%2])
		}
	case modeFan:
		for i := 1; i+1 < len(order); i++ {
			add(order[i], order[i+1], order[0])
		}
	}
	return into
}

// transformed returns s transformed by t, without the triangles that have no area there. It
// swaps the winding if t mirrors.
//
// Without the swap, what a modeller has mirrored would have its front behind: rays report
// the wrong normals then.
func (s *triangleMesh) transformed(t affine) (*triangleMesh, error) {
	out := &triangleMesh{s.number, make([]geom.Vec3, len(s.vertices)), make([]uint32, 0, len(s.indices))}
	for i, v := range s.vertices {
		out.vertices[i] = t.point(v)
		if err := inReach(out.vertices[i]); err != nil {
			return nil, fmt.Errorf("mesh %d: vertex %d %w", s.number, i, err)
		}
	}
	mirrored := t.mirrored()
	for i := 0; i < len(s.indices); i += 3 {
		a, b, c := s.indices[i], s.indices[i+1], s.indices[i+2]
		if mirrored {
			b, c = c, b
		}
		p := out.vertices[a]
		if out.vertices[b].Sub(p).Cross(out.vertices[c].Sub(p)).LenSq() > minAreaSq {
			out.indices = append(out.indices, a, b, c)
		}
	}
	return out, nil
}

// minAreaSq is the square of twice the smallest area of a triangle: one of a micrometre by
// a millimetre is dropped.
//
// collide drops triangles by their height; this one drops those whose area the scale of the
// node has made zero, before they count.
const minAreaSq = 1e-18

// bounds returns the bounding box of the vertices that triangles use.
//
// Only vertices in use, because tools leave some behind after an edit: a box mark around a
// stray vertex would be invisible and huge.
func (s *triangleMesh) bounds() geom.AABB {
	b := geom.EmptyAABB()
	for _, i := range s.indices {
		b = b.Include(s.vertices[i])
	}
	return b
}

// hullPoints returns the distinct corners of the triangles transformed by t, in the order of
// first use: the points of a hull come in the same order on every machine, which a map would not give.
func (s *triangleMesh) hullPoints(t affine) ([]geom.Vec3, error) {
	there, err := s.transformed(t)
	if err != nil {
		return nil, err
	}
	seen := make(map[geom.Vec3]bool)
	var out []geom.Vec3
	for _, i := range there.indices {
		v := there.vertices[i]
		if seen[v] {
			continue
		}
		if len(out) == MaxHullPoints {
			return nil, fmt.Errorf("more than %d different corners", MaxHullPoints)
		}
		seen[v] = true
		out = append(out, v)
	}
	return out, nil
}
