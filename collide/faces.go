package collide

import "github.com/backstep-net/backstep/geom"

// Face is one triangle of the world, for callers that compute contacts of their own.
type Face struct {
	A, B, C geom.Vec3 // counter-clockwise seen from outside, world space
	Normal  geom.Vec3 // outwards, of length 1
	// Solid reports that the face bounds a convex shape: the inside is behind it. A loose
	// triangle blocks from both sides.
	Solid    bool
	Shape    ShapeID
	Triangle uint32
	Mover    MoverID
}

// Faces appends to into the triangles of the world, and of its movers at their poses of
// v.At, whose bounds overlap the box; those of a mover in its own space. Where into would be longer than most, it takes every
// second triangle, or every fourth and so on, which are spread evenly. Their order depends only
// on the world and the box.
func (v *WorldAt) Faces(box geom.AABB, most int, into []Face) []Face {
	if !box.Min.Finite() || !box.Max.Finite() {
		return into
	}
	into = v.World.faces(box, nil, Static, most, into)
	if len(v.World.movers) == 0 {
		return into
	}
	search := outward(box)
	var near moverIterator
	near.begin(v.World, &search)
	for i, pose, ok := near.next(v); ok; i, pose, ok = near.next(v) {
		// The box in the space of the mover; as a box around a rotated box it is larger than
		// needed, which only costs some faces that the caller tests in vain.
		back := geom.Transform{Rotation: pose.Rotation.Inverse()}
		back.Translation = back.Rotation.Rotate(pose.Translation.Neg())
		into = v.World.movers[i].Shape.faces(box.Transformed(back), &pose, MoverID(i+1), most, into)
	}
	return into
}

// faces is Faces for the static world, or for a mover at a pose.
func (w *World) faces(box geom.AABB, pose *geom.Transform, mover MoverID, most int, into []Face) []Face {
	search := outward(box)
	var k traversal
	k.begin(&w.triTree, &search)
	// Neighbours in the tree are neighbours in space, so the first ones of too many would be those
	// on one side only: a crate would tip over and fall through a finely modelled floor.
	first, every, found := len(into), 1, 0
	for first < most {
		i, ok := k.next(&w.triTree)
		if !ok {
			break
		}
		t := &w.tris[i]
		if !t.bounds().Overlaps(box) {
			continue
		}
		n := found
		found++
		if n%every == 0 && len(into) == most {
			into, every = everySecond(into, first), 2*every
		}
		if n%every != 0 || len(into) == most {
			continue
		}
		f := Face{t.a, t.b, t.c, t.normal(), t.solid >= 0, ShapeID(t.shape), t.number, mover}
		if pose != nil {
			f.A, f.B, f.C = pose.Apply(f.A), pose.Apply(f.B), pose.Apply(f.C)
			f.Normal = pose.Rotation.Rotate(f.Normal)
		}
		into = append(into, f)
	}
	return into
}

// everySecond removes every second face of those from first on.
func everySecond(list []Face, first int) []Face {
	kept := first
	for i := first; i < len(list); i += 2 {
		list[kept] = list[i]
		kept++
	}
	return list[:kept]
}
