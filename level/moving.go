package level

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// bodyMarks is extras.backstep.body: a node that moves, with all that is below it.
type bodyMarks struct {
	Name   string    // empty: the node's
	Path   []pathKey // at least one
	Loop   bool
	Smooth bool
	Axis   []float64 // that angles turn about; default +Y
}

// pathKey is one key of a body's path: [seconds, [x, y, z], degrees].
type pathKey struct {
	at, angle float64
	move      [3]float64
}

// UnmarshalJSON reads [seconds, [x, y, z]] or [seconds, [x, y, z], degrees].
func (k *pathKey) UnmarshalJSON(b []byte) error {
	var parts []json.RawMessage
	if json.Unmarshal(b, &parts) != nil || len(parts) < 2 || len(parts) > 3 {
		return errors.New("a key of body.path is not [seconds, [x, y, z], degrees]")
	}
	var move []float64
	if json.Unmarshal(parts[0], &k.at) != nil || json.Unmarshal(parts[1], &move) != nil || len(move) != 3 {
		return errors.New("a key of body.path is not [seconds, [x, y, z], degrees]")
	}
	copy(k.move[:], move)
	if len(parts) == 3 && json.Unmarshal(parts[2], &k.angle) != nil {
		return errors.New("the angle of a key of body.path is not a number of degrees")
	}
	return nil
}

// gathering is a body whose nodes are being read.
type gathering struct {
	name    string
	path    collide.Path
	origin  geom.Vec3
	builder collide.Builder
	shapes  []func(*collide.Builder)
}

// into returns what takes the next shape, and the point of the world that is the
// origin there.
func (r *reading) into() (sink, geom.Vec3) {
	if r.body != nil {
		return r.body, r.body.origin
	}
	return &r.builder, geom.Vec3{}
}

// sink takes shapes: a collide.Builder, or the one of a body, which exists only
// while Builder.Body runs.
type sink interface {
	Triangles(vertices []geom.Vec3, indices []uint32, s collide.Surface) (collide.ShapeID, error)
	Hull(points []geom.Vec3, s collide.Surface) (collide.ShapeID, error)
	Box(centre, half geom.Vec3, turn geom.Quat, s collide.Surface) collide.ShapeID
}

// Triangles notes a mesh, and checks it at once so that its node is named.
func (g *gathering) Triangles(vertices []geom.Vec3, indices []uint32, s collide.Surface) (collide.ShapeID, error) {
	g.shapes = append(g.shapes, func(b *collide.Builder) { b.Triangles(vertices, indices, s) })
	return g.builder.Triangles(vertices, indices, s)
}

// Hull notes a hull, likewise.
func (g *gathering) Hull(points []geom.Vec3, s collide.Surface) (collide.ShapeID, error) {
	g.shapes = append(g.shapes, func(b *collide.Builder) { b.Hull(points, s) })
	return g.builder.Hull(points, s)
}

// Box notes a box.
func (g *gathering) Box(centre, half geom.Vec3, turn geom.Quat, s collide.Surface) collide.ShapeID {
	g.shapes = append(g.shapes, func(b *collide.Builder) { b.Box(centre, half, turn, s) })
	return g.builder.Box(centre, half, turn, s)
}

// moved returns the points relative to from.
func moved(points []geom.Vec3, from geom.Vec3) []geom.Vec3 {
	if from.IsZero() {
		return points
	}
	out := make([]geom.Vec3, len(points))
	for i, p := range points {
		out[i] = p.Sub(from)
	}
	return out
}

// begin starts the body of a node that t places.
func (r *reading) begin(n *node, m *bodyMarks, t affine) (*gathering, error) {
	turn, _, err := t.rigid()
	if err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	if err := inReach(t.origin); err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	g := &gathering{name: m.Name, origin: t.origin}
	if g.name == "" {
		g.name = n.Name
	}
	if g.path, err = m.path(t.origin, turn); err != nil {
		return nil, fmt.Errorf("extras.backstep.body.%w", err)
	}
	return g, nil
}

// path returns the path of a body whose rest place is origin, turned by turn: its
// moves and its axis are the node's own, without its scale.
func (m *bodyMarks) path(origin geom.Vec3, turn geom.Quat) (collide.Path, error) {
	p := collide.Path{Loop: m.Loop, Smooth: m.Smooth}
	if len(m.Path) == 0 {
		return p, errors.New("path is empty: a body needs a key at least")
	}
	if len(m.Path) > collide.MaxKeys {
		return p, fmt.Errorf("path has %d keys, more than %d", len(m.Path), collide.MaxKeys)
	}
	if m.Axis != nil {
		if len(m.Axis) != 3 {
			return p, fmt.Errorf("axis has %d numbers; must be 3", len(m.Axis))
		}
		axis := geom.V(m.Axis[0], m.Axis[1], m.Axis[2])
		if l := axis.Len(); !(l > 1e-6 && l < 1e6) {
			return p, errors.New("axis is not a direction")
		}
		p.Axis = turn.Rotate(axis.Unit()).Unit()
	} else if up := turn.Rotate(geom.Up); up.Dist(geom.Up) > 1e-6 {
		p.Axis = up.Unit()
	}
	for i, k := range m.Path {
		at := math.Round(k.at * 1e6)
		if !(math.Abs(at) <= float64(collide.MaxPathTime)) {
			return p, fmt.Errorf("path: key %d is at %g s", i, k.at)
		}
		move := geom.V(k.move[0], k.move[1], k.move[2])
		p.Keys = append(p.Keys, collide.Key{
			At: clock.Micros(at), Position: origin.Add(turn.Rotate(move)), Angle: float64(k.angle*math.Pi) / 180,
		})
	}
	if m.Loop { // rounding does not break what closes in the file
		last := len(m.Path) - 1
		if m.Path[0].move == m.Path[last].move {
			p.Keys[last].Position = p.Keys[0].Position
		}
		if turns := (m.Path[last].angle - m.Path[0].angle) / 360; turns == math.Trunc(turns) {
			p.Keys[last].Angle = p.Keys[0].Angle + float64(turns*2*math.Pi)
		}
	}
	if err := p.Check(); err != nil {
		return p, fmt.Errorf("path: %s", strings.TrimPrefix(err.Error(), "collide: "))
	}
	return p, nil
}

// finish adds the gathered body to the world.
func (r *reading) finish() error {
	g := r.body
	if len(g.shapes) == 0 {
		return errors.New("body: nothing below it is solid")
	}
	id := r.builder.Body(g.name, g.path, func(b *collide.Builder) {
		for _, add := range g.shapes {
			add(b)
		}
	})
	if id == collide.Static {
		_, err := r.builder.Bake()
		return err
	}
	return nil
}

// volumeMarks is extras.backstep.volume: a region that does something to what is
// inside.
type volumeMarks struct {
	Name                    string // empty: the node's
	Priority                int
	Water, Kill, Planet     bool
	Friction, TerminalSpeed float64
	Launch, Up              []float64 // of the node's own axes
}

// volume adds what the marks say about the node's mesh, or about its cube of −1 … 1
// where it has none.
func (r *reading) volume(n *node, m *marks, t affine) error {
	v, err := r.volumeOf(n, m.Volume, t)
	if err != nil {
		return fmt.Errorf("extras.backstep.volume.%w", err)
	}
	if n.Mesh == nil {
		return r.volumeBox(v, cube, t)
	}
	s, err := r.surface(*n.Mesh)
	if err != nil {
		return err
	}
	if err := r.budget.place(len(s.vertices), len(s.indices)/3); err != nil {
		return fmt.Errorf("mesh %d: %w", *n.Mesh, err)
	}
	switch m.Collide {
	case "box":
		return r.volumeBox(v, s.bounds(), t)
	case "", "hull":
	default:
		return fmt.Errorf("extras.backstep.collide is %s; a volume is a hull or a box", quote(m.Collide))
	}
	there, err := s.placed(t)
	if err != nil {
		return fmt.Errorf("mesh %d: %w", *n.Mesh, err)
	}
	points := there.corners(MaxHullPoints)
	if len(points) > MaxHullPoints {
		return fmt.Errorf("volume: more than %d different corners", MaxHullPoints)
	}
	if err := r.builder.VolumeHull(v, points); err != nil {
		return fmt.Errorf("volume: %w", err)
	}
	return nil
}

func (r *reading) volumeBox(v collide.Volume, b geom.AABB, t affine) error {
	p, err := boxOf(b, t)
	if err != nil {
		return fmt.Errorf("volume: %w", err)
	}
	if err := r.builder.VolumeBox(v, p.centre, p.half, p.turn); err != nil {
		return fmt.Errorf("volume: %w", err)
	}
	return nil
}

// volumeOf checks the marks and turns their directions into the world's.
func (r *reading) volumeOf(n *node, m *volumeMarks, t affine) (collide.Volume, error) {
	v := collide.Volume{Name: m.Name, Water: m.Water, Kill: m.Kill, Friction: m.Friction,
		TerminalSpeed: m.TerminalSpeed, Planet: m.Planet}
	if v.Name == "" {
		v.Name = n.Name
	}
	if m.Priority < -128 || m.Priority > 127 {
		return v, fmt.Errorf("priority is %d; must be −128 … 127", m.Priority)
	}
	v.Priority = int8(m.Priority)
	turn, _, err := t.rigid()
	if err != nil {
		return v, fmt.Errorf("launch and up need axes: %w", err)
	}
	if v.Launch, err = direction("launch", m.Launch, turn); err != nil {
		return v, err
	}
	if v.Up, err = direction("up", m.Up, turn); err != nil {
		return v, err
	}
	if m.Up != nil {
		if v.Up = v.Up.Unit(); v.Up.IsZero() {
			return v, errors.New("up is not a direction")
		}
	}
	if m.Planet {
		v.Centre = t.origin
	}
	return v, nil
}

// direction turns three numbers of the file by turn; none are the zero vector.
func direction(what string, v []float64, turn geom.Quat) (geom.Vec3, error) {
	if v == nil {
		return geom.Vec3{}, nil
	}
	if len(v) != 3 {
		return geom.Vec3{}, fmt.Errorf("%s has %d numbers; must be 3", what, len(v))
	}
	return turn.Rotate(geom.V(v[0], v[1], v[2])), nil
}
