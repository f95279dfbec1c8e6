package predict

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// CMB-12, CMB-10, CMB-11: two frames of 1/60 s, the second turned, as one step of
// 1/30 s: v 4.400, 2.283 and not the 4.507, 2.040 of two steps. (The rules of a real
// game would not combine them: they are too different.) [GAP-18]
func TestCombinedIsOneStep(t *testing.T) {
	start := toyState{}
	start.Vel.X = 6
	o := NewOwner[toyState, toyInput](always{}, start)
	first := *o.Advance(16680, 16680, toyInput{X: 1})
	between := *o.State()
	c := o.Advance(33360, 16680, toyInput{Z: 1})
	want := start
	toy{}.glide(&want, &toyInput{Z: 1}, 33360)
	if *o.State() != want || *o.StateBefore() != start {
		t.Errorf("ends at %v after %v, want %v after %v", *o.State(), *o.StateBefore(), want, start)
	}
	if c.Number != first.Number || c.Stamp != 33360 || c.Duration != 33360 || c.Input != (toyInput{Z: 1}) || o.Unacked() != 1 {
		t.Errorf("one move: %+v, %d saved", *c, o.Unacked())
	}
	two := between
	toy{}.glide(&two, &toyInput{Z: 1}, 16680)
	t.Logf("one step: v %.4f %.4f; two: %.4f %.4f", want.Vel.X, want.Vel.Z, two.Vel.X, two.Vel.Z)
}

// always combines everything.
type always struct{ toy }

func (always) Combine(start, between *toyState, first, second *toyCommand) bool { return true }

// Which moves stay apart whatever the game says, and which may combine.
// [CMB-01, CMB-04, GAP-15, GAP-17, ACK-13, SND-01, CMD-01]
func TestWhichMovesCombine(t *testing.T) {
	const frame = 16680
	in := toyInput{X: 1}
	for _, c := range []struct {
		name string
		do   func(o *toyOwner) // after the first move, which ends at 1 s
		at   clock.Micros      // where the next ends
		d    clock.Micros
		want bool
	}{
		{"two frames", func(*toyOwner) {}, clock.Second + frame, frame, true},
		{"the first was packed", func(o *toyOwner) { sealed(o, 100) }, clock.Second + frame, frame, false},
		{"packed before it was made", func(*toyOwner) {}, clock.Second + frame, frame, true},
		{"a correction came and replayed it", func(o *toyOwner) {
			o.Receive(&toyVerdict{Correction: true, Epoch: 1})
			o.ApplyCorrection()
		}, clock.Second + frame, frame, false},
		{"a correction came and is not settled yet", func(o *toyOwner) {
			o.Receive(&toyVerdict{Correction: true, Epoch: 1})
		}, clock.Second + frame, frame, false},
		{"a correction newer than everything", func(o *toyOwner) {
			o.Receive(&toyVerdict{Number: 9, Correction: true, Epoch: 1})
		}, clock.Second + frame, frame, false},
		{"an acknowledgement came", func(o *toyOwner) { o.Receive(&toyVerdict{Number: 0}) }, clock.Second + frame, frame, true},
		{"125 ms together", func(*toyOwner) {}, clock.Second + 125000 - frame, 125000 - frame, true},
		{"a grain more", func(*toyOwner) {}, clock.Second + 125040 - frame, 125040 - frame, false},
		{"a pause between", func(*toyOwner) {}, clock.Second + 500000, frame, false},
		{"switched off", func(o *toyOwner) { o.Combining = false }, clock.Second + frame, frame, false},
	} {
		o := NewOwner[toyState, toyInput](always{}, toyState{})
		o.Advance(clock.Second-frame, frame, in)
		sealed(o, 100)
		o.Advance(clock.Second, frame, in)
		c.do(o)
		number := o.Number()
		m := o.Advance(c.at, c.d, in)
		if got := m.Number == number; got != c.want {
			t.Errorf("%s: combined %v, want %v: %+v", c.name, got, c.want, *m)
		}
	}
}

// What may wait to be sent, and what is sent at once. [SND-01, SND-04, SND-08, CMD-10]
func TestWhatMayWaitToBeSent(t *testing.T) {
	o := newToyOwner(toyState{Ammo: 9})
	stamp := clock.Second
	frame := func(in toyInput) {
		stamp += 16680
		o.Advance(stamp, 16680, in)
	}
	expect := func(what string, want bool) {
		if got := o.Urgent(); got != want {
			t.Errorf("%s: urgent %v, want %v", what, got, want)
		}
	}
	o.Combining = true
	expect("nothing made", false)
	frame(toyInput{X: 1})
	expect("one move", false)
	frame(toyInput{X: 1})
	expect("one that began at rest, and so stays apart from what goes on", false)
	sealed(o, 100)
	expect("everything sent", false)
	frame(toyInput{X: 1})
	frame(toyInput{X: 1})
	frame(toyInput{X: 1})
	expect("three frames in one move", false)
	frame(toyInput{Z: 1})
	expect("a press", true)
	frame(toyInput{Z: 1})
	expect("a press, and what goes on", true)
	sealed(o, 100)
	frame(toyInput{Z: 1})
	expect("what goes on after it was sent", false)
	sealed(o, 100)
	frame(toyInput{Z: 1, Fire: true})
	expect("a shot", true)
	sealed(o, 100)
	o.Combining = false
	frame(toyInput{Z: 1})
	expect("one move of a client that combines nothing", true)
}

// SND-03, SND-04: packets a second where the send interval is 16 ms.
func TestPacketsASecond(t *testing.T) {
	for _, c := range []struct {
		fps         int
		alternating bool
		want        int
	}{
		{240, false, 60}, {144, false, 48}, {120, false, 60}, {90, false, 45}, {60, false, 60}, {240, true, 120}, {60, true, 60},
	} {
		o := newToyOwner(toyState{})
		o.Combining = true
		sent, packets, doubles := clock.Micros(0), 0, 0
		for n := int64(1); n <= 10*int64(c.fps); n++ {
			now := clock.Second + clock.TickTime(n, c.fps)
			in := toyInput{X: 1}
			if c.alternating && n%2 == 0 {
				in = toyInput{Z: 1}
			}
			o.Advance(now, clock.Micros(1000000/c.fps)+1, in)
			if now-sent < 16000 && !o.Urgent() {
				continue
			}
			if o.unsent() == 2 {
				doubles++
			}
			sent = now
			packets++
			sealed(o, 1000)
			o.Receive(&toyVerdict{Number: o.Number()})
		}
		t.Logf("%d frames a second, alternating %v: %.1f packets a second, %d doubles, %+v", c.fps, c.alternating, float64(packets)/10, doubles, o.Counters())
		if d := packets - 10*c.want; d < -15 || d > 15 {
			t.Errorf("%d frames a second, alternating %v: %d packets in 10 s, want %d", c.fps, c.alternating, packets, 10*c.want)
		}
	}
}

// Moves that cannot combine and wait together are at least 4 ms apart: a frame that comes sooner makes
// no move, and its time is added to the next one. Moves that can combine do so at once. [SND-08]
func TestUncombinedMovesAreFourMillisecondsApart(t *testing.T) {
	o := newToyOwner(toyState{Vel: geom.V(6, 0, 0), Ammo: 9})
	o.Combining = true
	stamp, lasted, made := clock.Second, clock.Micros(0), 0
	for n := range 1000 { // a shot in every frame is never one with another
		stamp += clock.Millisecond
		if c := o.Advance(stamp, clock.Millisecond, toyInput{X: 1, Fire: true}); c != nil {
			made++
			lasted += c.Duration
		}
		if n%20 == 19 {
			sealed(o, 1000)
			o.Receive(&toyVerdict{Number: o.Number()})
		}
	}
	if most := 250 + 1000/20; made > most || made < 250 || lasted < 996*clock.Millisecond {
		t.Errorf("%d moves of %d µs in a second of 1,000 frames, want at most %d, and all of it", made, lasted, most)
	}
	stamp += 5 * clock.Millisecond
	first := o.Advance(stamp, 5*clock.Millisecond, toyInput{X: 1}).Number
	for range 3 {
		stamp += clock.Millisecond
		if c := o.Advance(stamp, clock.Millisecond, toyInput{X: 1}); c == nil || c.Number != first {
			t.Errorf("a frame that may join move %d: %+v", first, c)
		}
	}
}

// A frame shorter than TimeQuantum makes no move; its time is added to the next one.
func TestTinyFrames(t *testing.T) {
	o := newToyOwner(toyState{})
	var lasted, at clock.Micros
	moves := 0
	for n := range clock.Micros(10000) {
		d := 1 + n%31
		at += d
		if c := o.Advance(clock.Second+at, d, toyInput{X: 1}); c != nil {
			moves++
			lasted += c.Duration
			if c.Stamp%TimeQuantum != 0 || c.Duration%TimeQuantum != 0 || c.Stamp > clock.Second+at || c.Stamp <= clock.Second+at-TimeQuantum {
				t.Fatalf("at %d: %+v", clock.Second+at, *c)
			}
			sealed(o, 1000)
			o.Receive(&toyVerdict{Number: c.Number})
		}
	}
	if at-lasted >= TimeQuantum || moves < 3000 {
		t.Errorf("%d µs passed, %d µs simulated in %d moves", at, lasted, moves)
	}
}
