package level

import (
	"errors"
	"fmt"
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// Bone is a bone of a figure that stands in the level and moves in a loop: the arm of a
// crane, for example.
type Bone struct {
	Rig  *rig.Rig       // the figure's rig, which has the bone
	Name string         // the bone's name
	At   geom.Transform // where the figure stands
	// Loop is the length of the motion, and Every the interval between the keys of its
	// path. Loop is rounded down to whole keys.
	Loop, Every clock.Micros
	// Posture returns the figure's posture from 0 to Loop; at Loop it is the same as at 0.
	Posture func(t clock.Micros) rig.Posture
}

const (
	// maxSwing is by how much a bone's rotation may differ from a rotation about a single
	// axis, in radians, and maxLoopGap how far apart the ends of its loop may be, in
	// metres and radians. Both cover the rounding of a rig's clips.
	//
	// 0.002 rad is 6 mm at the end of an arm of 3 m: a character that stands there does not
	// feel it.
	maxSwing   = 0.002
	maxLoopGap = 0.002
)

// Path returns the motion of the bone as the path of a moving body, so that characters can
// stand on it and ride it [BAS-11]: a smooth loop that is part of the baked level, so it is
// the same on server and clients. The body's space is the bone's, rotated by turn: call
// Place with turn before adding its shapes.
//
//	path, turn, err := bone.Path()
//	b.Body("arm", path, func(b *collide.Builder) {
//		b.Place(geom.Transform{Turn: turn})
//		b.Box(…) // in the bone's space
//	})
//
// A body rotates about one axis. It is an error if the bone rotates about several, if the
// rig has no such bone, if the loop does not close, or if the path does not pass
// collide.Path.Check.
func (b *Bone) Path() (path collide.Path, turn geom.Quat, err error) {
	places, err := b.sample()
	if err != nil {
		return path, turn, err
	}
	turn = places[0].Rotation
	path = collide.Path{Loop: true, Smooth: true, Axis: axisOf(places)}
	angle := 0.0
	for i := range places {
		by := places[i].Rotation.Mul(turn.Inverse())
		about, aside := turnAbout(by, path.Axis)
		if aside > maxSwing {
			return path, turn, fmt.Errorf("level: bone %s turns about more than one axis: by %.3g rad across it at %v s",
				b.Name, aside, (clock.Micros(i) * b.Every).Seconds())
		}
		// Angles of keys are not wrapped: a mast that turns round and round goes on to 2π
		// and beyond.
		angle += geom.WrapAngle(about - angle)
		path.Keys = append(path.Keys, collide.Key{At: clock.Micros(i) * b.Every, Position: places[i].Translation, Angle: angle})
	}
	first, last := &path.Keys[0], &path.Keys[len(path.Keys)-1]
	if gap := last.Position.Dist(first.Position); gap > maxLoopGap || math.Abs(geom.WrapAngle(last.Angle)) > maxLoopGap {
		return path, turn, fmt.Errorf("level: bone %s ends %.3g m and %.3g rad from where it began", b.Name, gap, last.Angle)
	}
	// The loop closes exactly, because Path.Check allows no gap.
	last.Position = first.Position
	last.Angle = 2 * math.Pi * math.Round(last.Angle/(2*math.Pi))
	if err := path.Check(); err != nil {
		return path, turn, errors.New("level: bone " + b.Name + ": " + err.Error())
	}
	return path, turn, nil
}

// sample returns the bone's transform at every key.
func (b *Bone) sample() ([]geom.Transform, error) {
	number := -1
	for i := range b.Rig.Bones() {
		if b.Rig.Bones()[i].Name == b.Name {
			number = i
		}
	}
	switch {
	case number < 0:
		return nil, errors.New("level: the rig has no bone " + b.Name)
	case b.Every <= 0 || b.Loop < b.Every || b.Loop/b.Every >= collide.MaxKeys:
		return nil, fmt.Errorf("level: bone %s: a loop of %v s in keys of %v s; must be 1 … %d keys",
			b.Name, b.Loop.Seconds(), b.Every.Seconds(), collide.MaxKeys-1)
	}
	var f rig.Figure
	var places []geom.Transform
	for t := clock.Micros(0); t <= b.Loop; t += b.Every {
		p := b.Posture(t)
		f.Pose(b.Rig, &p)
		at := f.Bones[number]
		places = append(places, geom.Transform{Rotation: b.At.Rotation.Mul(at.Rotation).Unit(), Translation: b.At.Apply(at.Translation)})
	}
	return places, nil
}

// axisOf returns the axis of the largest rotation from the first transform, zero if there
// is almost none.
//
// The largest, because the axis of a small rotation is mostly rounding.
func axisOf(places []geom.Transform) geom.Vec3 {
	var axis geom.Vec3
	most := maxSwing * maxSwing / 4
	for i := range places {
		q := places[i].Rotation.Mul(places[0].Rotation.Inverse())
		if v := geom.V(q.X, q.Y, q.Z); v.LenSq() > most {
			most, axis = v.LenSq(), v.Unit()
		}
	}
	return axis
}

// turnAbout returns the angle of q about an axis (zero: +Y), and the angle across it, in
// radians.
//
// It is the swing–twist decomposition: the twist is the part of the vector along the axis,
// what remains is the swing.
func turnAbout(q geom.Quat, axis geom.Vec3) (about, aside float64) {
	if axis.IsZero() {
		axis = geom.Up
	}
	v := geom.V(q.X, q.Y, q.Z)
	along := v.Dot(axis)
	rest := v.MulAdd(axis, -along)
	return geom.WrapAngle(2 * math.Atan2(along, q.W)), 2 * math.Asin(math.Min(rest.Len(), 1))
}
