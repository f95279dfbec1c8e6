package collide

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/backstep-net/backstep/geom"
)

// Limits on the moving bodies and volumes of a World.
const (
	MaxBodies  = 1000
	MaxVolumes = 1000
	// maxName is the longest name of a body or volume, in bytes.
	//
	// It bounds the size of a packed level.
	maxName = 64
)

// Body adds a moving body. The function build adds its geometry in the space of the body:
// Key.Position places the origin of that space, Key.Angle rotates it about the origin.
// Shapes are numbered within the body, from 0. On an error the error is kept for Bake, as
// for shapes, and Static is returned. Errors are: a name that is empty, taken or over 64
// bytes; a path that does not pass Path.Check or leads beyond MaxCoordinate; no geometry; a
// body or volume within the body.
func (b *Builder) Body(name string, path Path, build func(b *Builder)) BodyID {
	return b.TriggeredBody(name, path, Trigger{}, build)
}

// TriggeredBody is Body with a Trigger: the body rests where its path begins until it is
// triggered (WorldAt.Trigger). A trigger that does not fit the path is an error.
func (b *Builder) TriggeredBody(name string, path Path, trigger Trigger, build func(b *Builder)) BodyID {
	path.Keys = slices.Clone(path.Keys)
	b.transformPath(&path)
	for i := range path.Keys {
		path.Keys[i].Position = positiveZero(path.Keys[i].Position)
		path.Keys[i].Angle += 0
	}
	path.Axis = positiveZero(path.Axis)
	// The checks come before build runs, so that a builder that is refused has done no
	// work.
	err := b.checkBody(name)
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
	body := Body{Name: name, Path: path, Trigger: trigger}
	if err == nil {
		build(&inner)
		body.Shape, err = inner.Bake()
	}
	var m moving
	if err == nil {
		m, err = measureBody(&body)
	}
	if err != nil {
		b.keepError(errorPrefix("body", len(b.bodies)+1, name) + withoutPackage(err))
		// The first error is kept, and the id is one that every query accepts: the caller
		// need not check each body.
		return Static
	}
	b.bodies = append(b.bodies, body)
	b.moving = append(b.moving, m)
	return BodyID(len(b.bodies))
}

func (b *Builder) checkBody(name string) error {
	switch {
	case b.inner:
		return errors.New("a body within a body")
	case len(b.bodies) >= MaxBodies:
		return errors.New("more than " + strconv.Itoa(MaxBodies) + " bodies")
	case name == "" || len(name) > maxName || !utf8.ValidString(name):
		return errors.New("its name is empty, longer than " + strconv.Itoa(maxName) + " bytes or not UTF-8")
	}
	for i := range b.bodies {
		if b.bodies[i].Name == name {
			return errors.New("its name is that of body " + strconv.Itoa(i+1))
		}
	}
	return nil
}

// measureBody computes the bounds of a body, and returns an error if it leaves
// MaxCoordinate.
func measureBody(b *Body) (moving, error) {
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

// errorPrefix names the body or volume that an error is about.
func errorPrefix(kind string, number int, name string) string {
	return kind + " " + strconv.Itoa(number) + " " + strconv.Quote(name) + ": "
}

// withoutPackage returns the text of an error without the prefix of the package, for use
// inside another error.
func withoutPackage(err error) string { return strings.TrimPrefix(err.Error(), "collide: ") }

// Bodies returns the moving bodies of the world: number i has the id i+1. The slice must
// not be changed.
func (w *World) Bodies() []Body { return w.bodies }

// Body returns the moving body with that id, nil for Static and for unknown ids. The body
// must not be changed.
func (w *World) Body(id BodyID) *Body {
	if id == Static || int(id) > len(w.bodies) {
		return nil
	}
	return &w.bodies[id-1]
}

// BodyNamed returns the id of the body with that name.
func (w *World) BodyNamed(name string) (BodyID, bool) {
	for i := range w.bodies {
		if w.bodies[i].Name == name {
			return BodyID(i + 1), true
		}
	}
	return Static, false
}
