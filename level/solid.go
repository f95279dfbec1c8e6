package level

import (
	"errors"
	"fmt"
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// levelBuilder builds a Level.
//
// It walks the tree of nodes once. Whatever is wrong is reported with the node that it is
// at, because that is what a level designer can select.
type levelBuilder struct {
	*file
	level   Level
	builder collide.Builder // of the static world
	visited []bool          // of each node: it has been read
	solids  int             // shapes so far
	mover   *moverBuilder   // the mover whose nodes are being read; nil: the static world
}

// level walks the scene and bakes the world.
//
// The nodes of other scenes are not read: designers keep spare parts there.
func (f *file) level() (*Level, error) {
	s, err := f.scene()
	if err != nil {
		return nil, err
	}
	var m sceneExtras
	if err := readExtras(s.Extras, &m); err != nil {
		return nil, fmt.Errorf("scene %s: %w", quote(s.Name), err)
	}
	r := &levelBuilder{file: f, visited: make([]bool, len(f.Nodes))}
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
	// An empty world would let players fall forever; most often all nodes were marked none
	// by mistake.
	if r.solids == 0 {
		return nil, errors.New("nothing in it is solid")
	}
	if r.level.World, err = r.builder.Bake(); err != nil {
		return nil, err
	}
	r.level.KillHeight = r.level.lowest() - killDepth
	if m.KillHeight != nil {
		r.level.KillHeight = *m.KillHeight
	}
	return &r.level, nil
}

// killDepth is how far below everything solid players have left the level, in metres: they see the fall, and do not wait.
const killDepth = 10

// lowest returns the height of the lowest solid point, of movers at each key of their paths, in metres.
func (l *Level) lowest() float64 {
	y := l.Bounds.Min.Y
	for _, b := range l.World.Movers() {
		for _, k := range b.Path.Keys {
			y = min(y, k.Position.Y+b.Shape.Bounds().Min.Y)
		}
	}
	return y
}

// scene returns the file's default scene: the one that it names, else the first.
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

// walk reads node i and its descendants. It ends, because a node that is reached twice is
// an error.
func (r *levelBuilder) walk(i int, parent affine, depth int) error {
	if i < 0 || i >= len(r.Nodes) {
		return fmt.Errorf("node %d does not exist", i)
	}
	n := &r.Nodes[i]
	m := new(extras)
	// The mover is restored when this node is left, so that its siblings are static again.
	t, err := r.visit(i, parent, depth, m)
	mover := r.mover
	defer func() { r.mover = mover }()
	if err == nil && m.Mover != nil {
		r.mover, err = r.beginMover(n, m.Mover, t)
	}
	if err == nil {
		err = r.solid(n, m, t)
	}
	if err != nil {
		return r.nodeError(i, err)
	}
	for _, c := range n.Children {
		if err := r.walk(c, t, depth+1); err != nil {
			return err
		}
	}
	if m.Mover != nil {
		if err := r.finishMover(); err != nil {
			return r.nodeError(i, err)
		}
	}
	return nil
}

// nodeError adds the node's number and name to an error.
func (f *file) nodeError(i int, err error) error {
	return fmt.Errorf("node %d %s: %w", i, quote(f.Nodes[i].Name), err)
}

// visit reads node i's transform and extras and returns its transform in the world.
func (r *levelBuilder) visit(i int, parent affine, depth int, m *extras) (affine, error) {
	n := &r.Nodes[i]
	if r.visited[i] {
		return affine{}, errors.New("is reached twice: it has two parents or is its own ancestor")
	}
	// Before anything can fail, so that a cycle ends at its second visit.
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
	// It is drawn many times and would be solid once.
	if _, ok := n.Extensions["EXT_mesh_gpu_instancing"]; ok {
		return affine{}, errors.New("uses EXT_mesh_gpu_instancing, which is not read")
	}
	if err := readExtras(n.Extras, m); err != nil {
		return affine{}, err
	}
	if err := m.check(); err != nil {
		return affine{}, err
	}
	// All of these are fixed in the world: they would stay behind when the mover leaves.
	if r.mover != nil && (m.Spawn || m.Entity != "" || m.Mover != nil || m.Volume != nil) {
		return affine{}, fmt.Errorf("is within mover %s: no spawn points, entities, volumes and other movers there", quote(r.mover.name))
	}
	if m.Spawn {
		return t, r.spawn(n, m, t)
	}
	if m.Entity != "" {
		return t, r.entity(n, m, t)
	}
	return t, nil
}

// spawn adds a spawn point at t, facing its −Z axis.
func (r *levelBuilder) spawn(n *node, m *extras, t affine) error {
	if len(r.level.Spawns) >= MaxSpawns {
		return fmt.Errorf("more than %d spawn points", MaxSpawns)
	}
	if err := inReach(t.origin); err != nil {
		return err
	}
	yaw, ok := t.heading()
	if !ok {
		return errors.New("spawn: it looks straight up or down")
	}
	r.level.Spawns = append(r.level.Spawns, Spawn{n.Name, t.origin, yaw, m.Team})
	return nil
}

// heading returns the yaw of t's −Z axis, and false if that points straight up or down.
//
// math.Atan2 may differ by the last bit between processors: rounding to a millionth of a
// radian hides that.
func (t *affine) heading() (yaw float64, ok bool) {
	// The pitch of the node does not matter: players enter level.
	look := t.z.Neg().Flat(geom.Up)
	if look.Unit().IsZero() {
		return 0, false
	}
	return geom.WrapAngle(math.Round(math.Atan2(-look.X, -look.Z)*1e6) / 1e6), true
}

// entity adds the place of a game object.
func (r *levelBuilder) entity(n *node, m *extras, t affine) error {
	if len(r.level.Entities) >= MaxEntities {
		return fmt.Errorf("more than %d entities", MaxEntities)
	}
	if err := inReach(t.origin); err != nil {
		return err
	}
	yaw, ok := t.heading()
	_, scale, err := t.rigid()
	if !ok || err != nil {
		return fmt.Errorf("entity %s: it looks straight up or down, or is sheared", quote(m.Entity))
	}
	r.level.Entities = append(r.level.Entities, Entity{n.Name, m.Entity, t.origin, yaw, scale, m.Team})
	return nil
}

// solid adds the node's collision shape, if it has one.
func (r *levelBuilder) solid(n *node, m *extras, t affine) error {
	if m.Volume != nil {
		return r.volume(n, m, t)
	}
	how := m.Collide
	if how == "" && n.Mesh != nil && !m.Spawn && m.Entity == "" {
		how = "mesh"
	}
	if how == "" || how == "none" {
		return nil
	}
	// A skinned mesh is drawn where its bones are, which the solid pose does not follow.
	if n.Skin != nil {
		return errors.New("a skinned mesh cannot collide: mark it collide none")
	}
	if n.Mesh == nil {
		// A node without a mesh has no triangles and no corners, only the cube of −1 … 1
		// that Blender draws for an empty.
		if how != "box" {
			return fmt.Errorf("collide %s without a mesh", how)
		}
		return r.box(cube, m, t)
	}
	// What is only lines and points is not solid.
	s, err := r.meshOf(n)
	if err != nil || len(s.indices) == 0 {
		return err
	}
	switch how {
	case "box":
		return r.box(s.bounds(), m, t)
	case "hull":
		return r.hull(s, m, t)
	}
	return r.triangles(s, m, t)
}

// meshOf reads the node's mesh and charges it to the budget.
func (r *levelBuilder) meshOf(n *node) (*triangleMesh, error) {
	s, err := r.triangleMesh(*n.Mesh)
	if err != nil {
		return nil, err
	}
	if err := r.budget.placeMesh(len(s.vertices), len(s.indices)/3); err != nil {
		return nil, fmt.Errorf("mesh %d: %w", *n.Mesh, err)
	}
	return s, nil
}

// cube is the shape of a node without a mesh.
var cube = geom.AABB{Min: geom.V(-1, -1, -1), Max: geom.V(1, 1, 1)}

// triangles adds a mesh as loose triangles. A mesh that the scale has flattened to nothing is no
// error: designers hide things so.
func (r *levelBuilder) triangles(s *triangleMesh, m *extras, t affine) error {
	s, err := s.transformed(t)
	if err != nil || len(s.indices) == 0 {
		return err
	}
	r.include(s.bounds())
	r.level.Triangles += len(s.indices) / 3
	return r.addShape(func(b *collide.Builder, origin geom.Vec3) error {
		_, err := b.Triangles(relativeTo(s.vertices, origin), s.indices, m.surface())
		return err
	})
}

// hull adds the convex hull of a mesh: a solid, which pushes out a mover that is inside.
func (r *levelBuilder) hull(s *triangleMesh, m *extras, t affine) error {
	points, err := s.hullPoints(t)
	if err == nil {
		bounds := geom.EmptyAABB()
		for _, p := range points {
			bounds = bounds.Include(p)
		}
		r.include(bounds)
		err = r.addShape(func(b *collide.Builder, origin geom.Vec3) error {
			_, err := b.Hull(relativeTo(points, origin), m.surface())
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("collide hull: %w", err)
	}
	return nil
}

// box adds a box of the node's space. A sheared or unevenly turned node is an error: its box would
// not be one.
func (r *levelBuilder) box(b geom.AABB, m *extras, t affine) error {
	p, err := boxOf(b, t)
	if err != nil {
		return fmt.Errorf("collide box: %w", err)
	}
	if err := r.budget.placeMesh(0, 12); err != nil {
		return err
	}
	r.include(p.bounds)
	r.level.Triangles += 12
	return r.addShape(func(b *collide.Builder, origin geom.Vec3) error {
		b.Box(p.centre.Sub(origin), p.half, p.turn, m.surface())
		return nil
	})
}

// placedBox is a box in the world.
type placedBox struct {
	centre, half geom.Vec3 // half its size along its own axes
	turn         geom.Quat
	bounds       geom.AABB // along the world's axes
}

// boxOf returns the box b transformed by t.
func boxOf(b geom.AABB, t affine) (placedBox, error) {
	turn, scale, err := t.rigid()
	if err != nil {
		return placedBox{}, err
	}
	e := b.Max.Sub(b.Min).Mul(0.5)
	p := placedBox{centre: t.point(b.Centre()), turn: turn,
		half: geom.V(float64(e.X*scale.X), float64(e.Y*scale.Y), float64(e.Z*scale.Z))}
	// A box that thin has no inside to be pushed out of. Most often the mesh is a plane,
	// and the mark should be mesh.
	if min(p.half.X, min(p.half.Y, p.half.Z)) < 0.0005 {
		return placedBox{}, errors.New("thinner than a millimetre; give it depth, or collide mesh")
	}
	p.bounds = geom.EmptyAABB()
	for i := range 8 { // bits 0, 1 and 2 select the far end of X, Y and Z
		corner := b.Min
		if i&1 != 0 {
			corner.X = b.Max.X
		}
		if i&2 != 0 {
			corner.Y = b.Max.Y
		}
		if i&4 != 0 {
			corner.Z = b.Max.Z
		}
		corner = t.point(corner)
		if err := inReach(corner); err != nil {
			return placedBox{}, err
		}
		p.bounds = p.bounds.Include(corner)
	}
	return p, nil
}

// include extends the level's bounds by a solid and counts it. Bounds decide where players fall
// out of the level.
func (r *levelBuilder) include(b geom.AABB) {
	r.level.Bounds = r.level.Bounds.Union(b)
	r.solids++
}

// inReach returns an error if p is too far out or not finite.
//
// The negated comparison refuses NaN.
func inReach(p geom.Vec3) error {
	far := max(math.Abs(p.X), max(math.Abs(p.Y), math.Abs(p.Z)))
	if !(far <= MaxReach) {
		return fmt.Errorf("is %.3g m from the origin, more than %d", far, MaxReach)
	}
	return nil
}
