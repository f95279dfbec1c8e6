package browser

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// triangles appends the triangles of the level that stand still, or of a moving body in its own space.
func (i *instance[S, C]) triangles(body int32, into []float32) []float32 {
	w := i.world
	if w == nil || body < 0 || int(body) > len(w.Bodies()) {
		return into
	}
	if body > 0 {
		w = w.Bodies()[body-1].Shape
	}
	for n := range w.Triangles() {
		f := w.Face(n)
		for _, v := range [3]geom.Vec3{f.A, f.B, f.C} {
			into = append(into, float32(v.X), float32(v.Y), float32(v.Z))
		}
		into = append(into, float32(f.Shape), float32(w.Surface(f.Shape).Walk))
	}
	return into
}

// sweep returns how far a ball gets, as a share of delta. Characters do not stop it.
func (i *instance[S, C]) sweep(from, delta geom.Vec3, radius float64) float64 {
	w := collide.WorldAt{World: i.world}
	if i.client != nil && i.client.World().World != nil {
		w = *i.client.World()
		w.Obstacles = nil
	}
	if w.World == nil {
		return 1
	}
	if hit, ok := w.SweepCapsule(geom.Capsule{A: from, B: from, Radius: radius}, delta); ok {
		return hit.Fraction
	}
	return 1
}
