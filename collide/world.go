package collide

import "github.com/backstep-net/backstep/geom"

// World is baked, static geometry. It never changes after Bake or Unpack.
type World struct{}

// Surface returns what the shape tells those who touch it.
func (w *World) Surface(id ShapeID) Surface { return Surface{} }

// Ray is View.Ray.
func (w *World) Ray(from, delta geom.Vec3) (Hit, bool) { return Hit{}, false }

// SweepCapsule is View.SweepCapsule.
func (w *World) SweepCapsule(c geom.Capsule, delta geom.Vec3) (Hit, bool) { return Hit{}, false }

// Overlaps is View.Overlaps.
func (w *World) Overlaps(c geom.Capsule) bool { return false }

// Contacts is View.Contacts.
func (w *World) Contacts(c geom.Capsule, margin float64, into []Contact) []Contact { return into }

// Depenetrate is View.Depenetrate.
func (w *World) Depenetrate(c geom.Capsule, max float64) (geom.Vec3, bool) {
	return geom.Vec3{}, true
}
