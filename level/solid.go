package level

import (
	"errors"
	"fmt"
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// reading is a level being put together.
type reading struct {
	*file
	level   Level
	builder collide.Builder
	visited []bool
	solids  int
	body    *gathering // whose nodes are being read; nil: the still world's
}

// level walks the scene and bakes what it finds.
func (f *file) level() (*Level, error) {
	s, err := f.scene()
	if err != nil {
		return nil, err
	}
	var m sceneMarks
	if err := readMarks(s.Extras, &m); err != nil {
		return nil, fmt.Errorf("scene %s: %w", quote(s.Name), err)
	}
	r := &reading{file: f, visited: make([]bool, len(f.Nodes))}
	r.level.Name = s.Name
	if m.Name != "" {
		r.level.Name = m.Name
	}
	r.level.Bounds = geom.EmptyAABB()
	for _, n := range s.Nodes {
		if err := r.walk(n, identity, 1); err != nil {
			return nil, err
		}
	}
	if r.solids == 0 {
		return nil, errors.New("nothing in it is solid")
	}
	r.level.KillHeight = r.level.Bounds.Min.Y - 10
	if m.KillHeight != nil {
		r.level.KillHeight = *m.KillHeight
	}
	if r.level.World, err = r.builder.Bake(); err != nil {
		return nil, err
	}
	return &r.level, nil
}

// scene returns the scene that the file shows by default.
func (f *file) scene() (*scene, error) {
	i := 0
	if f.Scene != nil {
		i = *f.Scene
	}
	if i < 0 || i >= len(f.Scenes) {
		return nil, fmt.Errorf("scene %d does not exist", i)
	}
	return &f.Scenes[i], nil
}

// walk reads node i and those below it. A node that is reached twice has two
// parents or is its own ancestor, so this ends.
func (r *reading) walk(i int, parent affine, depth int) error {
	if i < 0 || i >= len(r.Nodes) {
		return fmt.Errorf("node %d does not exist", i)
	}
	n := &r.Nodes[i]
	m := new(marks)
	t, err := r.enter(i, parent, depth, m)
	if err != nil {
		return fmt.Errorf("node %d %s: %w", i, quote(n.Name), err)
	}
	body := r.body
	defer func() { r.body = body }()
	if m.Body != nil {
		if r.body, err = r.begin(n, m.Body, t); err != nil {
			return fmt.Errorf("node %d %s: %w", i, quote(n.Name), err)
		}
	}
	if err := r.solid(n, m, t); err != nil {
		return fmt.Errorf("node %d %s: %w", i, quote(n.Name), err)
	}
	for _, c := range n.Children {
		if err := r.walk(c, t, depth+1); err != nil {
			return err
		}
	}
	if m.Body != nil {
		if err := r.finish(); err != nil {
			return fmt.Errorf("node %d %s: %w", i, quote(n.Name), err)
		}
	}
	return nil
}

// enter reads node i's own place and marks and returns where it is in the world.
func (r *reading) enter(i int, parent affine, depth int, m *marks) (affine, error) {
	n := &r.Nodes[i]
	if r.visited[i] {
		return affine{}, errors.New("is reached twice: it has two parents or is its own ancestor")
	}
	r.visited[i] = true
	if depth > MaxDepth {
		return affine{}, fmt.Errorf("is nested deeper than %d", MaxDepth)
	}
	t, err := n.transform()
	if err != nil {
		return affine{}, err
	}
	t = parent.times(t)
	if !t.finite() {
		return affine{}, errors.New("its transform overflows")
	}
	if _, ok := n.Extensions["EXT_mesh_gpu_instancing"]; ok {
		return affine{}, errors.New("uses EXT_mesh_gpu_instancing, which is not read")
	}
	if err := readMarks(n.Extras, m); err != nil {
		return affine{}, err
	}
	if err := m.check(); err != nil {
		return affine{}, err
	}
	if r.body != nil && (m.Spawn || m.Thing != "" || m.Body != nil || m.Volume != nil) {
		return affine{}, fmt.Errorf("is within body %s: no spawn points, things, volumes and other bodies there", quote(r.body.name))
	}
	if m.Spawn {
		return t, r.spawn(n, m, t)
	}
	if m.Thing != "" {
		return t, r.thing(n, m, t)
	}
	return t, nil
}

// spawn adds the place and the way that t's −Z axis looks.
func (r *reading) spawn(n *node, m *marks, t affine) error {
	if len(r.level.Spawns) >= MaxSpawns {
		return fmt.Errorf("more than %d spawn points", MaxSpawns)
	}
	if err := inReach(t.origin); err != nil {
		return err
	}
	yaw, ok := t.looks()
	if !ok {
		return errors.New("spawn: it looks straight up or down")
	}
	r.level.Spawns = append(r.level.Spawns, Spawn{n.Name, t.origin, yaw, m.Team})
	return nil
}

// looks returns where the −Z axis points about +Y, and false where that is straight up
// or down.
func (t *affine) looks() (yaw float64, ok bool) {
	look := t.z.Neg().Flat(geom.Up)
	if look.Unit().IsZero() {
		return 0, false
	}
	return geom.WrapAngle(math.Round(math.Atan2(-look.X, -look.Z)*1e6) / 1e6), true
}

// thing adds the place of something that the game brings.
func (r *reading) thing(n *node, m *marks, t affine) error {
	if len(r.level.Entities) >= MaxEntities {
		return fmt.Errorf("more than %d things", MaxEntities)
	}
	if err := inReach(t.origin); err != nil {
		return err
	}
	yaw, ok := t.looks()
	_, scale, err := t.rigid()
	if !ok || err != nil {
		return fmt.Errorf("thing %s: it looks straight up or down, or is sheared", quote(m.Thing))
	}
	r.level.Entities = append(r.level.Entities, Entity{n.Name, m.Thing, t.origin, yaw, scale, m.Team})
	return nil
}

// solid adds what the node puts into the world, if anything.
func (r *reading) solid(n *node, m *marks, t affine) error {
	if m.Volume != nil {
		return r.volume(n, m, t)
	}
	how := m.Collide
	if how == "" && n.Mesh != nil && !m.Spawn && m.Thing == "" {
		how = "mesh"
	}
	if how == "" || how == "none" {
		return nil
	}
	if n.Skin != nil {
		return errors.New("a skinned mesh cannot collide: mark it collide none")
	}
	if n.Mesh == nil {
		if how != "box" {
			return fmt.Errorf("collide %s without a mesh", how)
		}
		return r.box(cube, m, t)
	}
	s, err := r.surface(*n.Mesh)
	if err != nil {
		return err
	}
	if len(s.indices) == 0 {
		return nil
	}
	if err := r.budget.place(len(s.vertices), len(s.indices)/3); err != nil {
		return fmt.Errorf("mesh %d: %w", *n.Mesh, err)
	}
	if how == "box" {
		return r.box(s.bounds(), m, t)
	}
	there, err := s.placed(t)
	if err != nil {
		return fmt.Errorf("mesh %d: %w", *n.Mesh, err)
	}
	if how == "hull" {
		return r.hull(there, m)
	}
	return r.triangles(there, m)
}

// cube is what a node without a mesh stands for.
var cube = geom.AABB{Min: geom.V(-1, -1, -1), Max: geom.V(1, 1, 1)}

func (r *reading) triangles(s *surface, m *marks) error {
	if len(s.indices) == 0 {
		return nil
	}
	r.include(s)
	r.level.Triangles += len(s.indices) / 3
	b, from := r.into()
	_, err := b.Triangles(moved(s.vertices, from), s.indices, m.surface())
	return err
}

func (r *reading) hull(s *surface, m *marks) error {
	points := s.corners(MaxHullPoints)
	if len(points) > MaxHullPoints {
		return fmt.Errorf("collide hull: more than %d different corners", MaxHullPoints)
	}
	r.include(s)
	b, from := r.into()
	if _, err := b.Hull(moved(points, from), m.surface()); err != nil {
		return fmt.Errorf("collide hull: %w", err)
	}
	return nil
}

// box adds the box b of the node's own space.
func (r *reading) box(b geom.AABB, m *marks, t affine) error {
	p, err := boxOf(b, t)
	if err != nil {
		return fmt.Errorf("collide box: %w", err)
	}
	if err := r.budget.place(0, 12); err != nil {
		return err
	}
	r.include(&p.corners)
	r.level.Triangles += 12
	into, from := r.into()
	into.Box(p.centre.Sub(from), p.half, p.turn, m.surface())
	return nil
}

// placedBox is a box in the world.
type placedBox struct {
	centre, half geom.Vec3
	turn         geom.Quat
	corners      surface
}

// boxOf is where t puts the box b of its own space.
func boxOf(b geom.AABB, t affine) (placedBox, error) {
	turn, scale, err := t.rigid()
	if err != nil {
		return placedBox{}, err
	}
	e := b.Max.Sub(b.Min).Mul(0.5)
	p := placedBox{centre: t.point(b.Centre()), turn: turn,
		half: geom.V(float64(e.X*scale.X), float64(e.Y*scale.Y), float64(e.Z*scale.Z))}
	if math.Min(p.half.X, math.Min(p.half.Y, p.half.Z)) < 0.0005 {
		return placedBox{}, errors.New("thinner than a millimetre; give it depth, or collide mesh")
	}
	p.corners.indices = []uint32{0, 1, 2, 3, 4, 5, 6, 7}
	for i := range p.corners.indices {
		corner := t.point(pick(b, i))
		if err := inReach(corner); err != nil {
			return placedBox{}, err
		}
		p.corners.vertices = append(p.corners.vertices, corner)
	}
	return p, nil
}

// pick returns corner i of the box: bits 0, 1, 2 say the far end of X, Y, Z.
func pick(b geom.AABB, i int) geom.Vec3 {
	c := b.Min
	if i&1 != 0 {
		c.X = b.Max.X
	}
	if i&2 != 0 {
		c.Y = b.Max.Y
	}
	if i&4 != 0 {
		c.Z = b.Max.Z
	}
	return c
}

// include grows the level's bounds by what is being added.
func (r *reading) include(s *surface) {
	r.level.Bounds = r.level.Bounds.Union(s.bounds())
	r.solids++
}

// inReach is an error where p is too far out, or not a point at all.
func inReach(p geom.Vec3) error {
	far := math.Max(math.Abs(p.X), math.Max(math.Abs(p.Y), math.Abs(p.Z)))
	if !(far <= MaxReach) {
		return fmt.Errorf("is %.3g m from the origin, more than %d", far, MaxReach)
	}
	return nil
}
