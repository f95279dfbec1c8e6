package body

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// maxFaces is how many triangles near a box are tested. A crate on a fine mesh meets a few dozen; a bound
// keeps a statue of a million triangles from stopping the server. Of more, World.Faces returns a part that is
// spread evenly, and more than half as many.
const maxFaces = 512

// levelPoint is a contact point with its normal and the surface it is on, while those of all
// triangles are gathered.
type levelPoint struct {
	contactPoint
	n       geom.Vec3
	surface collide.MoverID
}

// collideBoxLevel makes the contacts of a box with the level, while it moves by way. Each triangle is
// tested as a hull of its own; addLevelContacts puts those of one plane together.
func (w *World) collideBoxLevel(i int32, way geom.Vec3) {
	m, b := &w.sims[i], &w.bodies[i]
	// The bounds have the way of the piece in them, so a wall that the box will reach is among the faces.
	w.level.faces = w.view.Faces(m.bounds, maxFaces, w.level.faces[:0])
	if len(w.level.faces) == 0 {
		return
	}
	w.level.hulls[0].box(m.pos, m.q, b.Half)
	w.level.facePoints = w.level.facePoints[:0]
	behind := false
	for k := range w.level.faces {
		f := &w.level.faces[k]
		n := f.Normal
		// A triangle of a solid pushes outwards only. A single triangle is a wall from both sides.
		if n.Dot(m.pos.Sub(f.A)) < 0 {
			if f.Solid {
				behind = true
				continue
			}
			n = n.Neg()
		}
		w.collideBoxFace(k, n, way)
	}
	// All faces of a solid look away: the middle of the box may be inside.
	if behind {
		w.pushOutOfSolid(i, b.innerRadius())
	}
	// A stable partition is not needed, only a fixed order.
	moving := 0 // the level's movers first: the static level must be solved last
	for k, s := range w.level.facePoints {
		if s.surface != collide.Static {
			w.level.facePoints[moving], w.level.facePoints[k] = s, w.level.facePoints[moving]
			moving++
		}
	}
	w.addLevelContacts(i)
}

// collideBoxFace gathers the contact points of the box in hulls[0] on one triangle; n is the normal
// of the side that faces the box. Loose triangles know nothing of each other, so an edge between two that
// make one floor looks like a ledge.
func (w *World) collideBoxFace(k int, n, way geom.Vec3) {
	f := &w.level.faces[k]
	tri := &w.level.hulls[1]
	tri.triangle(f, n)
	var x axis
	w.level.points, x = collideHulls(&w.level.hulls[0], tri, way, w.level.points[:0])
	if len(w.level.points) == 0 {
		return
	}
	// Where triangles were left out, their neighbours look like ledges.
	if x.n != n && (len(w.level.faces) > maxFaces/2 || w.isInternalEdge(k, tri, x.n)) {
		// The level continues beyond that edge, so the box touches no edge but the plane of the face.
		lo, _ := w.level.hulls[0].extent(n)
		x = axis{n: n, gap: lo - n.Dot(f.A), face: 0}
		if x.gap > margin {
			return
		}
		w.level.points = hullPoints(&w.level.hulls[0], tri, &x, w.level.points[:0])
	}
	for _, s := range w.level.points {
		w.level.facePoints = append(w.level.facePoints, levelPoint{s, x.n, f.Mover})
	}
}

// internalEdgeTolerance is how far, in metres, the level may rise beyond an edge and count as flat. It
// covers the rounding of exported levels.
const internalEdgeTolerance = 0.001

// isInternalEdge reports whether a contact point on the triangle also lies on another one that extends
// further along n. Then n is no way out of the level: a box that slides over the seam would trip.
func (w *World) isInternalEdge(k int, tri *hull, n geom.Vec3) bool {
	_, hi := tri.extent(n)
	for j := range w.level.faces {
		o := &w.level.faces[j]
		if j == k || max(n.Dot(o.A), n.Dot(o.B), n.Dot(o.C)) <= hi+internalEdgeTolerance {
			continue
		}
		for i := range w.level.points {
			if onFace(w.level.points[i].at, o) {
				return true
			}
		}
	}
	return false
}

// onFace reports whether p lies on the triangle, its border included, within a millimetre: levels are
// exported in single precision, so the corners of neighbours differ by fractions of one.
func onFace(p geom.Vec3, f *collide.Face) bool {
	if d := f.Normal.Dot(p.Sub(f.A)); d > internalEdgeTolerance || d < -internalEdgeTolerance {
		return false
	}
	for _, e := range [3][2]geom.Vec3{{f.A, f.B}, {f.B, f.C}, {f.C, f.A}} {
		side := e[1].Sub(e[0]).Cross(f.Normal).Unit()
		if side.Dot(p.Sub(e[0])) > internalEdgeTolerance {
			return false
		}
	}
	return true
}

// pushOutOfSolid pushes out a box whose middle is inside a solid, by the shortest way. One that is inside
// altogether meets no triangle, and falls through.
func (w *World) pushOutOfSolid(i int32, r float64) {
	m := &w.sims[i]
	ball := geom.Capsule{A: m.pos, B: m.pos, Radius: float64(r * 0.5)}
	w.level.found = w.view.Contacts(ball, 0, w.level.found[:0])
	for k := range w.level.found {
		// Only where the middle itself is inside. A ball that is merely near a wall says nothing of the box.
		if x := &w.level.found[k]; x.Distance < -ball.Radius {
			w.level.facePoints = append(w.level.facePoints, levelPoint{contactPoint{x.Point, x.Distance}, x.Normal, x.Mover})
		}
	}
}

// addLevelContacts makes contacts of the level points: of those with one normal and surface, the
// few that matter. It empties the list.
func (w *World) addLevelContacts(i int32) {
	for len(w.level.facePoints) > 0 {
		s := w.level.facePoints[0]
		w.level.points = w.level.points[:0]
		rest := 0
		for _, o := range w.level.facePoints {
			// Within 1.1°: a box on many triangles of one floor has four contacts and not forty.
			if o.surface != s.surface || o.n.Dot(s.n) < 0.9998 {
				w.level.facePoints[rest] = o
				rest++
				continue
			}
			w.level.points = addDistinct(w.level.points, o.contactPoint)
		}
		w.level.facePoints = w.level.facePoints[:rest]
		var m manifold
		reduceManifold(s.n, w.level.points, &m)
		w.addContacts(contactInfo{kind: levelContact, a: i, surface: s.surface}, &m)
	}
}

// addDistinct adds a point unless one at its place is in the list, which then keeps the deeper gap.
// Half a margin is one place.
func addDistinct(list []contactPoint, s contactPoint) []contactPoint {
	for i := range list {
		// Two triangles that share an edge both have its points.
		if list[i].at.Sub(s.at).LenSq() < float64(margin*margin)*0.25 {
			list[i].gap = min(list[i].gap, s.gap)
			return list
		}
	}
	return append(list, s)
}
