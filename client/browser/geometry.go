package browser

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// triangleSize is how many numbers a triangle is on the page.
const triangleSize = 11

// level returns the level as it was loaded; nil before.
func (i *instance[S, C]) level() *collide.World { return i.world }

// levelNow returns the level as it is in this frame; without a session, at match time 0.
func (i *instance[S, C]) levelNow() *collide.WorldAt {
	if i.client == nil || i.client.World().World == nil {
		return &collide.WorldAt{World: i.world}
	}
	return i.client.World()
}

// trianglesOf returns the triangles of a level that stand still, or of a moving body in its own space.
func trianglesOf(w *collide.World, body int) []float32 {
	if w == nil || body < 0 || body > len(w.Bodies()) {
		return nil
	}
	if body > 0 {
		w = w.Bodies()[body-1].Shape
	}
	list := make([]float32, triangleSize*w.Triangles())
	for n := range w.Triangles() {
		f, into := w.Face(n), list[triangleSize*n:]
		for k, v := range [3]geom.Vec3{f.A, f.B, f.C} {
			into[3*k], into[3*k+1], into[3*k+2] = float32(v.X), float32(v.Y), float32(v.Z)
		}
		into[9], into[10] = float32(f.Shape), float32(w.Surface(f.Shape).Walk)
	}
	return list
}

// sweepBall returns how far a ball gets, as a share of delta. Characters do not stop it.
func sweepBall(level *collide.WorldAt, from, delta geom.Vec3, radius float64) float64 {
	if level.World == nil {
		return 1
	}
	w := *level
	w.Obstacles = nil
	if hit, ok := w.SweepCapsule(geom.Capsule{A: from, B: from, Radius: radius}, delta); ok {
		return hit.Fraction
	}
	return 1
}
