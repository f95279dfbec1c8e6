package predict

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// A packet that turns out bad at its end changes nothing. [WIR-15]
func TestBadPacketsChangeNothing(t *testing.T) {
	a, o := newToyAuthority(toyState{}), newToyOwner(toyState{})
	for i := range clock.Micros(8) {
		o.Advance(20000+i*16667, 16667, toyInput{X: 1})
	}
	b := sealed(o, 1000)
	for cut := range len(b) {
		if err := open(a, clock.Second, b[:cut]); err == nil {
			t.Errorf("%d of %d bytes are taken for a packet", cut, len(b))
		}
	}
	if err := open(a, clock.Second, append(b, 0)); err != bits.ErrLong {
		t.Errorf("a byte after the moves: got %v, want %v", err, bits.ErrLong)
	}
	if a.Queued() != 0 || a.Next(clock.Second) || a.Verdict(clock.Second) != nil {
		t.Errorf("%d queued after bad packets", a.Queued())
	}
}

// raw writes a packet field by field, as nobody's Pack would.
type raw struct {
	bits.Packer
	input toyInput
}

func newRaw() *raw {
	r := &raw{input: toyInput{X: 1}}
	r.Write(make([]byte, 400))
	return r
}

func (r *raw) field(v uint64, n int) *raw { r.Uint(&v, n); return r }
func (r *raw) varint(v int64) *raw        { r.Varint(&v); return r }
func (r *raw) uvarint(v uint64) *raw      { r.Uvarint(&v); return r }

// first writes an absolute first move with its input.
func (r *raw) first(number, grains, duration uint64) *raw {
	r.field(0, 1).field(number, 16).field(grains, 19).field(duration, 12)
	toy{}.PackCommand(&r.Packer, &r.input, &toyInput{})
	return r
}

// same writes a move's input that is like the one before.
func (r *raw) same() *raw  { return r.field(1, 1) }
func (r *raw) claim() *raw { return r.field(0, 38) }

// WIR-15, THR-22: what no owner could have packed is refused with its reason, and
// nothing is queued. Bits are least significant first, so a prefix 001 is the field 4. [TIM-05]
func TestHostilePackets(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *raw
		want error
	}{
		{"a move", newRaw().field(0, 6).field(1, 4).first(1, 500, 417).claim(), nil},
		{"no moves", newRaw().field(5, 6).field(0, 4).field(0, 7), nil},
		{"a few moves counted in seven bits", newRaw().field(0, 6).field(0, 4).field(15, 7).first(1, 500, 417), errNonCanonical},
		{"121 moves", newRaw().field(0, 6).field(0, 4).field(121, 7).first(1, 500, 417), errCount},
		{"a move of 125.04 ms", newRaw().field(0, 6).field(1, 4).first(1, 500, 3126).claim(), errDuration},
		{"a move of no time", newRaw().field(0, 6).field(1, 4).first(1, 500, 0).claim(), errDuration},
		{"a stamp of zero", newRaw().field(0, 6).field(1, 4).first(1, 0, 417).claim(), errStamp},
		{"a grain more", newRaw().field(0, 6).field(2, 4).first(1, 500, 417).field(0b110, 3).field(1, 1).same().claim(), nil},
		{"a grain more than the most", newRaw().field(0, 6).field(2, 4).first(1, 5000, 3125).field(0b110, 3).field(1, 1).same().claim(), errDuration},
		{"a grain less than one", newRaw().field(0, 6).field(2, 4).first(1, 500, 1).field(0b010, 3).field(1, 1).same().claim(), errDuration},
		{"33 grains less", newRaw().field(0, 6).field(2, 4).first(1, 500, 417).field(0b100, 3).field(0, 1).field(31, 5).field(1, 1).same().claim(), nil},
		{"33 grains less than 20", newRaw().field(0, 6).field(2, 4).first(1, 500, 20).field(0b100, 3).field(0, 1).field(31, 5).field(1, 1).same().claim(), errDuration},
		{"34 grains less, whole", newRaw().field(0, 6).field(2, 4).first(1, 500, 417).field(0, 3).field(383, 12).field(1, 1).same().claim(), nil},
		{"33 grains less, whole", newRaw().field(0, 6).field(2, 4).first(1, 500, 417).field(0, 3).field(384, 12).field(1, 1).same().claim(), errNonCanonical},
		{"a whole duration of zero", newRaw().field(0, 6).field(2, 4).first(1, 500, 417).field(0, 3).field(0, 12).field(1, 1).same().claim(), errDuration},
		{"a pause", newRaw().field(0, 6).field(2, 4).first(1, 500, 417).field(1, 1).field(0, 1).varint(7).same().claim(), nil},
		{"no pause coded as one", newRaw().field(0, 6).field(2, 4).first(1, 500, 417).field(1, 1).field(0, 1).varint(0).same().claim(), errNonCanonical},
		{"a stamp not after the first", newRaw().field(0, 6).field(2, 4).first(1, 500, 417).field(1, 1).field(0, 1).varint(-417).same().claim(), errStamp},
		{"a stamp in sixteen days", newRaw().field(0, 6).field(2, 4).first(1, 500, 417).field(1, 1).field(0, 1).varint(maxPause + 1).same().claim(), errStamp},
		{"a pause of all bits", newRaw().field(0, 6).field(2, 4).first(1, 500, 417).field(1, 1).field(0, 1).varint(-1 << 63).same().claim(), errStamp},
		{"256 moves after a baseline", newRaw().field(0, 6).field(1, 4).field(1, 1).field(3, 10).uvarint(256), errBaseline},
		{"only a count", newRaw().field(0, 6).field(0, 4).field(120, 7), bits.ErrShort},
	} {
		a := newToyAuthority(toyState{})
		err := open(a, clock.Second, c.p.Bytes())
		if err != c.want || err != nil && (a.Queued() != 0 || a.Counters().BadPackets != 1) {
			t.Errorf("%s: %v with %d queued, want %v", c.name, err, a.Queued(), c.want)
		}
	}
}

// A packet that is coded against a move which the authority does not know, or knows no
// more, is no fault of anybody's: it is counted, and nothing else happens.
func TestUnknownBase(t *testing.T) {
	a := newToyAuthority(toyState{})
	p := newRaw().field(0, 6).field(1, 4).field(1, 1).field(3, 10).uvarint(0).field(3, 2).same().claim()
	if err := open(a, clock.Second, p.Bytes()); err != nil || a.Counters().MissingBaseline != 1 || a.Queued() != 0 {
		t.Errorf("baseline never heard of: %v, %+v", err, a.Counters())
	}
	o := newToyOwner(toyState{})
	o.Advance(clock.Second, 16680, toyInput{X: 1})
	open(a, clock.Second, sealed(o, 100))
	for a.Next(clock.Second) {
	}
	o.Receive(copied(a.Verdict(clock.Second)))
	o.Advance(clock.Second+16680, 16680, toyInput{X: 1})
	late := sealed(o, 100)
	if o.out.baseline == nil || o.out.baseline.Number != 1 {
		t.Fatalf("coded against %+v, want 1", o.out.baseline)
	}
	const now = clock.Second + 40*clock.Millisecond
	m := packet[toyState, toyInput]{count: MaxMoves}
	for n := uint32(2); n < 700; n += MaxMoves {
		for i := range m.moves {
			m.moves[i] = toyCommand{n + uint32(i), clock.Second + TimeQuantum*clock.Micros(n+uint32(i)), TimeQuantum, toyInput{}}
		}
		p := newRaw()
		m.pack(&p.Packer, toy{}, now, nil)
		if err := open(a, now, p.Bytes()); err != nil {
			t.Fatal(err)
		}
		for a.Next(now) {
		}
	}
	queued, before := a.Queued(), a.Number()
	if err := open(a, now, late); err != nil || a.Counters().MissingBaseline != 2 || a.Queued() != queued || a.Number() != before {
		t.Errorf("baseline forgotten: %v, %+v", err, a.Counters())
	}
}

// heard returns an authority that has run three moves, so that packets may be coded
// against them.
func heard() (*toyOwner, *toyAuthority) {
	a, o := newToyAuthority(toyState{Ammo: 3}), newToyOwner(toyState{Ammo: 3})
	for i := range clock.Micros(3) {
		o.Advance(900000+i*16680, 16680, toyInput{X: 1})
	}
	open(a, clock.Second, sealed(o, 1000))
	for a.Next(clock.Second) {
	}
	o.Receive(copied(a.Verdict(clock.Second)))
	return o, a
}

// WIR-15: whatever the bytes: an error that changes nothing, a packet that cannot be
// read any more, or moves within their bounds that pack to the same bits again.
func FuzzReceive(f *testing.F) { // THR-13
	o, _ := heard()
	f.Add(sealed(o, 1000))
	for i := range clock.Micros(20) {
		o.Advance(950000+i*20000, 16667+i%3*40*i, toyInput{X: int(i % 2), Fire: i == 3})
		f.Add(sealed(o, 1000))
	}
	o = newToyOwner(toyState{})
	for i := range clock.Micros(20) {
		o.Advance(20000+i*20000, 16667+i%3*40*i, toyInput{X: int(i % 2), Fire: i == 3})
		f.Add(sealed(o, 1000))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, a := heard()
		now := clock.Second
		var p, again bits.Packer
		p.Read(b)
		if err := a.Receive(now, now, &p); err != nil || a.Counters().MissingBaseline > 0 {
			if a.Queued() != 0 || a.Number() != 3 {
				t.Fatalf("%v, but %d queued", err, a.Queued())
			}
			return
		}
		again.Write(make([]byte, len(b)+8))
		a.in.pack(&again, toy{}, now, pastOf(a))
		if again.Err() != nil || !bytes.Equal(again.Bytes(), b) {
			t.Fatalf("read %x, wrote %x (%v)", b, again.Bytes(), again.Err())
		}
		for steps := 0; a.Next(now); steps++ {
			c := a.Command()
			if d := c.Duration; d < TimeQuantum || d > MaxDuration || d%TimeQuantum != 0 || c.Stamp%TimeQuantum != 0 || steps > 2*MaxMoves {
				t.Fatalf("step %d: %+v", steps, c)
			}
		}
		if !a.State().Pos.Finite() {
			t.Fatalf("state %v", a.State())
		}
	})
}

// WIR-15: random streams, half of which begin like a real packet. (A million were run
// by hand; FuzzReceive looks further.)
func TestRandomStreams(t *testing.T) {
	const n, seed = 100000, 9
	r := rand.New(rand.NewPCG(seed, 0))
	o, a := heard()
	o.Advance(clock.Second, 16680, toyInput{Z: 1})
	real := sealed(o, 100)
	b := make([]byte, 0, 512)
	var p bits.Packer
	good := 0
	for i := range n {
		b = append(b[:0], real[:i%2*(2+r.IntN(len(real)-2))]...)
		for range r.IntN(40) {
			b = append(b, byte(r.Uint32()))
		}
		p.Read(b)
		before := a.waiting
		if err := a.Receive(clock.Second, clock.Second, &p); err == nil {
			if good++; a.waiting > 0 {
				_, a = heard()
			}
		} else if a.waiting != before {
			t.Fatalf("seed %d, stream %d, %x: %v, but %d queued", seed, i, b, err, a.waiting)
		}
	}
	t.Logf("seed %d: %d of %d streams can be read", seed, good, n)
}

// A claim says to 4 mm where a move ended, and its digest notices other differences, such as a distance
// of just 4 m that the position cannot show. Two states that collide do not stay hidden.
func TestClaims(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	at := func(scale float64) geom.Vec3 {
		return geom.V(r.NormFloat64()*scale, r.NormFloat64()*scale, r.NormFloat64()*scale)
	}
	for n := range uint32(20000) {
		truth := at(1000)
		digest := uint16(r.Uint32())
		c := claimOf(truth, digest, n)
		if d, same := c.against(truth, digest, n); d > 3*(0.5/claimScale)*(0.5/claimScale) || !same {
			t.Fatalf("%v claimed as %v", truth, c.position(truth))
		}
		off := at(0.01)
		if d, same := c.against(truth.Add(off), digest, n); math.Abs(math.Sqrt(d)-off.Len()) > 0.0034 || !same {
			t.Fatalf("off by %v, found %v", off.Len(), math.Sqrt(d))
		}
	}
	truth := geom.V(10, 0, -3)
	for _, c := range []struct {
		name   string
		off    geom.Vec3
		digest uint16
	}{
		{"4 m aside", geom.V(4, 0, 0), 0}, {"400 m aside", geom.V(0, 0, -400), 0}, {"8 m up", geom.V(0, 8, 0), 0}, {"the digest", geom.Vec3{}, 1},
	} {
		passed, row := 0, 0
		for n := range uint32(10000) {
			claim := claimOf(truth, 0, n)
			d, same := claim.against(truth.Add(c.off), c.digest, n)
			if d > 0 {
				t.Fatalf("%s: the low bits tell", c.name)
			}
			if !same {
				row = 0
				continue
			}
			passed++
			if row++; row > 3 {
				t.Errorf("%s: %d claims in a row pass", c.name, row)
			}
		}
		t.Logf("%s: %d of 10000 wrong claims pass", c.name, passed)
		if passed > 80 {
			t.Errorf("%s: %d of 10000 wrong claims pass, want about 39", c.name, passed)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), -1e300} {
		c := claimOf(geom.V(v, 0, 0), 0, 1)
		if d, _ := c.against(geom.Vec3{}, 0, 1); !geom.Finite(d) {
			t.Errorf("claim of %v: %v", v, d)
		}
	}
}
