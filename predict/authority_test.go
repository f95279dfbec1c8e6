package predict

import (
	"bytes"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// SRV-11, SRV-12: both sides of the boundaries. The claim is at the origin, the
// authority's character elsewhere, and the move itself stands still.
func TestErrorTestBoundaries(t *testing.T) {
	for _, c := range []struct {
		off            geom.Vec3
		ammo           int
		correct, large bool
	}{
		{geom.V(0.0173, 0, 0), 0, false, false},
		{geom.V(0.0174, 0, 0), 0, true, false},
		{geom.V(0.0099, 0.0099, 0.0099), 0, false, false},
		{geom.V(0.011, 0.011, 0.01), 0, true, false},
		{geom.V(0, 0, -0.149), 0, true, false},
		{geom.V(0, 0, -0.151), 0, true, true},
		{geom.Vec3{}, 1, true, false},
		{geom.Vec3{}, 0, false, false},
	} {
		a := newToyAuthority(toyState{Pos: c.off, Ammo: c.ammo})
		o := newToyOwner(toyState{})
		o.Advance(20000, 16667, toyInput{})
		open(a, 20000, sealed(o, 100))
		for a.Next(20000) {
		}
		if a.correcting != c.correct || a.large != c.large {
			t.Errorf("off by %v and %d shots: corrected %v, large %v, want %v, %v", c.off, c.ammo, a.correcting, a.large, c.correct, c.large)
		}
	}
}

// ACK-03: a correction that nobody answers, in frames of 7 ms.
func TestCorrectionsAreRepeated(t *testing.T) {
	for _, c := range []struct {
		large                bool
		repeat, repeatLarge  clock.Micros
		first, second, third clock.Micros // ms
	}{
		{true, 100, 50, 0, 56, 112},
		{false, 100, 50, 0, 105, 210},
		{true, 100, 200, 0, 105, 210},
		{false, 100, 200, 0, 203, 406},
	} {
		a := newToyAuthority(toyState{})
		a.Limits.Repeat, a.Limits.RepeatLarge = c.repeat*clock.Millisecond, c.repeatLarge*clock.Millisecond
		a.correct(c.large, Mistaken)
		var got []clock.Micros
		for now := clock.Micros(0); len(got) < 3; now += 7 {
			if a.Verdict(now * clock.Millisecond).Correction {
				got = append(got, now)
			}
		}
		if got[0] != c.first || got[1] != c.second || got[2] != c.third {
			t.Errorf("%+v: sent at %v ms", c, got)
		}
	}
}

// GAP-19: moves of a microsecond each, 64 a packet, 1,000 packets a second: no more
// are run than Rate and Burst allow, and the queue stays bounded.
func TestFloodOfTinyMoves(t *testing.T) {
	a := newToyAuthority(toyState{})
	number := uint32(1)
	begin := clock.Second
	for now := begin; now < begin+10*clock.Second; now += 1000 {
		var m packet[toyState, toyInput]
		m.count = MaxMoves
		for i := range m.moves {
			m.moves[i] = Command[toyInput]{number, now + clock.Micros(i), 1, toyInput{}}
			number++
		}
		var p bits.Packer
		p.Write(make([]byte, 1000))
		m.pack(&p, toy{}, now)
		if err := open(a, now, p.Bytes()); err != nil {
			t.Fatal(err)
		}
		if a.Queued() > queueMoves {
			t.Fatalf("%d queued", a.Queued())
		}
		for a.Next(now) {
		}
	}
	if n := a.Counters().Executed; n > 600*10+1200 {
		t.Errorf("%d moves run in 10 s, want at most 7200", n)
	}
}

// More moves than the queue holds, at one instant: the oldest give way, and what
// runs runs in order.
func TestQueueOverflow(t *testing.T) {
	a, o := newToyAuthority(toyState{}), newToyOwner(toyState{})
	a.Limits.Silent = 0
	var stamp clock.Micros
	for range 1500 {
		stamp += 3000
		o.Advance(stamp, 3000, toyInput{X: 1})
		open(a, stamp, sealed(o, 1000))
	}
	last := uint32(0)
	for a.Next(stamp) {
		if n := a.Command().Number; !a.Filler() && n <= last {
			t.Fatalf("move %d after %d", n, last)
		} else if !a.Filler() {
			last = n
		}
	}
	if c := a.Counters(); last != 1500 || c.Executed != queueMoves || c.Refused != 1500-queueMoves || a.Queued() != 0 {
		t.Errorf("last %d, %d queued\n%+v", last, a.Queued(), c)
	}
}

// A packet that turns out bad at its end changes nothing.
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

// What no owner could have packed is refused with its reason.
func TestHostilePackets(t *testing.T) {
	for _, c := range []struct {
		name                         string
		count, duration, more, pause int64
		moreZero, pauseZero          bool // as coded
		want                         error
	}{
		{"two good moves", 2, 16667, 1, 5, false, false, nil},
		{"65 moves", 65, 16667, 0, 0, true, true, bits.ErrRange},
		{"a move of 125.001 ms", 1, 125001, 0, 0, true, true, bits.ErrRange},
		{"a second move of 125.001 ms", 2, 125000, 1, 0, false, true, errDuration},
		{"a second move of no time", 2, 5, -5, 0, false, true, errDuration},
		{"a second move of negative time", 2, 5, -1 << 62, 0, false, true, errDuration},
		{"a stamp not after the first", 2, 16667, 0, -16667, true, false, errStamp},
		{"a stamp in fourteen days", 2, 16667, 0, 1<<40 + 1, true, false, errStamp},
		{"an equal duration coded as another", 2, 16667, 0, 0, false, true, errCode},
		{"no pause coded as one", 2, 16667, 0, 0, true, false, errCode},
	} {
		var p bits.Packer
		p.Write(make([]byte, 100))
		field := func(v int64, n int) { u := uint64(v); p.Uint(&u, n) }
		signed := func(v int64, zero bool) {
			if p.Bool(&zero); !zero {
				p.Varint(&v)
			}
		}
		input := toyInput{X: 1}
		field(0, 8)
		field(c.count, 7)
		field(1, 32)
		field(500000, 32)
		field(c.duration-1, 17)
		toy{}.PackCommand(&p, &input, &toyInput{})
		if c.count == 2 {
			signed(c.more, c.moreZero)
			signed(c.pause, c.pauseZero)
			toy{}.PackCommand(&p, &input, &input)
		}
		where := geom.V(0.5, 0, 0)
		p.Vec(&where, claimScale)
		field(0, 16)
		a := newToyAuthority(toyState{})
		if err := open(a, clock.Second, p.Bytes()); err != c.want || (err == nil) != (a.Queued() == 2) {
			t.Errorf("%s: %v with %d queued, want %v", c.name, err, a.Queued(), c.want)
		}
	}
}

// Whatever the bytes: an error that changes nothing, or moves within their bounds
// that pack to the same bits again.
func FuzzReceive(f *testing.F) {
	o := newToyOwner(toyState{})
	for i := range clock.Micros(6) {
		o.Advance(20000+i*20000, 16667+i%3, toyInput{X: int(i % 2), Fire: i == 3})
		f.Add(sealed(o, 1000))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a := newToyAuthority(toyState{Ammo: 3})
		now := clock.Second
		var p, again bits.Packer
		p.Read(b)
		if err := a.Receive(now, now, &p); err != nil {
			if a.Queued() != 0 || a.started {
				t.Fatalf("%v, but %d queued", err, a.Queued())
			}
			return
		}
		again.Write(make([]byte, len(b)+8))
		a.in.pack(&again, toy{}, now)
		if again.Err() != nil || !bytes.Equal(again.Bytes(), b) {
			t.Fatalf("read %x, wrote %x (%v)", b, again.Bytes(), again.Err())
		}
		for steps := 0; a.Next(now); steps++ {
			if d := a.Command().Duration; d < 1 || d > MaxDuration || steps > 2*MaxMoves {
				t.Fatalf("step %d lasts %d µs", steps, d)
			}
		}
		if !a.State().Pos.Finite() {
			t.Fatalf("state %v", a.State())
		}
	})
}
