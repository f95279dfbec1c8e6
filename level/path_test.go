package level_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// key is a key of a path as a level file has it.
type key struct {
	seconds float64
	move    [3]float64
	degrees float64
}

// keys returns the keys as JSON values.
func keys(list []key) (out []any) {
	for _, k := range list {
		out = append(out, []any{k.seconds, k.move, k.degrees})
	}
	return out
}

// randomKeys returns a path: up to six keys, a second or more apart, some of them equal to
// the one before. A loop ends where it begins, turned by whole rounds.
func randomKeys(r *rand.Rand, loop bool) (out []key) {
	at := 0.0
	for i := range 2 + r.IntN(5) {
		k := key{at, [3]float64{r.Float64() * 8, r.Float64() * 4, r.Float64()*8 - 4}, math.Round(r.Float64()*360 - 180)}
		if i > 0 && r.IntN(4) == 0 {
			k = out[i-1]
			k.seconds = at
		}
		out = append(out, k)
		at += 1 + math.Round(r.Float64()*3000)/1000
	}
	if loop {
		out = append(out, key{at, out[0].move, out[0].degrees + 360*float64(r.IntN(3)-1)})
	}
	return out
}

// between interpolates linearly between the keys at a time, by looking at each of them.
func between(list []key, seconds float64, loop bool) (move geom.Vec3, degrees float64) {
	last := list[len(list)-1].seconds
	if loop {
		seconds -= math.Floor(seconds/last) * last
	}
	vec := func(k key) geom.Vec3 { return geom.V(k.move[0], k.move[1], k.move[2]) }
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		if seconds >= a.seconds && seconds < b.seconds {
			u := (seconds - a.seconds) / (b.seconds - a.seconds)
			return vec(a).Mul(1 - u).Add(vec(b).Mul(u)), a.degrees*(1-u) + b.degrees*u
		}
	}
	if seconds < 0 {
		return vec(list[0]), list[0].degrees
	}
	return vec(list[len(list)-1]), list[len(list)-1].degrees
}

// A straight path is its keys interpolated, moved along the axes of the node wherever that
// is, mirrored too, and without its scale. [BAS-01]
func TestPathsAgainstPlainInterpolation(t *testing.T) {
	const seed = 8
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 150 {
		loop := i%2 == 0
		list := randomKeys(r, loop)
		place, m := randomPlace(r, true)
		mover := object{"name": "lift", "loop": loop, "path": keys(list)}
		axis := geom.Up
		if r.IntN(2) == 0 {
			axis = geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64())
			mover["axis"] = []float64{axis.X, axis.Y, axis.Z}
		}
		place["extras"] = mark(object{"collide": "box", "mover": mover})
		f := new(sceneFile).ground()
		f.node(-1, place)
		l := f.read(t)
		// The node's own axes, without scale. The mirror image of what turns to the left
		// turns to the right.
		x, y, z, sign := m.axis(0).Unit(), m.axis(1).Unit(), m.axis(2).Unit(), 1.0
		if m.mirrors() {
			sign = -1
		}
		turned := func(v geom.Vec3) geom.Vec3 { return x.Mul(v.X).Add(y.Mul(v.Y)).Add(z.Mul(v.Z)) }
		path := &l.World.Movers()[0].Path
		for range 40 {
			at := clock.Micros(r.Int64N(40_000_000) - 2_000_000)
			if at < 0 && loop {
				at = -at
			}
			move, degrees := between(list, at.Seconds(), loop)
			want := geom.Transform{Rotation: geom.AxisAngle(turned(axis).Unit(), sign*degrees*math.Pi/180), Translation: m.apply(geom.Vec3{}).Add(turned(move))}
			got := path.Pose(at)
			for _, p := range []geom.Vec3{{}, {X: 1}, {Z: 1}} {
				if off := got.Apply(p).Dist(want.Apply(p)); off > 1e-6 {
					t.Fatalf("seed %d, file %d, at %v s: %v is %g m from where it should be; keys %+v", seed, i, at.Seconds(), p, off, list)
				}
			}
		}
	}
}

// A smooth path passes through its keys, rests between equal ones, and nowhere jumps in
// place or speed.
func TestSmoothPathsPassTheirKeys(t *testing.T) {
	const seed = 9
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 100 {
		loop := i%2 == 0
		list := randomKeys(r, loop)
		f := new(sceneFile).ground()
		f.node(-1, object{"name": "lift", "extras": mark(object{"collide": "box", "mover": object{"loop": loop, "smooth": true, "path": keys(list)}})})
		b, err := level.Read(f.bytes())
		if err != nil {
			if strings.Contains(err.Error(), "jumps") {
				continue // a curve overshoots, and may be too fast
			}
			t.Fatalf("seed %d, file %d: %v", seed, i, err)
		}
		path := &b.World.Movers()[0].Path
		for k, key := range list {
			want := geom.V(key.move[0], key.move[1], key.move[2])
			at := clock.Micros(math.Round(key.seconds * 1e6))
			if got := path.Pose(at).Translation; got.Dist(want) > 1e-9 {
				t.Fatalf("seed %d, file %d, key %d: at %v, want %v", seed, i, k, got, want)
			}
			before, _ := path.Velocity(at - 1)
			after, _ := path.Velocity(at)
			if k > 0 && k < len(list)-1 && before.Dist(after) > 1e-3 {
				t.Fatalf("seed %d, file %d, key %d: the velocity jumps from %v to %v", seed, i, k, before, after)
			}
			if k > 0 && list[k-1].move == key.move {
				middle := (at + clock.Micros(list[k-1].seconds*1e6)) / 2
				if got := path.Pose(middle).Translation; got.Dist(want) > 1e-9 {
					t.Fatalf("seed %d, file %d: between the equal keys %d and %d at %v, want %v", seed, i, k-1, k, got, want)
				}
			}
		}
	}
}

// The shapes of a mover, of every kind and from all its descendants, are at rest where the
// same nodes without a mover are.
func TestAMoverAtRestIsItsNodes(t *testing.T) {
	const seed = 10
	r := rand.New(rand.NewPCG(seed, 0))
	hits := 0
	for i := range 40 {
		var worlds [2]*collide.World
		place, _ := randomPlace(r, false)
		var kids []object
		for _, how := range []string{"box", "hull", "mesh", "none"} {
			kid, _ := randomPlace(r, how != "box")
			kid["extras"] = mark(object{"collide": how, "walk": "never"})
			kids = append(kids, kid)
		}
		for k := range worlds {
			f := new(sceneFile).ground()
			m := f.tetrahedron(2)
			root := object{"name": "lift"}
			for key, v := range place {
				root[key] = v
			}
			if k == 1 {
				root["extras"] = mark(object{"mover": object{"path": keys([]key{{}, {seconds: 5, move: [3]float64{0, 40, 0}}})}})
			}
			parent := f.node(-1, root)
			for _, kid := range kids {
				n := object{"mesh": m}
				for key, v := range kid {
					n[key] = v
				}
				f.node(parent, n)
			}
			worlds[k] = f.read(t).World
		}
		still, moving := collide.WorldAt{World: worlds[0]}, collide.WorldAt{World: worlds[1]}
		for range 300 {
			from := geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(15)
			delta := geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(3).Sub(from).Mul(2)
			a, hit := still.Ray(from, delta)
			b, too := moving.Ray(from, delta)
			if hit != too || hit && a.Point.Dist(b.Point) > 1e-6 {
				t.Fatalf("seed %d, file %d: a ray from %v along %v hits %v (%t); the mover %v (%t)", seed, i, from, delta, a.Point, hit, b.Point, too)
			}
			if hit {
				hits++
				if b.Mover != 1 || moving.Surface(b.Mover, b.Shape) != still.Surface(a.Mover, a.Shape) {
					t.Fatalf("seed %d, file %d: hit mover %d, surface %+v", seed, i, b.Mover, moving.Surface(b.Mover, b.Shape))
				}
			}
		}
	}
	if hits < 400 {
		t.Errorf("seed %d: only %d of 12000 rays hit", seed, hits)
	}
}

// What a path cannot be, by node and key.
func TestPathsThatCannotBe(t *testing.T) {
	for _, c := range []struct{ mover, want string }{
		{`{"path":[[0,[0,0,0]]]}`, ""},
		{`{"path":[[0,[0,0,0]],[3,[0,0,0],90]]}`, ""},
		{`{"path":[[0,[0,0,0],0],[3,[0,0,0],720]],"loop":true}`, ""},
		{`{"path":[[0,[0.1,0.2,0.3],33],[3,[0,1,0]],[4,[0.1,0.2,0.3],393]],"loop":true}`, ""},
		{`{"path":[]}`, "path is empty: a mover needs a key at least"},
		{`{"path":[[]]}`, "a key of mover.path is not [seconds, [x, y, z], degrees]"},
		{`{"path":[[0]]}`, "a key of mover.path is not"},
		{`{"path":[{"at":0}]}`, "a key of mover.path is not"},
		{`{"path":[[0,[0,0,0],0,0]]}`, "a key of mover.path is not"},
		{`{"path":[["0",[0,0,0]]]}`, "a key of mover.path is not"},
		{`{"path":[[0,[0,0,0,0]]]}`, "a key of mover.path is not"},
		{`{"path":[[0,"up"]]}`, "a key of mover.path is not"},
		{`{"path":[[0,[0,0,0],"90°"]]}`, "the angle of a key of mover.path is not a number of degrees"},
		{`{"path":[[0,[0,0,0]],[1e13,[0,0,0]]]}`, "path: key 1 is at 1e+13 s"},
		{`{"path":[[0,[0,0,0]],[1000001,[0,0,0]]]}`, "path: key 1 is at 1.000001e+06 s"},
		{`{"path":[[0.000001,[0,0,0]]]}`, "path: key 0 is not at 0"},
		{`{"path":[[0,[0,0,0]],[2,[1,0,0]],[2,[1,0,0]]]}`, "path: key 2 is not after the previous key"},
		{`{"path":[[0,[0,0,0]],[2,[1,0,0]],[1,[1,0,0]]]}`, "path: key 2 is not after the previous key"},
		{`{"path":[[0,[0,0,0]],[900,[1e5,0,0]]]}`, "path: key 1 has a position that is not finite or beyond 16384 m"},
		{`{"path":[[0,[0,0,0]],[1,[101,0,0]]]}`, "path: jumps: from key 0 to 1 it is faster than 100 m/s"},
		{`{"path":[[0,[0,0,0],0],[1,[0,0,0],1840]]}`, "path: jumps"},
		{`{"path":[[0,[0,0,0],0],[900000,[0,0,0],1e7]]}`, "path: key 1 has an angle"},
		{`{"path":[[0,[0,0,0]]],"loop":true}`, "path: a loop needs two keys"},
		{`{"path":[[0,[0,0,0]],[2,[1,0,0]]],"loop":true}`, "path: the last key of a loop is not where the first is"},
		{`{"path":[[0,[0,0,0],0],[2,[0,0,0],90]],"loop":true}`, "path: the last key of a loop is not turned as the first is"},
		{`{"path":[[0,[0,0,0]]],"axis":[0,1]}`, "axis has 2 numbers; must be 3"},
		{`{"path":[[0,[0,0,0]]],"axis":[0,0,0]}`, "axis is not a direction"},
		{`{"path":[[0,[0,0,0]]],"axis":[0,1e7,0]}`, "axis is not a direction"},
		{`{"path":[[0,[0,0,0]]],"smooth":1}`, "cannot unmarshal number"},
	} {
		f := new(sceneFile).ground()
		f.node(-1, object{"name": "lift", "extras": object{"backstep": fmt.Sprintf(`{"collide":"box","mover":%s}`, c.mover)}})
		_, err := level.Read(f.bytes())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `node 1 "lift": extras.backstep`)) {
			t.Errorf("%s: got %v, want %q and the node", c.mover, err, c.want)
		}
	}
}

// What is below a mover, and two movers of one name.
func TestMoversThatCannotBe(t *testing.T) {
	path := []any{[]any{0, []int{0, 0, 0}}}
	for _, m := range []object{{"spawn": true}, {"entity": "ball"}, {"volume": object{"water": true}}, {"mover": object{"path": path}}} {
		f := new(sceneFile).ground()
		lift := f.node(-1, object{"name": "lift", "extras": mark(object{"collide": "box", "mover": object{"path": path}})})
		f.node(f.node(lift, object{}), object{"name": "it", "extras": mark(m)})
		if _, err := level.Read(f.bytes()); err == nil || !strings.Contains(err.Error(), `node 3 "it": is within mover "lift": no spawn points, entities, volumes and other movers there`) {
			t.Errorf("%v below a mover: %v", m, err)
		}
	}
	for _, c := range []struct{ first, second, want string }{
		{"lift", "lift", `mover 2 "lift": its name is that of mover 1`},
		{"lift", "", `mover 2 "": its name is empty`},
		{"lift", strings.Repeat("x", 65), "longer than 64 bytes"},
		{"lift", "other lift", ""},
	} {
		f := new(sceneFile).ground()
		for _, name := range []string{c.first, c.second} {
			f.node(-1, object{"name": name, "extras": mark(object{"collide": "box", "mover": object{"path": path}})})
		}
		l, err := level.Read(f.bytes())
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) || c.want == "" && err != nil {
			t.Errorf("%q and %q: got %v, want %q", c.first, c.second, err, c.want)
		}
		if c.want == "" && len(l.World.Movers()) != 2 {
			t.Errorf("%d movers, want 2", len(l.World.Movers()))
		}
	}
}
