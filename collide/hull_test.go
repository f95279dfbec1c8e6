package collide

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

// modelled returns the corners of a shape of a modelling tool, about a metre in size: a round
// one (cylinder, cone, capsule, ball), a bevelled box, or a box or plate whose sides are
// subdivided.
func modelled(r *rand.Rand) (points []geom.Vec3) {
	long := math.Exp(4*r.Float64() - 2)
	if r.Intn(2) == 0 {
		sides, rings := 3+r.Intn(29), 1+r.Intn(4)
		pointed, stretched := r.Intn(3) == 0, r.Intn(2) == 0
		for i := range sides {
			turn := geom.YawQuat(2 * math.Pi * float64(i) / float64(sides))
			for k := range rings {
				down := math.Pi / 2 * float64(k) / float64(rings)
				p := turn.Rotate(geom.V(math.Cos(down), math.Sin(down), 0))
				if stretched {
					p.Y += long
				}
				if points = append(points, p); !pointed {
					points = append(points, geom.V(p.X, -p.Y, p.Z))
				}
			}
		}
		return append(points, geom.V(0, 1+long, 0))
	}
	cuts := 1 + r.Intn(4)
	half, bevel := geom.V(1, long, math.Exp(2*r.Float64()-1)), 0.0
	if r.Intn(2) == 0 {
		bevel = 0.3 * r.Float64() * min(half.Y, half.Z, 1)
	}
	for i := range (cuts + 1) * (cuts + 1) * (cuts + 1) {
		at := [3]int{i % (cuts + 1), i / (cuts + 1) % (cuts + 1), i / (cuts + 1) / (cuts + 1)}
		p, inner := [3]float64{}, true
		for k, c := range at {
			p[k] = 2*float64(c)/float64(cuts) - 1
			inner = inner && c > 0 && c < cuts
		}
		q := geom.V(p[0], p[1], p[2])
		if !inner {
			points = append(points, geom.V(q.X*(half.X-bevel), q.Y*(half.Y-bevel), q.Z*(half.Z-bevel)).MulAdd(q.Unit(), bevel))
		}
	}
	return points
}

// A hull is made of every shape that people model, wherever it stands, turned, and rounded
// to the 32-bit numbers of a level file: closed, convex and around all of its points.
func TestHullsOfModelledShapes(t *testing.T) {
	for seed := range int64(250) {
		r := rand.New(rand.NewSource(seed))
		points := modelled(r)
		size, far := math.Exp(6*r.Float64()-3), math.Exp(9*r.Float64()-2)
		turn := geom.Quat{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64(), W: r.NormFloat64()}.Unit()
		if r.Intn(3) == 0 {
			turn = geom.YawQuat(float64(r.Intn(4)) * math.Pi / 4)
		}
		at := geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(far)
		for i, p := range points {
			p = turn.Rotate(p.Mul(size)).Add(at)
			points[i] = geom.V(float64(float32(p.X)), float64(float32(p.Y)), float64(float32(p.Z)))
		}
		var b Builder
		if _, err := b.Hull(points, Surface{}); err != nil {
			t.Errorf("seed %d, %d points: %v", seed, len(points), err)
			continue
		}
		w := b.MustBake()
		across := w.Bounds().Max.Sub(w.Bounds().Min).Len()
		for _, p := range points {
			for i := range w.solids[0].planes {
				plane := &w.solids[0].planes[i]
				if out := plane.n.Dot(p) - plane.w; out > 1e-6*across+2e-7 {
					t.Errorf("seed %d, %d points: one is %g m outside of a hull of %g m", seed, len(points), out, across)
				}
			}
		}
	}
}
