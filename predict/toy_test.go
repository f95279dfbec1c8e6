package predict

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// toy is a game small enough to check by hand: the ground acceleration of the
// vanilla profile (6 m/s, 20.48 m/s², friction 8/s) on an endless plane, and a gun.
type toy struct{}

type toyState struct {
	Pos, Vel geom.Vec3
	Ammo     int
}

type toyInput struct {
	X, Z int // −1, 0, 1
	Fire bool
}

func (t toy) Step(s *toyState, c *toyCommand) { t.glide(s, &c.Input, c.Duration) }

func (toy) glide(s *toyState, c *toyInput, d clock.Micros) {
	dt := d.Seconds()
	dir := geom.V(float64(c.X), 0, float64(c.Z)).Unit()
	if dir.IsZero() {
		s.Vel = s.Vel.Mul(max(0, 1-float64(16*dt)))
	} else {
		turn := min(float64(8*dt), 1)
		s.Vel = s.Vel.MulAdd(s.Vel.Sub(dir.Mul(s.Vel.Len())), -turn)
		s.Vel = s.Vel.MulAdd(dir, float64(20.48*dt)).ClampLen(6)
	}
	s.Pos = s.Pos.MulAdd(s.Vel, dt)
	if c.Fire && s.Ammo > 0 {
		s.Ammo--
	}
}

func (toy) ClearOneTime(c *toyInput) { c.Fire = false }

func (toy) PackCommand(p *bits.Packer, c, before *toyInput) {
	same := *c == *before
	p.Bool(&same)
	if same {
		*c = *before
		return
	}
	p.Ranged(&c.X, -1, 1)
	p.Ranged(&c.Z, -1, 1)
	p.Bool(&c.Fire)
	if !p.Writing() && *c == *before {
		p.Fail(bits.ErrRange)
	}
}

func (toy) PackState(p *bits.Packer, s *toyState) {
	p.Vec64(&s.Pos)
	p.Vec64(&s.Vel)
	p.Ranged(&s.Ammo, 0, 1000)
}

func (toy) Position(s *toyState) geom.Vec3 { return s.Pos }
func (toy) Digest(s *toyState) uint16      { return uint16(s.Ammo) }

func (toy) Important(before, after *toyState, _ *toyCommand) bool { return before.Ammo != after.Ammo }

func (toy) Combine(start, between *toyState, first, second *toyCommand) bool {
	return first.Input == second.Input && !first.Input.Fire && start.Vel.IsZero() == between.Vel.IsZero()
}

func (toy) Differ(predicted, truth *toyState, into []Difference) []Difference {
	if d := predicted.Pos.Dist(truth.Pos); d > 0 {
		into = append(into, Difference{"position", d})
	}
	if d := predicted.Vel.Dist(truth.Vel); d > 0 {
		into = append(into, Difference{"velocity", d})
	}
	if d := predicted.Ammo - truth.Ammo; d != 0 {
		into = append(into, Difference{"ammo", math.Abs(float64(d))})
	}
	return into
}

type (
	toyCommand   = Command[toyInput]
	toyOwner     = Owner[toyState, toyInput]
	toyAuthority = Authority[toyState, toyInput]
	toyVerdict   = Verdict[toyState]
)

// newToyOwner returns an owner whose moves stay apart until a test sets Combining.
func newToyOwner(s toyState) *toyOwner {
	o := NewOwner[toyState, toyInput](toy{}, s)
	o.Combining = false
	return o
}

func newToyAuthority(s toyState) *toyAuthority {
	return NewAuthority[toyState, toyInput](toy{}, s, nil)
}

// sealed packs what o has to say into bytes of its own.
func sealed(o *toyOwner, budget int) []byte {
	var p bits.Packer
	p.Write(make([]byte, budget+8))
	o.Pack(&p, budget)
	if p.Err() != nil {
		panic(p.Err())
	}
	return p.Bytes()
}

// open hands bytes to a.
func open(a *toyAuthority, now clock.Micros, b []byte) error {
	var p bits.Packer
	p.Read(b)
	return a.Receive(now, now, &p)
}

// copied sends a verdict over the wire.
func copied(v *toyVerdict) *toyVerdict {
	var p bits.Packer
	p.Write(make([]byte, 128))
	PackVerdict[toyState, toyInput](&p, toy{}, v)
	p.Read(p.Bytes())
	got := new(toyVerdict)
	PackVerdict[toyState, toyInput](&p, toy{}, got)
	if p.End(); p.Err() != nil {
		panic(p.Err())
	}
	return got
}

// pastOf returns what a knows, as Receive would.
func pastOf(a *toyAuthority) *baselineTable[toyInput] {
	return &baselineTable[toyInput]{a.last, a.queue}
}

// opened reads a packet as a would.
func opened(a *toyAuthority, b []byte, now clock.Micros) *packet[toyState, toyInput] {
	m := new(packet[toyState, toyInput])
	var p bits.Packer
	p.Read(b)
	m.pack(&p, toy{}, now, pastOf(a))
	return m
}
