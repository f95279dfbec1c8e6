package movement

import (
	"bytes"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
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

func TestStatePacksWithoutLoss(t *testing.T) { // ENT-10
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

// ENT-10, ACK-14: each number and flag of a State is in the list of its fields, however deep: another value
// gives another packet, another hash and a difference. Root motion has its own test.
func TestEveryFieldOfAStateIsPacked(t *testing.T) {
	var visit func(path string, at func(*State) reflect.Value)
	visit = func(path string, at func(*State) reflect.Value) {
		first := at(new(State))
		if first.Kind() == reflect.Struct && first.Type() != reflect.TypeFor[rootmotion.Group]() {
			for i := range first.NumField() {
				visit(path+"."+first.Type().Field(i).Name, func(s *State) reflect.Value { return at(s).Field(i) })
			}
			return
		}
		a := State{Floor: Floor{Rise: .5}, Base: Base{Mover: 3}, Rail: Rail{Path: 1}, Nav: Nav{Polygon: 1}}
		b := a
		switch v := at(&b); v.Kind() {
		case reflect.Float64:
			v.SetFloat(v.Float() + .25)
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Int64:
			v.SetInt(7)
		case reflect.Struct:
			b.Motion.Apply(rootmotion.Constant(geom.V(1, 0, 0), 1000), 1)
		default:
			v.SetUint(v.Uint() + 1)
		}
		var got State
		var buf [maxPacked]byte
		p := bits.NewWriter(buf[:])
		b.Pack(&p)
		p.Read(p.Bytes())
		got.Pack(&p)
		if p.Err() != nil || got != b || a.Hash() == b.Hash() || len(Differ(&a, &b, []difference(nil))) != 1 {
			t.Errorf("State%s: packed %+v, read %+v (%v), hashes %x and %x, differences %v; want all to see it",
				path, b, got, p.Err(), a.Hash(), b.Hash(), Differ(&a, &b, []difference(nil)))
		}
	}
	visit("", func(s *State) reflect.Value { return reflect.ValueOf(s).Elem() })
}

// ENT-10: a writer that refuses a state leaves it as it is, and its hash is 0.
func TestAStateThatIsRefusedIsNotChanged(t *testing.T) {
	s := Spawn(geom.V(1, 2, 3), 0)
	s.Base = Base{Mover: collide.FirstObstacle, Position: geom.V(2e7, 0, 0)}
	s.Motion.Apply(rootmotion.Constant(geom.V(1, 0, 0), 1000), 1)
	was := s
	var buf [maxPacked]byte
	p := bits.NewWriter(buf[:])
	if s.Pack(&p); p.Err() == nil || s != was || s.Hash() != 0 {
		t.Errorf("got error %v, hash %x and %+v, want an error and %+v", p.Err(), s.Hash(), s, was)
	}
}

func TestStateRefusesWhatNoStateCanHold(t *testing.T) { // ENT-10
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

func TestCommandsSurviveTheWireOnceQuantised(t *testing.T) { // CMD-07, WIR-16
	r := rand.New(rand.NewSource(2))
	var before Command
	var buf [32]byte
	var p bits.Packer
	for range 20000 {
		c := before
		switch r.Intn(4) {
		case 0:
			c.Forward, c.Right = r.NormFloat64(), 2*r.Float64()-1
		case 1:
			c.Forward, c.Right = float64(r.Intn(3)-1), float64(r.Intn(3)-1)
		}
		reach := []float64{0, 0, 1e-3, .01, .03, .06, 10}
		c.Yaw += float64(reach[r.Intn(7)] * r.NormFloat64())
		c.Pitch += float64(reach[r.Intn(7)] * r.NormFloat64())
		if r.Intn(4) == 0 {
			c.Jump, c.Crouch = r.Intn(4) == 0, r.Intn(4) == 0
		}
		c.Sprint = r.Intn(4) == 0
		if r.Intn(8) == 0 {
			c.Up, c.Request = r.NormFloat64(), geom.V(r.NormFloat64(), 0, 6*r.NormFloat64())
		}
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

// packAll packs commands one after the other.
func packAll(p *bits.Packer, list []Command, before Command) {
	for i := range list {
		list[i].Pack(p, &before)
		before = list[i]
	}
}

// steps is an angle of so many steps of the wire's grid.
func steps(n int) float64 { return bits.SnapAngle16(float64(n) * angleStep) }

// wireCosts is what commands cost after the one before them.
var wireCosts = []struct {
	what          string
	before, after Command
	bits          int
}{
	{"nothing changes", Command{Forward: 1, Yaw: 1}, Command{Forward: 1, Yaw: 1}, 1},
	{"walks on and turns by a step", Command{Forward: 1}, Command{Forward: 1, Yaw: steps(1)}, 12},
	{"walks on and turns by 512 steps", Command{Forward: 1}, Command{Forward: 1, Yaw: steps(-512)}, 12},
	{"turns past −π", Command{Yaw: steps(-32700)}, Command{Yaw: steps(32700)}, 12},
	{"turns by 513 steps", Command{}, Command{Yaw: steps(513)}, 17},
	{"turns about", Command{Yaw: steps(16384)}, Command{Yaw: steps(-16384)}, 23},
	{"aims finely", Command{}, Command{Yaw: steps(20), Pitch: steps(-32)}, 19},
	{"looks about", Command{}, Command{Yaw: steps(300), Pitch: steps(-33)}, 27},
	{"presses a key", Command{}, Command{Forward: 1}, 16},
	{"walks slantwise", Command{Forward: 1}, Command{Forward: 1, Right: -1}, 16},
	{"jumps", Command{Forward: 1}, Command{Forward: 1, Jump: true}, 11},
	{"sprints", Command{Forward: 1}, Command{Forward: 1, Sprint: true}, 13},
	{"swims up", Command{Forward: 1}, Command{Forward: 1, Up: 1}, 32},
	{"moves a stick", Command{}, Command{Forward: 64. / 127}, 28},
	{"all that keys and a mouse can", Command{}, Command{Forward: 1, Right: 1, Jump: true, Crouch: true, Yaw: 1, Pitch: -1}, 48},
	{"all that a stick can", Command{}, Command{Forward: .5, Right: .25, Jump: true, Crouch: true, Yaw: 1, Pitch: -1}, 60},
}

// What commands cost: steady turning and nothing new are the cheapest (CMD-07).
func TestWhatCommandsCost(t *testing.T) {
	for _, c := range wireCosts {
		var buf [32]byte
		var p bits.Packer
		c.after.Quantise()
		c.before.Quantise()
		p.Write(buf[:])
		c.after.Pack(&p, &c.before)
		got := p.Bits()
		t.Logf("%s: %d bits", c.what, got)
		var read Command
		p.Read(p.Bytes())
		read.Pack(&p, &c.before)
		if got != c.bits || p.Err() != nil || read != c.after {
			t.Errorf("%s: %d bits, read %+v (%v); want %d bits and %+v", c.what, got, read, p.Err(), c.bits, c.after)
		}
	}
}

// GAP-02: what is no number is not sent.
func TestNoCommandSaysNaN(t *testing.T) {
	for _, c := range []Command{{Yaw: math.NaN()}, {Pitch: math.Inf(1)}} {
		var buf [32]byte
		var p bits.Packer
		p.Write(buf[:])
		c.Pack(&p, &Command{})
		if p.Err() != bits.ErrNotFinite {
			t.Errorf("%+v: got %v, want %v", c, p.Err(), bits.ErrNotFinite)
		}
	}
}

func TestQuantiseTakesAnything(t *testing.T) { // GAP-02, SRV-08
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

func FuzzPack(f *testing.F) { // CMD-07, THR-13
	f.Add([]byte{1, 2, 3}, []byte{255, 255, 255, 255, 255, 255})
	var seed [1200]byte
	s := Spawn(geom.V(1, 2, 3), 1)
	var p bits.Packer
	p.Write(seed[:])
	s.Pack(&p)
	f.Add(slices.Clone(p.Bytes()), []byte{0})
	for _, c := range wireCosts {
		p.Write(seed[:])
		packAll(&p, []Command{c.before, c.after}, Command{})
		f.Add([]byte{0}, slices.Clone(p.Bytes()))
	}
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
		var list [3]Command // each as a difference to the one before it
		p.Read(command)
		packAll(&p, list[1:], list[0])
		if n := p.Bits(); p.Err() == nil {
			was, read := list, command[:(n+7)/8]
			list[1].Quantise()
			list[2].Quantise()
			p.Write(buf[:])
			packAll(&p, list[1:], list[0])
			if spare := n & 7; spare != 0 { // what follows the commands in the last byte
				read = slices.Clone(read)
				read[len(read)-1] &= 1<<spare - 1
			}
			if list != was || p.Err() != nil || p.Bits() != n || !bytes.Equal(p.Bytes(), read) {
				t.Fatalf("commands %+v: written again in %d bits %x, read from %d %x: %v", list[1:], p.Bits(), p.Bytes(), n, read, p.Err())
			}
		}
	})
}
