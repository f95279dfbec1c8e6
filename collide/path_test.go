package collide

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// randomPath is a random path that passes Check.
func randomPath(r *rand.Rand) Path {
	p := Path{Loop: r.IntN(2) == 0, Smooth: r.IntN(2) == 0, Axis: vector(r, 1).Unit()}
	if r.IntN(3) == 0 {
		p.Axis = geom.Vec3{}
	}
	at := clock.Micros(0)
	for range 2 + r.IntN(6) {
		k := Key{At: at, Position: vector(r, 8), Angle: r.Float64() * 9}
		if n := len(p.Keys); n > 0 && r.IntN(4) == 0 {
			k.Position, k.Angle = p.Keys[n-1].Position, p.Keys[n-1].Angle // a rest
		}
		p.Keys = append(p.Keys, k)
		at += 1500*clock.Millisecond + clock.Micros(r.IntN(3_000_000))
	}
	if p.Loop {
		p.Keys = append(p.Keys, Key{At: at, Position: p.Keys[0].Position, Angle: p.Keys[0].Angle + 2*math.Pi})
	}
	return p
}

// A lift waits at the bottom, rises in two seconds, waits, and comes down; the
// table is its height and speed. [BAS-01]
func TestLift(t *testing.T) {
	keys := []Key{{}, {At: 1 * clock.Second}, {At: 3 * clock.Second, Position: geom.V(0, 4, 0)},
		{At: 5 * clock.Second, Position: geom.V(0, 4, 0)}, {At: 7 * clock.Second}}
	for _, c := range []struct {
		name         string
		smooth, loop bool
		at           clock.Micros
		height       float64
		speed        float64
	}{
		{"before the match", false, true, -clock.Second, 0, 0},
		{"waiting below", false, true, clock.Second / 2, 0, 0},
		{"at the very start of the rise", false, true, clock.Second, 0, 2},
		{"half way", false, true, 2 * clock.Second, 2, 2},
		{"waiting above", false, true, 4 * clock.Second, 4, 0},
		{"coming down", false, true, 6 * clock.Second, 2, -2},
		{"the second round", false, true, 9 * clock.Second, 2, 2},
		{"after the end, no loop", false, false, 60 * clock.Second, 0, 0},
		{"a smooth lift waits too", true, true, clock.Second / 2, 0, 0},
		{"a smooth lift starts gently", true, true, clock.Second, 0, 0},
		{"a smooth lift, a quarter of the way", true, true, 1500 * clock.Millisecond, 0.625, 2.25},
		{"a smooth lift, half way", true, true, 2 * clock.Second, 2, 3},
		{"a smooth lift, waiting above", true, true, 3500 * clock.Millisecond, 4, 0},
	} {
		p := Path{Keys: keys, Smooth: c.smooth, Loop: c.loop}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		pose := p.Pose(c.at)
		move, spin := p.Velocity(c.at)
		if !near(pose.Translation.Y, c.height, 1e-12) || !near(move.Y, c.speed, 1e-12) || !spin.IsZero() || pose.Rotation != geom.IdentityQuat {
			t.Errorf("%s: got %v at %v spinning %v, want height %v at %v", c.name, pose, move, spin, c.height, c.speed)
		}
	}
}

// A path never jumps: in a microsecond it moves no further than its maximum speed allows,
// also across keys and the end of a loop. Its velocity agrees with the poses around, and
// the velocity of smooth paths is continuous. [BAS-01]
func TestPathIsContinuous(t *testing.T) {
	const seed = 71
	r := rand.New(rand.NewPCG(seed, 0))
	point := geom.V(1, 2, -1)
	for i := range 300 {
		p := randomPath(r)
		if err := p.Check(); err != nil {
			t.Fatalf("seed %d, path %d: %v", seed, i, err)
		}
		around, fastest, turn := p.extent()
		bound := fastest + turn*point.Len() + 1e-9
		end := p.Keys[len(p.Keys)-1].At
		for k := range 200 {
			at := clock.Micros(r.Int64N(int64(2*end))) - clock.Second
			if k < 2*len(p.Keys) {
				at = p.Keys[k/2].At + clock.Micros(k%2)*end - 1
			}
			a, b := p.Pose(at), p.Pose(at+1)
			if d := a.Apply(point).Dist(b.Apply(point)); d > bound*1.001e-6+1e-12 {
				t.Fatalf("seed %d, path %d: from %d µs on it goes %g m in 1 µs, at most %g m/s", seed, i, at, d, bound)
			}
			if !around.Grow(1e-9).Contains(a.Translation) {
				t.Fatalf("seed %d, path %d: at %d µs it is at %v, outside %v", seed, i, at, a.Translation, around)
			}
		}
		for range 100 {
			at := clock.Micros(r.Int64N(int64(2 * end)))
			const h = 100 // µs
			if near := p.locate(at - h); near.key != p.locate(at+h).key {
				continue
			}
			a, b := p.Pose(at-h), p.Pose(at+h)
			move, spin := p.Velocity(at)
			if got := b.Translation.Sub(a.Translation).Div(2 * h * 1e-6); got.Dist(move) > 1e-4 {
				t.Fatalf("seed %d, path %d: velocity %v, the poses say %v", seed, i, move, got)
			}
			matter := move.Add(spin.Cross(p.Pose(at).Rotation.Rotate(point)))
			if got := b.Apply(point).Sub(a.Apply(point)).Div(2 * h * 1e-6); got.Dist(matter) > 1e-3 {
				t.Fatalf("seed %d, path %d: a point on it goes %v, the poses say %v", seed, i, matter, got)
			}
		}
		if !p.Smooth {
			continue
		}
		for _, k := range p.Keys[1:] {
			a, w := p.Velocity(k.At - 1)
			b, x := p.Velocity(k.At)
			if a.Dist(b) > 1e-3 || w.Dist(x) > 1e-3 {
				t.Fatalf("seed %d, path %d: at %d µs the velocity jumps from %v %v to %v %v", seed, i, k.At, a, w, b, x)
			}
		}
	}
}

// A smooth path through keys of an even motion, however far apart in time they are, is that even motion
// between its inner keys, and turns evenly; through keys of a fall it is the fall. Its bounds and its
// greatest speeds are then those of the keys: a bound that is too large refuses trains. [BAS-01]
func TestSmoothPathsFollowTheirKeys(t *testing.T) {
	const spin = .7
	way, fall := geom.V(2, -1, .5), geom.V(0, -4.9, 0)
	even, falling := Path{Smooth: true}, Path{Smooth: true}
	for _, s := range []float64{0, 1, 1.5, 4, 5, 7, 7.25, 9} {
		even.Keys = append(even.Keys, Key{At: clock.Micros(s * 1e6), Position: way.Mul(s), Angle: spin * s})
	}
	for s := range 6 {
		x := float64(s)
		falling.Keys = append(falling.Keys, Key{At: clock.Micros(s) * clock.Second, Position: fall.Mul(x * x), Angle: .1 * x * x})
	}
	for at := clock.Second; at <= 7250*clock.Millisecond; at += 50 * clock.Millisecond {
		s := at.Seconds()
		pose, want := even.Pose(at), geom.Transform{Rotation: geom.YawQuat(spin * s), Translation: way.Mul(s)}
		move, turn := even.Velocity(at)
		if d := pose.Apply(geom.V(1, 0, 0)).Dist(want.Apply(geom.V(1, 0, 0))); d > 1e-9 || move.Dist(way) > 1e-9 || turn.Dist(geom.V(0, spin, 0)) > 1e-9 {
			t.Errorf("evenly at %v s: %g m off, velocity %v, spin %v; want %v, %v", s, d, move, turn, way, spin)
		}
		if s > 4 {
			continue
		}
		pose, want = falling.Pose(at), geom.Transform{Rotation: geom.YawQuat(.1 * s * s), Translation: fall.Mul(s * s)}
		move, turn = falling.Velocity(at)
		if d := pose.Apply(geom.V(1, 0, 0)).Dist(want.Apply(geom.V(1, 0, 0))); d > 1e-9 || move.Dist(fall.Mul(2*s)) > 1e-9 || turn.Dist(geom.V(0, .2*s, 0)) > 1e-9 {
			t.Errorf("falling at %v s: %g m off, velocity %v, spin %v; want %v, %v", s, d, move, turn, fall.Mul(2*s), .2*s)
		}
	}
	for i := 1; i < 6; i++ {
		move, turn := even.maxSpeeds(i)
		a, b := even.Keys[i].Position, even.Keys[i+1].Position
		box, want := even.segmentBounds(i), geom.AABB{Min: a.Min(b), Max: a.Max(b)}
		if !near(move, way.Len(), 1e-9) || !near(turn, spin, 1e-9) || box.Min.Dist(want.Min) > 1e-9 || box.Max.Dist(want.Max) > 1e-9 {
			t.Errorf("from key %d: at most %v m/s and %v rad/s within %v; want %v, %v, %v", i, move, turn, box, way.Len(), spin, want)
		}
	}
	round := Path{Loop: true, Smooth: true}
	for _, part := range []float64{0, .1, .4, .5, .9, 1} {
		round.Keys = append(round.Keys, Key{At: clock.Micros(part * 8e6), Angle: part * 2 * math.Pi})
	}
	for at := clock.Micros(0); at < 20*clock.Second; at += 130 * clock.Millisecond {
		if _, turn := round.Velocity(at); turn.Dist(geom.V(0, math.Pi/4, 0)) > 1e-9 {
			t.Errorf("a wheel at %v s: spin %v, want %v all the time", at.Seconds(), turn, math.Pi/4)
		}
	}
}

// After 10⁶ s a loop has the pose of its first round, bit for bit. [BAS-01]
func TestLoopIsExact(t *testing.T) {
	const seed = 72
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 200 {
		p := randomPath(r)
		if !p.Loop {
			continue
		}
		end := p.Keys[len(p.Keys)-1].At
		rounds := 1_000_000*clock.Second/end + 1
		for range 20 {
			at := clock.Micros(r.Int64N(int64(end)))
			v, w := p.Velocity(at)
			x, y := p.Velocity(at + rounds*end)
			if p.Pose(at) != p.Pose(at+rounds*end) || v != x || w != y {
				t.Fatalf("seed %d, path %d: at %d µs and %d rounds later: %v, %v", seed, i, at, rounds, p.Pose(at), p.Pose(at+rounds*end))
			}
		}
	}
}

// An invalid path is refused, and the error says why.
func TestPathCheck(t *testing.T) {
	nan := math.NaN()
	s := clock.Second
	for _, c := range []struct {
		path Path
		want string // "" is no error
	}{
		{Path{}, ""},
		{Path{Keys: []Key{{}}}, ""},
		{Path{Keys: []Key{{}, {At: s, Position: geom.V(100, 0, 0)}}}, ""},
		{Path{Keys: []Key{{}, {At: s, Angle: 4 * math.Pi}}, Loop: true}, ""},
		{Path{Keys: []Key{{At: 1}}}, "key 0 is not at 0"},
		{Path{Keys: []Key{{}, {At: s}, {At: s, Position: geom.V(1, 0, 0)}}}, "key 2 is not after the previous key"},
		{Path{Keys: []Key{{}, {At: -s}}}, "key 1 is not after"},
		{Path{Keys: []Key{{}, {At: MaxPathTime + 1}}}, "key 1 is later"},
		{Path{Keys: []Key{{Position: geom.V(nan, 0, 0)}}}, "key 0 has a position that is not finite"},
		{Path{Keys: []Key{{}, {At: s, Position: geom.V(0, MaxCoordinate+1, 0)}}}, "key 1 has a position"},
		{Path{Keys: []Key{{}, {At: s, Angle: nan}}}, "key 1 has an angle"},
		{Path{Keys: []Key{{}, {At: s, Angle: math.Inf(1)}}}, "key 1 has an angle"},
		{Path{Keys: []Key{{}, {At: s, Position: geom.V(101, 0, 0)}}}, "jumps: from key 0 to 1"},
		{Path{Keys: []Key{{}, {At: s}, {At: s + 1, Position: geom.V(.01, 0, 0)}}}, "jumps: from key 1 to 2"},
		{Path{Keys: []Key{{}, {At: s, Angle: 33}}}, "jumps"},
		{Path{Keys: []Key{{}, {At: s, Position: geom.V(90, 0, 0)}}, Smooth: true}, "jumps"},
		{Path{Keys: []Key{{}}, Loop: true}, "a loop needs two keys"},
		{Path{Loop: true}, "a loop needs two keys"},
		{Path{Keys: []Key{{}, {At: s, Position: geom.V(1, 0, 0)}}, Loop: true}, "is not where the first is"},
		{Path{Keys: []Key{{}, {At: s, Angle: 1}}, Loop: true}, "is not turned as the first is"},
		{Path{Axis: geom.V(0, 2, 0)}, "axis"},
		{Path{Axis: geom.V(nan, 0, 0)}, "axis"},
		{Path{Keys: make([]Key, MaxKeys+1)}, "keys are more than"},
	} {
		err := c.path.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.path, err, c.want)
		}
	}
}
