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

// Bone is a bone of a figure that stands somewhere in the level and moves in a loop:
// the arm of a crane, the head of a giant.
type Bone struct {
	Rig  *rig.Rig
	Name string         // of the bone
	At   geom.Transform // where the figure stands
	// Loop is how long the motion takes, and Every how far apart the keys of its path
	// are; Loop is rounded down to whole keys.
	Loop, Every clock.Micros
	// Posture is the figure's from 0 to Loop, where it is again as at 0.
	Posture func(t clock.Micros) rig.Posture
}

const (
	// boneAside in radians is by how much a bone's turn may differ from one about a
	// single axis, and boneGap in metres and radians by how much its loop may fail to
	// close: what the grids of a rig's clips round.
	boneAside = 0.002
	boneGap   = 0.002
)

// Path returns the motion of the bone as a body's, so that characters stand on it, ride
// and leave it as any other (BAS-11): a smooth loop, the same for server and clients,
// which get it with the baked level. The body's own space is the bone's, turned by turn:
// build its shapes after Place with that.
//
//	path, turn, err := bone.Path()
//	b.Body("arm", path, func(b *collide.Builder) {
//		b.Place(geom.Transform{Turn: turn})
//		b.Box(…) // in the bone's space
//	})
//
// A body turns about one axis. A bone whose turn in the clip does not is an error, as
// are a bone that the rig does not have, a loop that does not close and a path that
// does not pass collide.Path.Check.
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
		if aside > boneAside {
			return path, turn, fmt.Errorf("level: bone %s turns about more than one axis: by %.3g rad across it at %v s",
				b.Name, aside, (clock.Micros(i) * b.Every).Seconds())
		}
		angle += geom.WrapAngle(about - angle)
		path.Keys = append(path.Keys, collide.Key{At: clock.Micros(i) * b.Every, Position: places[i].Translation, Angle: angle})
	}
	first, last := &path.Keys[0], &path.Keys[len(path.Keys)-1]
	if gap := last.Position.Dist(first.Position); gap > boneGap || math.Abs(geom.WrapAngle(last.Angle)) > boneGap {
		return path, turn, fmt.Errorf("level: bone %s ends %.3g m and %.3g rad from where it began", b.Name, gap, last.Angle)
	}
	last.Position = first.Position
	last.Angle = 2 * math.Pi * math.Round(last.Angle/(2*math.Pi))
	if err := path.Check(); err != nil {
		return path, turn, errors.New("level: bone " + b.Name + ": " + err.Error())
	}
	return path, turn, nil
}

// sample returns where the bone is at every key.
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

// axisOf returns the axis of the largest turn from the first place, zero where there is
// hardly any.
func axisOf(places []geom.Transform) geom.Vec3 {
	var axis geom.Vec3
	most := boneAside * boneAside / 4
	for i := range places {
		q := places[i].Rotation.Mul(places[0].Rotation.Inverse())
		if v := geom.V(q.X, q.Y, q.Z); v.LenSq() > most {
			most, axis = v.LenSq(), v.Unit()
		}
	}
	return axis
}

// turnAbout returns how far q turns about an axis (zero: +Y), and how far across it, in radians.
func turnAbout(q geom.Quat, axis geom.Vec3) (about, aside float64) {
	if axis.IsZero() {
		axis = geom.Up
	}
	v := geom.V(q.X, q.Y, q.Z)
	along := v.Dot(axis)
	rest := v.MulAdd(axis, -along)
	return geom.WrapAngle(2 * math.Atan2(along, q.W)), 2 * math.Asin(math.Min(rest.Len(), 1))
}
