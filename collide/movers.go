package collide

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/backstep-net/backstep/geom"
)

// Limits on the movers and volumes of a World.
const (
	MaxMovers  = 1000
	MaxVolumes = 1000
	// maxName is the longest name of a mover or volume, in bytes.
	//
	// It bounds the size of a packed level.
	maxName = 64
)

// Mover adds a mover. The function build adds its geometry in the space of the mover:
// Key.Position places the origin of that space, Key.Angle rotates it about the origin.
// Shapes are numbered within the mover, from 0. On an error the error is kept for Bake, as
// for shapes, and Static is returned. Errors are: a name that is empty, taken or over 64
// bytes; a path that does not pass Path.Check or leads beyond MaxCoordinate; no geometry; a
// mover or volume within the mover.
func (b *Builder) Mover(name string, path Path, build func(b *Builder)) MoverID {
	return b.TriggeredMover(name, path, Trigger{}, build)
}

// TriggeredMover is Mover with a Trigger: the mover rests where its path begins until it is
// triggered (WorldAt.Trigger). A trigger that does not fit the path is an error.
func (b *Builder) TriggeredMover(name string, path Path, trigger Trigger, build func(b *Builder)) MoverID {
	path.Keys = slices.Clone(path.Keys)
	b.transformPath(&path)
	for i := range path.Keys {
		path.Keys[i].Position = positiveZero(path.Keys[i].Position)
		path.Keys[i].Angle += 0
	}
	path.Axis = positiveZero(path.Axis)
	// The checks come before build runs, so that a builder that is refused has done no
	// work.
	err := b.checkMover(name)
	if err == nil {
		err = path.Check()
		if err != nil {
			err = errors.New("path: " + err.Error())
		} else {
			err = trigger.check(&path)
		}
	}
	// The translation of SetTransform is already in the keys of the path; the geometry
	// needs the rotation only.
	inner := Builder{inner: true, transformed: b.transformed, transform: geom.Transform{Rotation: b.transform.Rotation}}
	mover := Mover{Name: name, Path: path, Trigger: trigger}
	if err == nil {
		build(&inner)
		mover.Shape, err = inner.Bake()
	}
	var m moving
	if err == nil {
		m, err = measureMover(&mover)
	}
	if err != nil {
		b.keepError(errorPrefix("mover", len(b.movers)+1, name) + withoutPackage(err))
		// The first error is kept, and the id is one that every query accepts: the caller
		// need not check each mover.
		return Static
	}
	b.movers = append(b.movers, mover)
	b.moving = append(b.moving, m)
	return MoverID(len(b.movers))
}

func (b *Builder) checkMover(name string) error {
	switch {
	case b.inner:
		return errors.New("a mover within a mover")
	case len(b.movers) >= MaxMovers:
		return errors.New("more than " + strconv.Itoa(MaxMovers) + " movers")
	case name == "" || len(name) > maxName || !utf8.ValidString(name):
		return errors.New("its name is empty, longer than " + strconv.Itoa(maxName) + " bytes or not UTF-8")
	}
	for i := range b.movers {
		if b.movers[i].Name == name {
			return errors.New("its name is that of mover " + strconv.Itoa(i+1))
		}
	}
	return nil
}

// measureMover computes the bounds of a mover, and returns an error if it leaves
// MaxCoordinate.
func measureMover(b *Mover) (moving, error) {
	if b.Shape.Triangles() == 0 {
		return moving{}, errors.New("it has no geometry")
	}
	m, around := measure(b)
	if !inReach(around.Min) || !inReach(around.Max) {
		return moving{}, errors.New("its path leads beyond " + strconv.Itoa(MaxCoordinate) + " m")
	}
	return m, nil
}

// keepError keeps the first error, and returns this one.
func (b *Builder) keepError(what string) error {
	err := errors.New("collide: " + what)
	if b.err == nil {
		b.err = err
	}
	return err
}

// errorPrefix names the mover or volume that an error is about.
func errorPrefix(kind string, number int, name string) string {
	return kind + " " + strconv.Itoa(number) + " " + strconv.Quote(name) + ": "
}

// withoutPackage returns the text of an error without the prefix of the package, for use
// inside another error.
func withoutPackage(err error) string { return strings.TrimPrefix(err.Error(), "collide: ") }

// Movers returns the movers of the world: number i has the id i+1. The slice must
// not be changed.
func (w *World) Movers() []Mover { return w.movers }

// Mover returns the mover with that id, nil for Static and for unknown ids. The mover
// must not be changed.
func (w *World) Mover(id MoverID) *Mover {
	if id == Static || int(id) > len(w.movers) {
		return nil
	}
	return &w.movers[id-1]
}

// MoverNamed returns the id of the mover with that name.
func (w *World) MoverNamed(name string) (MoverID, bool) {
	for i := range w.movers {
		if w.movers[i].Name == name {
			return MoverID(i + 1), true
		}
	}
	return Static, false
}
