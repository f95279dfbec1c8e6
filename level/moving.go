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

// moverExtras is extras.backstep.mover: a node that moves together with its descendants.
//
// A path and not an animation of the file: it must be a function that server and clients
// evaluate to the same bits, with limits that keep characters safe on it.
type moverExtras struct {
	Name   string    // default: the node's name
	Path   []pathKey // at least one
	Loop   bool      // after the last key follows the first
	Smooth bool      // a curve through the keys instead of lines
	Axis   []float64 // of the angles; default +Y
	// Trigger is what starts the path; nil is match time.
	Trigger *triggerExtras
}

// pathKey is one key of a mover's path: [seconds, [x, y, z], degrees].
type pathKey struct {
	at, angle float64    // s, degrees about the mover's Axis
	move      [3]float64 // m from the node, along its axes
}

// UnmarshalJSON reads [seconds, [x, y, z]] or [seconds, [x, y, z], degrees].
//
// Lists instead of objects, because people type them into a text field of Blender.
func (k *pathKey) UnmarshalJSON(b []byte) error {
	var parts []json.RawMessage
	if json.Unmarshal(b, &parts) != nil || len(parts) < 2 || len(parts) > 3 {
		return errors.New("a key of mover.path is not [seconds, [x, y, z], degrees]")
	}
	var move []float64
	if json.Unmarshal(parts[0], &k.at) != nil || json.Unmarshal(parts[1], &move) != nil || len(move) != 3 {
		return errors.New("a key of mover.path is not [seconds, [x, y, z], degrees]")
	}
	copy(k.move[:], move)
	if len(parts) == 3 && json.Unmarshal(parts[2], &k.angle) != nil {
		return errors.New("the angle of a key of mover.path is not a number of degrees")
	}
	return nil
}

// shapeFunc adds a shape to a builder whose space has its origin at a point of the file.
type shapeFunc func(b *collide.Builder, origin geom.Vec3) error

// moverBuilder collects the shapes of a mover: collide.Builder.Mover builds them only
// when all are known.
type moverBuilder struct {
	name    string
	path    collide.Path
	origin  geom.Vec3       // the node's place: that of the mover's own space
	trigger collide.Trigger // zero: the path follows match time
	shapes  []shapeFunc     // in the order of the file, of which their numbers come
	trial   collide.Builder // the shapes so far, for their errors
}

// addShape adds a shape to the mover that is being read, or to the static world.
func (r *levelBuilder) addShape(add shapeFunc) error {
	if r.mover == nil {
		return add(&r.builder, geom.Vec3{})
	}
	r.mover.shapes = append(r.mover.shapes, add)
	return add(&r.mover.trial, r.mover.origin) // now, so that the error names the node
}

// relativeTo returns the points relative to from.
//
// A mover's space has the world's axes and its origin at the node: the rotation of a key is
// about that point.
func relativeTo(points []geom.Vec3, from geom.Vec3) []geom.Vec3 {
	if from.IsZero() {
		return points
	}
	out := make([]geom.Vec3, len(points))
	for i, p := range points {
		out[i] = p.Sub(from)
	}
	return out
}

// beginMover starts the mover of node n at t.
func (r *levelBuilder) beginMover(n *node, m *moverExtras, t affine) (*moverBuilder, error) {
	axes, err := t.axes()
	if err != nil {
		return nil, fmt.Errorf("mover: %w", err)
	}
	if err := inReach(t.origin); err != nil {
		return nil, fmt.Errorf("mover: %w", err)
	}
	g := &moverBuilder{name: m.Name, origin: t.origin}
	if g.name == "" {
		g.name = n.Name
	}
	if g.path, err = m.path(t.origin, axes); err != nil {
		return nil, fmt.Errorf("extras.backstep.mover.%w", err)
	}
	if g.trigger, err = m.Trigger.trigger(); err != nil {
		return nil, fmt.Errorf("extras.backstep.mover.trigger.%w", err)
	}
	return g, nil
}

// path returns the path of a mover that rests at origin: its moves and its axis are along the
// axes of its node. The angles of a mirrored node turn the other way, as its mirror image would.
//
// The file's numbers are decimal seconds and degrees, written by people: they are rounded
// to microseconds, and what closes in the file closes in the path.
func (m *moverExtras) path(origin geom.Vec3, axes axes) (collide.Path, error) {
	p := collide.Path{Loop: m.Loop, Smooth: m.Smooth}
	radians := math.Pi
	if axes.mirrored {
		radians = -radians
	}
	if len(m.Path) == 0 {
		return p, errors.New("path is empty: a mover needs a key at least")
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
		p.Axis = axes.direction(axis.Unit()).Unit()
		// The zero axis of a Path is +Y: a node that stands upright keeps it, exactly.
	} else if up := axes.direction(geom.Up); up.Dist(geom.Up) > 1e-6 {
		p.Axis = up.Unit()
	}
	for i, k := range m.Path {
		at := math.Round(k.at * 1e6)
		// Before the conversion: a float beyond an int64 converts to anything.
		if !(math.Abs(at) <= float64(collide.MaxPathTime)) {
			return p, fmt.Errorf("path: key %d is at %g s", i, k.at)
		}
		move := geom.V(k.move[0], k.move[1], k.move[2])
		p.Keys = append(p.Keys, collide.Key{
			At: clock.Micros(at), Position: origin.Add(axes.direction(move)), Angle: float64(k.angle*radians) / 180,
		})
	}
	if m.Loop { // rounding does not break what closes in the file
		last := len(m.Path) - 1
		if m.Path[0].move == m.Path[last].move {
			p.Keys[last].Position = p.Keys[0].Position
		}
		// 720 degrees are four times π only up to rounding, and Check compares strictly.
		if turns := (m.Path[last].angle - m.Path[0].angle) / 360; turns == math.Trunc(turns) {
			p.Keys[last].Angle = p.Keys[0].Angle + float64(turns*2*radians)
		}
	}
	if err := p.Check(); err != nil {
		return p, fmt.Errorf("path: %s", strings.TrimPrefix(err.Error(), "collide: "))
	}
	return p, nil
}

// finishMover adds the finished mover to the world. A mover without shapes is most often one whose
// node was marked instead of its parent, so it is an error.
func (r *levelBuilder) finishMover() error {
	g := r.mover
	if len(g.shapes) == 0 {
		return errors.New("mover: nothing below it is solid")
	}
	id := r.builder.TriggeredMover(g.name, g.path, g.trigger, func(b *collide.Builder) {
		for _, add := range g.shapes {
			add(b, g.origin)
		}
	})
	// The builder has kept the reason, a name that is taken for example; Bake returns it.
	if id == collide.Static {
		_, err := r.builder.Bake()
		return err
	}
	return nil
}

// volumeExtras is extras.backstep.volume: a region with an effect on characters inside.
type volumeExtras struct {
	Name                    string    // default: the node's name
	Priority                int       // the highest applies where volumes overlap, −128 … 127
	Water, Kill, Planet     bool      // swim here; die here; gravity points to the node
	Friction, TerminalSpeed float64   // 1/s and m/s; 0: as elsewhere
	Launch, Up              []float64 // along the node's axes
	Triggers                string    // the name of a mover
	Waypoint                int       // where that goes, from 1; 0: what its kind says
	Button                  bool      // only where a button is pressed inside
}

// volume adds the volume of a node: its mesh, or its cube of −1 … 1 if it has none.
//
// Only convex volumes: a mesh counts by its hull.
func (r *levelBuilder) volume(n *node, m *extras, t affine) error {
	v, err := r.volumeOf(n, m.Volume, t)
	if err != nil {
		return fmt.Errorf("extras.backstep.volume.%w", err)
	}
	if n.Mesh == nil {
		return r.volumeBox(v, cube, t)
	}
	s, err := r.meshOf(n)
	if err != nil {
		return err
	}
	switch m.Collide {
	case "box":
		return r.volumeBox(v, s.bounds(), t)
	case "", "hull":
	default:
		return fmt.Errorf("extras.backstep.collide is %s; a volume is a hull or a box", quote(m.Collide))
	}
	points, err := s.hullPoints(t)
	if err == nil {
		err = r.builder.VolumeHull(v, points)
	}
	if err != nil {
		return fmt.Errorf("volume: %w", err)
	}
	return nil
}

// volumeBox adds a volume that is the box b of the node's space.
func (r *levelBuilder) volumeBox(v collide.Volume, b geom.AABB, t affine) error {
	p, err := boxOf(b, t)
	if err != nil {
		return fmt.Errorf("volume: %w", err)
	}
	if err := r.builder.VolumeBox(v, p.centre, p.half, p.turn); err != nil {
		return fmt.Errorf("volume: %w", err)
	}
	return nil
}

// volumeOf checks the extras and converts their directions to world space.
func (r *levelBuilder) volumeOf(n *node, m *volumeExtras, t affine) (collide.Volume, error) {
	v := collide.Volume{Name: m.Name, Water: m.Water, Kill: m.Kill, Friction: m.Friction,
		TerminalSpeed: m.TerminalSpeed, Planet: m.Planet, Triggers: m.Triggers, Waypoint: m.Waypoint, Button: m.Button}
	if v.Name == "" {
		v.Name = n.Name
	}
	if m.Priority < -128 || m.Priority > 127 {
		return v, fmt.Errorf("priority is %d; must be −128 … 127", m.Priority)
	}
	v.Priority = int8(m.Priority)
	axes, err := t.axes()
	if err != nil && (m.Launch != nil || m.Up != nil) {
		return v, fmt.Errorf("launch and up need axes: %w", err)
	}
	if v.Launch, err = axes.world("launch", m.Launch); err != nil {
		return v, err
	}
	if v.Up, err = axes.world("up", m.Up); err != nil {
		return v, err
	}
	if m.Up != nil {
		// Unit returns zero for what has no direction.
		if v.Up = v.Up.Unit(); v.Up.IsZero() {
			return v, errors.New("up is not a direction")
		}
	}
	if m.Planet {
		v.Centre = t.origin
	}
	return v, nil
}

// world is direction for three numbers of the file; nil is the zero vector. what names the key
// for the error.
func (a axes) world(what string, v []float64) (geom.Vec3, error) {
	if v == nil {
		return geom.Vec3{}, nil
	}
	if len(v) != 3 {
		return geom.Vec3{}, fmt.Errorf("%s has %d numbers; must be 3", what, len(v))
	}
	return a.direction(geom.V(v[0], v[1], v[2])), nil
}
