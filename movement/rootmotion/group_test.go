package rootmotion

import (
	"math"
	"math/rand"
	"testing"
	"unsafe"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

func TestASourceTooManyIsRefused(t *testing.T) { // RMS-09
	var g Group
	s := Constant(geom.V(1, 0, 0), 0)
	for i := range 2 {
		if _, ok := g.Apply(s, 1); !ok {
			t.Fatalf("source %d refused", i)
		}
	}
	if _, ok := g.Apply(s, 1); ok {
		t.Error("a third pending one was taken")
	}
	g.Prepare(1000)
	g.Apply(s, 1)
	fourth, _ := g.Apply(s, 1)
	g.Prepare(1000)
	full := g
	if id, ok := g.Apply(s, 1); ok || id != 0 || g != full {
		t.Error("the fifth was taken, or changed something")
	}
	if !g.Remove(fourth) {
		t.Error("cannot remove")
	}
	if _, ok := g.Apply(s, 1); !ok {
		t.Error("no room after one was removed")
	}
	g.Finish(nil, 0, geom.Vec3{}, geom.Up)
	g.Prepare(1000)
	if count(g.Active[:]) != 4 || g.Active[3].ID != 5 {
		t.Errorf("active: %+v", g.Active)
	}
	t.Logf("a source is %d bytes, a group %d", unsafe.Sizeof(s), unsafe.Sizeof(g))
}

func TestWhatNoSourceCanBeIsRefused(t *testing.T) { // RMS-09
	for _, s := range []Source{
		{}, {Kind: 9}, Constant(geom.V(math.NaN(), 0, 0), 0), MoveTo(geom.Vec3{}, geom.V(1, 0, 0), 0),
		JumpTo(geom.V(1, 0, 0), -1, second), {Kind: KindAnimation, Rate: 9}, {Kind: KindAnimation}, {Kind: KindConstant, Finish: 3},
		{Kind: KindConstant, Elapsed: -1}, {Kind: KindRadial, Strength: math.Inf(1)}, {Kind: KindConstant, Flags: 1 << 12},
	} {
		var g Group
		if _, ok := g.Apply(s, 5); ok || g != (Group{}) {
			t.Errorf("%+v was taken", s)
		}
	}
}

func TestIDsWrapAroundZero(t *testing.T) { // RMS-02
	g := Group{LastID: 65535}
	if id, _ := g.Apply(Constant(geom.Vec3{}, 0), 0); id != 1 {
		t.Errorf("after 65535: got %d want 1", id)
	}
}

func TestASourceActsFromTheNextPrepareOn(t *testing.T) { // RMS-02
	var g Group
	g.Prepare(1000)
	id, _ := g.Apply(Constant(geom.V(5, 0, 0), second), 42)
	b := Body{Forward: geom.Forward(0), Up: geom.Up}
	if d := g.Drive(nil, &b, 0, .001); d.Override {
		t.Error("acts in the move it was applied in, after Prepare")
	}
	g.Prepare(1000)
	if d := g.Drive(nil, &b, 0, .001); !d.Override {
		t.Error("does not act in the next")
	}
	if s := g.find(id); s == nil || s.Start != 42 || s.Elapsed != 1000 {
		t.Errorf("got %+v, want start 42 and 1 ms elapsed", s)
	}
	preset := Constant(geom.V(5, 0, 0), second)
	preset.Start = 7
	id, _ = g.Apply(preset, 42)
	if g.find(id).Start != 7 {
		t.Error("a preset start was changed")
	}
}

func TestARemovedSourceEndsInTheNextFinish(t *testing.T) { // RMS-08, RMS-18
	var g Group
	id, _ := g.Apply(stopping(Constant(geom.V(5, 0, 0), 0)), 0)
	g.Prepare(1000)
	if g.Remove(0) || g.Remove(99) || !g.Remove(id) || g.Remove(id) {
		t.Error("removes what is not there, or not what is")
	}
	if v := g.Finish(nil, 0, geom.V(5, 0, 0), geom.Up); !v.IsZero() || g.Busy() {
		t.Errorf("got %v, want a stop", v)
	}
	id, _ = g.Apply(Constant(geom.V(5, 0, 0), 0), 0)
	if !g.Remove(id) || g.Busy() {
		t.Error("a pending one cannot be removed")
	}
}

func TestLibrariesThatMakeNoSense(t *testing.T) {
	line := Track{{}, {At: 1, Move: geom.V(1, 0, 0)}}
	for want, l := range map[string]*Library{
		"":                    {Curves: []Curve{{{0, 1}}}, Offsets: []Track{line}, Clips: []Clip{{Length: second, Root: line}}},
		"Curves[1]":           {Curves: []Curve{{{0, 1}}, {}}},
		"Curves[0][1].At":     {Curves: []Curve{{{.5, 1}, {.5, 2}}}},
		"Curves[0][0].Value":  {Curves: []Curve{{{.5, math.NaN()}}}},
		"Offsets[0][0].At":    {Offsets: []Track{{{At: -1}}}},
		"Offsets[0][0].Move":  {Offsets: []Track{{{Move: geom.V(0, math.Inf(1), 0)}}}},
		"Offsets[0][0].Turn":  {Offsets: []Track{{{Turn: math.NaN()}}}},
		"Clips[0].Length":     {Clips: []Clip{{Length: 1, Root: line}}},
		"Clips[0].Root":       {Clips: []Clip{{Length: second}}},
		"Clips[1].Root[0]":    {Clips: []Clip{{Length: second, Root: line}, {Length: second, Root: line[1:]}}},
		"Clips[0].Root[1].At": {Clips: []Clip{{Length: second, Root: Track{{}, {At: 2}}}}},
		"Library":             {Curves: make([]Curve, 256)},
	} {
		err := l.Check()
		if got := name(err); got != want {
			t.Errorf("%q: got %v", want, err)
		}
	}
	if err := (*Library)(nil).Check(); err != nil {
		t.Errorf("nil: %v", err)
	}
}

func name(err error) string {
	if bad, ok := err.(*BadLibrary); ok {
		return bad.Name
	}
	return ""
}

// TestCurveMeans checks the exact mean against many samples.
func TestCurveMeans(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 200 {
		var c Curve
		for at := r.Float64() * .3; at <= 1; at += .01 + r.Float64()*.3 {
			c = append(c, Key{at, r.NormFloat64()})
		}
		a := r.Float64()
		b := a + (1-a)*r.Float64()
		sum, n := 0.0, 20000
		for i := range n {
			sum += c.At(a + (b-a)*(float64(i)+.5)/float64(n))
		}
		near(t, "mean", c.Mean(a, b), sum/float64(n), 1e-3)
	}
}

// randomGroup fills every field with something that a group can hold.
func randomGroup(r *rand.Rand) Group {
	g := Group{LastID: uint16(1 + r.Intn(65535))}
	v := func() geom.Vec3 {
		if r.Intn(2) == 0 {
			return geom.Vec3{}
		}
		return geom.V(r.NormFloat64()*100, r.NormFloat64(), 0)
	}
	source := func() Source {
		s := Source{
			ID: uint16(1 + r.Intn(65535)), Kind: Kind(1 + r.Intn(5)), Finish: Finish(r.Intn(3)),
			Flags: Flags(r.Intn(int(allFlags) + 1)), Priority: int8(r.Intn(256) - 128), LandAfter: uint16(r.Intn(3)),
			Start: clock.Micros(r.Int63n(1e12)), Duration: 1 + clock.Micros(r.Int63n(1e7)), Elapsed: clock.Micros(r.Int63n(1e7)),
			Vector: v(), Point: v(), FinishVelocity: v(), Length: float64(r.Intn(3)), Strength: float64(r.Intn(3)), Rate: .01 + r.Float64()*7,
			Curve: uint8(r.Intn(3)), FallOff: uint8(r.Intn(3)), Offset: uint8(r.Intn(3)), Clip: uint8(r.Intn(3)),
		}
		return s.snapped()
	}
	for i := range r.Intn(5) {
		g.Active[i] = source()
	}
	for i := range r.Intn(3) {
		g.Pending[i] = source()
	}
	g.Added, g.Carried = v(), v()
	return g
}

func TestAGroupPacksWithoutLoss(t *testing.T) { // RMS-08, GAP-30
	r := rand.New(rand.NewSource(1))
	var buf, again [1024]byte
	var p bits.Packer
	most := 0
	for range 10000 {
		g, got := randomGroup(r), randomGroup(r)
		if r.Intn(10) == 0 {
			g = Group{LastID: g.LastID}
		}
		if r.Intn(20) == 0 {
			g = Group{}
		}
		p.Write(buf[:])
		g.Pack(&p)
		n := p.Bits()
		b := p.Bytes()
		most = max(most, len(b))
		p.Read(b)
		got.Pack(&p)
		p.End()
		if p.Err() != nil || got != g {
			t.Fatalf("got %+v (%v), want %+v", got, p.Err(), g)
		}
		p.Write(again[:])
		got.Pack(&p)
		if string(p.Bytes()) != string(b) {
			t.Fatalf("packed again differs: %x, %x", p.Bytes(), b)
		}
		if g == (Group{}) && n != 1 {
			t.Fatalf("the empty group takes %d bits", n)
		}
	}
	t.Logf("at most %d bytes", most)
}

// TestTheLargestGroup bounds what a correction must have room for.
func TestTheLargestGroup(t *testing.T) { // RMS-08
	worst := Source{
		ID: 65535, Kind: KindRadial, Finish: Clamp, Flags: allFlags, Priority: -128, LandAfter: 65535,
		Start: maxTime, Duration: maxTime, Elapsed: maxTime, Vector: geom.V(1e6, .1, .1), Point: geom.V(.1, .1, .1),
		FinishVelocity: geom.V(.1, .1, .1), Length: .1, Strength: .1, Rate: .1, Curve: 255, FallOff: 255, Offset: 255, Clip: 255,
	}
	g := Group{LastID: 65535, Added: geom.V(.1, .1, .1), Carried: geom.V(.1, .1, .1)}
	for i := range g.Active {
		g.Active[i] = worst
	}
	for i := range g.Pending {
		g.Pending[i] = worst
	}
	var buf [1024]byte
	var p bits.Packer
	p.Write(buf[:])
	g.Pack(&p)
	if p.Err() != nil || len(p.Bytes()) > 540 {
		t.Errorf("got %d bytes (%v), want at most 540", len(p.Bytes()), p.Err())
	}
	if g.Active[0] != worst.snapped() {
		t.Error("writing does not leave what is read")
	}
	t.Logf("%d bytes", len(p.Bytes()))
}

func TestMinusZeroDoesNotSurviveApply(t *testing.T) {
	var g, h Group
	minus := math.Copysign(0, -1)
	g.Apply(Constant(geom.V(1, minus, minus), second), 1)
	h.Apply(Constant(geom.V(1, 0, 0), second), 1)
	if math.Signbit(g.Pending[0].Vector.Y) || g != h {
		t.Error("−0 survives")
	}
}

func FuzzPack(f *testing.F) { // THR-13
	r := rand.New(rand.NewSource(5))
	var buf [1024]byte
	var p bits.Packer
	for range 20 {
		g := randomGroup(r)
		p.Write(buf[:])
		g.Pack(&p)
		f.Add(append([]byte(nil), p.Bytes()...))
	}
	f.Add([]byte{0})
	f.Add([]byte{3, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var p bits.Packer
		var g Group
		var out [1024]byte
		p.Read(b)
		g.Pack(&p)
		n := p.Bits()
		if p.Err() != nil {
			return
		}
		was := g
		p.Write(out[:])
		g.Pack(&p)
		if p.Err() != nil || p.Bits() != n || g != was {
			t.Fatalf("%+v: written again in %d bits, read from %d: %v", g, p.Bits(), n, p.Err())
		}
		var back Group
		p.Read(p.Bytes())
		back.Pack(&p)
		if back != was {
			t.Fatalf("got %+v want %+v", back, was)
		}
		for range 5 { // whatever came must be safe to run
			body := Body{Forward: geom.Forward(0), Up: geom.Up}
			g.Finish(clips, 0, geom.Vec3{}, geom.Up)
			g.Prepare(125 * clock.Millisecond)
			d := g.Drive(clips, &body, .05, .05)
			if v := d.Apply(geom.Vec3{}, geom.Up, true); !v.Finite() {
				t.Fatalf("%+v gives %v", g, v)
			}
			_ = g.Turn(clips, .05, .05)
			if u := g.Until(clips, .1); !(u > 0 && u <= .1) {
				t.Fatalf("slice of %v", u)
			}
		}
	})
}

// RMS-16, REP-03: what others are shown as a character's motion is the source that moves
// it: the override of the highest priority, an animation above all, also in the move that
// applies it; of additive and ended sources nothing is shown.
func TestDominantIsTheSourceThatMoves(t *testing.T) {
	var g Group
	say := func(want Kind, ok bool, when string) {
		t.Helper()
		if s, got := g.Dominant(); got != ok || s.Kind != want {
			t.Errorf("%s: the chief is of kind %v, %v; want %v, %v", when, s.Kind, got, want, ok)
		}
	}
	say(0, false, "without sources")
	add := Constant(geom.V(0, 0, -5), clock.Second)
	add.Flags |= Additive
	g.Apply(add, 1)
	g.Prepare(clock.Millisecond)
	say(0, false, "with an additive one")
	dash, ok := g.Apply(Constant(geom.V(0, 0, -14), clock.Second), 2)
	if !ok {
		t.Fatal("no room for a dash")
	}
	say(KindConstant, true, "with a dash about to begin")
	g.Prepare(clock.Millisecond)
	say(KindConstant, true, "with a dash under way")
	move := MoveTo(geom.Vec3{}, geom.V(0, 0, -3), clock.Second)
	move.Priority = 3
	g.Apply(move, 3)
	say(KindMoveTo, true, "with a leap of higher priority")
	g.Remove(dash)
	g.Clear()
	say(0, false, "when all have ended")
}
