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

// The kinds of volumes that a page tells apart; 0 is any other.
const (
	waterVolume = 1 + iota
	killVolume
	launchVolume
)

// volumesOf returns the boxes around the volumes of a level, and their kinds.
func volumesOf(w *collide.World) (list []float32) {
	if w == nil {
		return nil
	}
	for i, v := range w.Volumes() {
		b, kind := w.VolumeBounds(i), 0
		switch {
		case v.Water:
			kind = waterVolume
		case v.Kill:
			kind = killVolume
		case !v.Launch.IsZero():
			kind = launchVolume
		}
		list = append(list, float32(b.Min.X), float32(b.Min.Y), float32(b.Min.Z),
			float32(b.Max.X), float32(b.Max.Y), float32(b.Max.Z), float32(kind))
	}
	return list
}

// trianglesOf returns the triangles of a level that stand still, or of a mover in its own space.
func trianglesOf(w *collide.World, mover int) []float32 {
	if w == nil || mover < 0 || mover > len(w.Movers()) {
		return nil
	}
	if mover > 0 {
		w = w.Movers()[mover-1].Shape
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
