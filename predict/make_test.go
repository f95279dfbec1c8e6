package predict

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// ENT-07, TIM-04, GAP-10: what a player at the authority's own machine asks for, and
// what is simulated of it. Each move begins where the stamp of the one before is.
func TestMakeKeepsTime(t *testing.T) {
	const ms = clock.Millisecond
	a := newToyAuthority(toyState{Ammo: 3})
	for i, c := range []struct {
		name                      string
		stamp, d                  clock.Micros
		want, wantStamp, wantFrom clock.Micros // want 0: no move
	}{
		{"the first frame lasts what it says", 100 * ms, 20 * ms, 20 * ms, 100 * ms, 80 * ms},
		{"60 Hz, rounded down to the grain", 116_667, 16_667, 16_640, 116_640, 100 * ms},
		{"and what was left comes with the next", 133_334, 16_694, 16_680, 133_320, 116_640},
		{"half a second is cut to 125 ms, and time has passed", 633_320, 500 * ms, 125 * ms, 633_320, 133_320},
		{"longer than the stamps advance", 643_320, 125 * ms, 10 * ms, 643_320, 633_320},
		{"no time", 643_320, 10 * ms, 0, 0, 0},
		{"less than the grain", 643_359, 39, 0, 0, 0},
		{"backwards", 600 * ms, 10 * ms, 0, 0, 0},
		{"the grain itself", 643_360, 40, 40, 643_360, 643_320},
	} {
		before, number := *a.State(), a.Number()
		m := a.Make(c.stamp, c.d, toyInput{X: 1})
		if c.want == 0 {
			if m != nil || *a.State() != before || a.Number() != number {
				t.Errorf("%d, %s: made %+v", i, c.name, m)
			}
			continue
		}
		if m == nil || m.Duration != c.want || m.Stamp != c.wantStamp || a.Began() != c.wantFrom ||
			m.Number != number+1 || a.Stamp() != c.wantStamp || *a.StateBefore() != before || a.GapFill() {
			t.Errorf("%d, %s: got %+v from %d, want %d to %d from %d", i, c.name, m, a.Began(), c.want, c.wantStamp, c.wantFrom)
		}
	}
	if n := a.Counters(); n.Executed != 6 || n.GapFills+n.Missing+n.Refused+n.Stale != 0 {
		t.Errorf("counters %+v, want 6 run and nothing else", n)
	}
}

// A move made at the authority leads to the very state of an owner's who made the same
// moves over a line, and nobody is corrected after what the server does to it. [ENT-07]
func TestMakeIsTheStepAlone(t *testing.T) {
	a, o := newToyAuthority(toyState{Ammo: 30}), newToyOwner(toyState{Ammo: 30})
	at := clock.Second
	for i := range 300 {
		in := toyInput{X: i / 40 % 2, Z: 1 - i/25%3, Fire: i%10 == 0}
		at += 6920 + clock.Micros(i%3)*TimeQuantum
		d := 6920 + clock.Micros(i%3)*TimeQuantum
		a.Make(at, d, in)
		o.Advance(at, d, in)
		if *a.State() != *o.State() || *a.StateBefore() != *o.StateBefore() {
			t.Fatalf("move %d: %+v, want the owner's %+v", i, a.State(), o.State())
		}
	}
	a.Modify(func(s *toyState) { s.Vel = geom.V(3, 0, 0) })
	a.SetState(toyState{Pos: geom.V(9, 0, 0)})
	a.Make(at+10000, 10000, toyInput{})
	if v := a.Verdict(at + 10000); v == nil || v.Correction || a.Queued() != 0 {
		t.Errorf("verdict %+v, want nothing to correct", v)
	}
}

// 0 allocations a move.
func TestMakeAllocatesNothing(t *testing.T) {
	a := newToyAuthority(toyState{})
	at := clock.Second
	if n := testing.AllocsPerRun(100, func() {
		at += 7000
		a.Make(at, 7000, toyInput{X: 1})
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// What Make costs beside the step itself.
func BenchmarkMake(b *testing.B) {
	a := newToyAuthority(toyState{})
	at := clock.Second
	for b.Loop() {
		at += 7000
		a.Make(at, 7000, toyInput{X: 1})
	}
}

// GAP-11: who makes no move at the authority itself is carried on like anybody: after
// 250 ms, and so far behind the match, for a second with what it held, then with
// nothing; and what it then makes begins where that has led.
func TestMakeAfterASilence(t *testing.T) {
	const ms = clock.Millisecond
	a := newToyAuthority(toyState{Ammo: 3})
	at := clock.Second
	for range 60 {
		at += 16_640
		a.Make(at, 16_640, toyInput{X: 1, Fire: true})
		for a.Next(at) {
			t.Fatalf("at %d: a step without a silence", at)
		}
	}
	left, began := *a.State(), at
	for now := at; now < began+2*clock.Second; now += 16_667 {
		for a.Next(now) {
			if !a.ServerDriven() || a.Stamp() > now-250*ms || now-began <= 250*ms {
				t.Fatalf("%d ms into a silence: forced %v, up to %d ms ago", (now-began)/ms, a.ServerDriven(), (now-a.Stamp())/ms)
			}
		}
		at = now
	}
	ran := a.State().Pos.X - left.Pos.X
	if ran < 5.5 || ran > 7 || a.State().Vel.Len() > .001 || a.Counters().ServerDriven == 0 || a.State().Ammo != 0 {
		t.Errorf("ran on for %.2f m and stands there with %v, want about 6 m and still", ran, a.State().Vel)
	}
	from := a.Stamp()
	if m := a.Make(at+16_667, 2*clock.Second, toyInput{X: 1}); m == nil || m.Duration != MaxDuration || a.Began() != from || a.ServerDriven() {
		t.Errorf("the move after it: %+v from %d, want one of 125 ms from %d", m, a.Began(), from)
	}
}
