package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// randomState fills every field with something that a state can hold.
func randomState(r *rand.Rand) State {
	v := func() geom.Vec3 { return geom.V(r.NormFloat64()*100, r.NormFloat64(), r.NormFloat64()*1e-3) }
	s := State{
		Position: v(), Velocity: v(), Yaw: r.NormFloat64(), Pitch: r.NormFloat64(),
		Mode: []Mode{None, Walking, Falling, Custom, Custom + 1, 255}[r.Intn(6)], JumpCount: uint8(r.Intn(256)),
		Crouched: r.Intn(2) == 0, JumpHeld: r.Intn(2) == 0, ForceFloor: r.Intn(2) == 0,
	}
	if r.Intn(2) == 0 {
		s.Floor = Floor{Normal: v(), Rise: r.Float64(), Distance: r.NormFloat64(), Shape: 7, Walkable: r.Intn(2) == 0, Ray: r.Intn(2) == 0}
	}
	for _, p := range []*geom.Vec3{&s.Impulse, &s.Force, &s.Launch} {
		if r.Intn(3) == 0 {
			*p = v()
		}
	}
	for range r.Intn(5) {
		s.Motion.Prepare(clock.Micros(r.Intn(2e5)))
		s.Motion.Apply(randomSource(r, &s), clock.Micros(r.Int63n(1e11)))
	}
	return s
}

func TestStatePacksWithoutLoss(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var buf, again [1200]byte
	var p bits.Packer
	most := 0
	for range 10000 {
		s, got := randomState(r), randomState(r)
		p.Write(buf[:])
		s.Pack(&p)
		b := p.Bytes()
		most = max(most, len(b))
		p.Read(b)
		got.Pack(&p)
		p.End()
		if p.Err() != nil || got != s || got.Hash() != s.Hash() {
			t.Fatalf("got %+v (%v), want %+v", got, p.Err(), s)
		}
		p.Write(again[:])
		got.Pack(&p)
		if string(p.Bytes()) != string(b) {
			t.Fatalf("packed again differs: %x, %x", p.Bytes(), b)
		}
	}
	t.Logf("at most %d bytes", most)
}

func TestStateRefusesWhatNoStateCanHold(t *testing.T) {
	for _, s := range []State{
		{Mode: 9}, {Mode: 15}, {Position: geom.V(2e7, 0, 0)}, {Velocity: geom.V(0, math.NaN(), 0)},
		{Yaw: math.Inf(1)}, {Floor: Floor{Rise: math.NaN()}}, {Launch: geom.V(1e9, 0, 0)},
	} {
		var buf [1200]byte
		var p bits.Packer
		p.Write(buf[:])
		c := s
		c.Pack(&p)
		if p.Err() == nil {
			t.Errorf("%+v: packed without error", s)
		}
	}
	// A mode that does not exist, from outside: bits of the mode byte follow
	// eight numbers of 64 bits.
	var buf [1200]byte
	buf[64] = 9
	var p bits.Packer
	p.Read(buf[:])
	var s State
	s.Pack(&p)
	if p.Err() == nil || s.Mode.valid() == false {
		t.Errorf("mode 9: got %v, error %v", s.Mode, p.Err())
	}
}

func TestMinusZeroHashesAsZero(t *testing.T) {
	a, b := Spawn(geom.V(1, 0, 2), 0), Spawn(geom.V(1, math.Copysign(0, -1), 2), 0)
	if a.Hash() != b.Hash() {
		t.Errorf("0 and −0 hash apart")
	}
	b.tidy()
	if math.Signbit(b.Position.Y) {
		t.Errorf("−0 survives tidying")
	}
}

func TestCommandsSurviveTheWireOnceQuantised(t *testing.T) { // CMD-07
	r := rand.New(rand.NewSource(2))
	var before Command
	var buf [32]byte
	var p bits.Packer
	for range 20000 {
		c := before
		if r.Intn(2) == 0 {
			c.Forward, c.Right = r.NormFloat64(), 2*r.Float64()-1
		}
		if r.Intn(2) == 0 {
			c.Yaw = 10 * r.NormFloat64()
		}
		if r.Intn(2) == 0 {
			c.Pitch = r.NormFloat64()
		}
		c.Jump, c.Crouch = r.Intn(4) == 0, r.Intn(4) == 0
		c.Quantise()
		once := c
		c.Quantise()
		if c != once {
			t.Fatalf("quantising twice differs: %+v, %+v", once, c)
		}
		p.Write(buf[:])
		c.Pack(&p, &before)
		n := p.Bits()
		got := Command{Forward: 1, Jump: true, Pitch: 3}
		p.Read(p.Bytes())
		got.Pack(&p, &before)
		p.End()
		if got != c || p.Err() != nil || c == before && n != 1 {
			t.Fatalf("got %+v (%v) in %d bits, want %+v", got, p.Err(), n, c)
		}
		before = c
	}
}

func TestQuantiseTakesAnything(t *testing.T) { // GAP-02
	c := Command{Forward: math.NaN(), Right: math.Inf(-1), Yaw: math.Inf(1), Pitch: math.NaN()}
	c.Quantise()
	if want := (Command{Right: -1}); c != want {
		t.Errorf("got %+v want %+v", c, want)
	}
	c = Command{Forward: .5, Right: -.5}
	c.Quantise()
	if c.Forward != 64.0/127 || c.Right != -63.0/127 {
		t.Errorf("half up: got %v and %v, want 64/127 and −63/127", c.Forward*127, c.Right*127)
	}
}

func FuzzPack(f *testing.F) {
	f.Add([]byte{1, 2, 3}, []byte{255, 255, 255, 255, 255, 255})
	var seed [1200]byte
	s := Spawn(geom.V(1, 2, 3), 1)
	var p bits.Packer
	p.Write(seed[:])
	s.Pack(&p)
	f.Add(p.Bytes(), []byte{0})
	f.Fuzz(func(t *testing.T, state, command []byte) {
		var p bits.Packer
		var s State
		var buf [1200]byte
		p.Read(state)
		s.Pack(&p)
		if n := p.Bits(); p.Err() == nil {
			p.Write(buf[:])
			s.Pack(&p)
			if p.Err() != nil || p.Bits() != n {
				t.Fatalf("state %+v: written again in %d bits, read from %d: %v", s, p.Bits(), n, p.Err())
			}
		}
		var c, before Command
		p.Read(command)
		c.Pack(&p, &before)
		if n := p.Bits(); p.Err() == nil {
			was := c
			c.Quantise()
			p.Write(buf[:])
			c.Pack(&p, &before)
			if c != was || p.Err() != nil || p.Bits() != n {
				t.Fatalf("command %+v: written again in %d bits, read from %d: %v", c, p.Bits(), n, p.Err())
			}
		}
	})
}
