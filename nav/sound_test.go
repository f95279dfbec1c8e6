package nav_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/nav"
)

// Wherever the mesh is, the body has room and a floor; wherever the body has room and level
// floor with half a metre of clearance all around, the mesh is.
func TestTheMeshIsWhereTheBodyStands(t *testing.T) {
	const half = 12
	for seed := uint64(1); seed <= 6; seed++ {
		w := clutter(seed, half, 30)
		p := params()
		p.Seeds = nil
		m := bake(t, w, p)
		r := rand.New(rand.NewPCG(seed, 2))
		for range 3000 {
			ref, at := somewhere(m, r, half)
			height := p.Height
			if m.CrouchOnly(ref) {
				height = p.CrouchedHeight
			}
			if c := shrunk(p.Radius, height, at); w.Overlaps(c) {
				t.Fatalf("seed %d: no room at %v", seed, at)
			}
			if _, ok := w.Ray(at.MulAdd(geom.Up, 0.1), geom.V(0, -0.6, 0)); !ok {
				t.Fatalf("seed %d: no floor at %v", seed, at)
			}
		}
		missed := 0
		for range 3000 {
			at := geom.V((r.Float64()*2-1)*(half-1), 0, (r.Float64()*2-1)*(half-1))
			wide := geom.Capsule{A: at.MulAdd(geom.Up, 0.9), B: at.MulAdd(geom.Up, 1.0), Radius: 0.85}
			if w.Overlaps(wide) || !evenAround(w, at) {
				continue
			}
			if _, near, ok := m.Nearest(at, 1); !ok || near.Dist(at) > 1e-3 {
				missed++
				t.Errorf("seed %d: nothing at %v, nearest %v", seed, at, near)
			}
		}
		if missed > 0 {
			t.Fatalf("seed %d: %d missed", seed, missed)
		}
	}
}

// shrunk is the body over a point, 4 cm smaller on all sides: between samples the mesh is
// no more accurate than that.
func shrunk(radius, height float64, at geom.Vec3) geom.Capsule {
	r := radius - 0.04
	return geom.Capsule{A: at.MulAdd(geom.Up, radius+0.1), B: at.MulAdd(geom.Up, height-radius), Radius: r}
}

// evenAround reports level floor within half a metre.
func evenAround(w *collide.World, at geom.Vec3) bool {
	for k := range 16 {
		q := at.MulAdd(geom.Forward(float64(k)*math.Pi/8), 0.6*float64(1+k%2)/2)
		hit, ok := w.Ray(q.MulAdd(geom.Up, 0.6), geom.V(0, -1, 0))
		if !ok || math.Abs(hit.Point.Y-at.Y) > 1e-3 {
			return false
		}
	}
	return true
}

// Every piece of a path lies on the mesh, and no path is much longer than the
// shortest: that of a graph of all corners of the mesh that see each other.
func TestPathsAreShortAndOnTheMesh(t *testing.T) {
	const half = 8
	worst, sum, n := 1.0, 0.0, 0
	for seed := uint64(1); seed <= 5; seed++ {
		p := params()
		p.Cell, p.MaxDrop, p.CrouchedHeight = 0.3, 0, 0
		m := bake(t, clutter(seed, half, 14), p)
		o := newOracle(m)
		q := nav.Query{Mesh: m}
		r := rand.New(rand.NewPCG(seed, 3))
		for range 60 {
			a, from := somewhere(m, r, half)
			b, to := somewhere(m, r, half)
			way, ok := q.PathBetween(a, from, b, to, nil)
			if !ok {
				t.Fatalf("seed %d: no way from %v to %v", seed, from, to)
			}
			length := onTheMesh(t, m, a, from, way)
			best := o.shortest(a, from, b, to)
			if length < best-1e-9 {
				t.Errorf("seed %d: %v to %v: %.6f m, shorter than the shortest, %.6f", seed, from, to, length, best)
			}
			if best > 1 {
				worst, sum, n = max(worst, length/best), sum+length/best, n+1
			}
		}
	}
	t.Logf("%d paths: %.2f %% longer than the shortest, at worst %.1f %%", n, 100*(sum/float64(n)-1), 100*(worst-1))
	if worst > 1.35 || sum/float64(n) > 1.02 {
		t.Errorf("want at most 2 %% longer, 35 %% at worst")
	}
}

// onTheMesh walks the corners by Raycast and returns the length on the level.
func onTheMesh(t *testing.T, m *nav.Mesh, ref nav.Ref, at geom.Vec3, way []nav.Corner) float64 {
	t.Helper()
	sum := 0.0
	for i, c := range way {
		end, p, _ := m.Raycast(ref, at, c.At)
		if off := p.Sub(c.At); off.Flat(geom.Up).Len() > 1e-6 || math.Abs(off.Y) > 0.005 || !m.Meet(end, c.Ref, c.At, 3) {
			t.Fatalf("corner %d of %d at %v: the way from %v ends at %v", i, len(way), c.At, at, p)
		}
		sum += c.At.Sub(at).Flat(geom.Up).Len()
		ref, at = c.Ref, c.At
	}
	return sum
}

// oracle knows which corners of the mesh see each other.
type oracle struct {
	m    *nav.Mesh
	at   []geom.Vec3
	ref  []nav.Ref
	dist [][]float64
}

func newOracle(m *nav.Mesh) *oracle {
	o := &oracle{m: m}
	for ref := nav.Ref(1); int(ref) <= m.Polygons(); ref++ {
		lo, hi := m.Corners(ref)
		for k := range 4 {
			p := geom.V(lo.X, 0, lo.Z)
			if k&1 != 0 {
				p.X = hi.X
			}
			if k&2 != 0 {
				p.Z = hi.Z
			}
			p.Y = m.Height(ref, p)
			o.ref, o.at = append(o.ref, ref), append(o.at, p)
		}
	}
	o.dist = make([][]float64, len(o.at))
	for i := range o.at {
		o.dist[i] = o.seen(o.ref[i], o.at[i])
	}
	return o
}

// seen returns the distances to all corners, infinite to those that are not visible.
func (o *oracle) seen(ref nav.Ref, from geom.Vec3) []float64 {
	var out []float64
	for i, to := range o.at {
		d := math.Inf(1)
		if end, p, _ := o.m.Raycast(ref, from, to); p.Dist(to) < 0.005 && o.m.Meet(end, o.ref[i], to, 3) {
			d = to.Sub(from).Flat(geom.Up).Len()
		}
		out = append(out, d)
	}
	return out
}

// shortest is Dijkstra over the corners.
func (o *oracle) shortest(a nav.Ref, from geom.Vec3, b nav.Ref, to geom.Vec3) float64 {
	if end, p, _ := o.m.Raycast(a, from, to); p.Dist(to) < 0.005 && o.m.Meet(end, b, to, 3) {
		return to.Sub(from).Flat(geom.Up).Len()
	}
	dist, last := o.seen(a, from), o.seen(b, to)
	done := make([]bool, len(dist))
	for {
		k := -1
		for i := range dist {
			if !done[i] && (k < 0 || dist[i] < dist[k]) {
				k = i
			}
		}
		if k < 0 || math.IsInf(dist[k], 1) {
			break
		}
		done[k] = true
		for i, d := range o.dist[k] {
			dist[i] = min(dist[i], dist[k]+d)
		}
	}
	best := math.Inf(1)
	for i := range dist {
		best = min(best, dist[i]+last[i])
	}
	return best
}
