package predict

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// Every correction says in which fields the prediction was wrong and by how much, although whole states
// are kept of one move in eight only: compared with an owner that keeps all. Combined moves and replays
// are among them. [ACK-14, CMD-02]
func TestCorrectionsSayWhy(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 11))
		o := newToyOwner(toyState{Ammo: 50})
		o.rules, o.Combining = fickle{toy{}, rand.New(rand.NewPCG(seed, 12))}, true
		states := map[uint32]toyState{0: *o.State()}
		stamp, acked, epoch := clock.Second, uint32(0), uint8(0)
		known := 0
		for range 3000 {
			d := clock.Micros(1000 + r.IntN(16000))
			stamp += d
			o.Advance(stamp, d, toyInput{r.IntN(3) - 1, r.IntN(3) - 1, r.IntN(9) == 0})
			for i := range o.Unacked() { // what replays rewrote
				n := o.oldest + uint32(i)
				if o.predicted(n) {
					if n == o.number && o.replica != *o.State() {
						t.Fatalf("seed %d: move %d ends at %v, and simulated again at %v", seed, n, *o.State(), o.replica)
					}
					states[n] = o.replica
				} else {
					t.Fatalf("seed %d: move %d of %d to %d is not known", seed, n, o.oldest, o.number)
				}
			}
			if r.IntN(2) == 0 {
				sealed(o, 1000)
			}
			if r.IntN(12) > 0 || o.sent == acked {
				continue
			}
			acked += 1 + uint32(r.IntN(newer(o.sent, acked)))
			if r.IntN(2) == 0 {
				o.Receive(&toyVerdict{Number: acked})
				continue
			}
			truth := states[acked]
			truth.Vel.X++
			truth.Ammo++
			epoch++
			o.Receive(&toyVerdict{Number: acked, Correction: true, Epoch: epoch, State: truth})
			c := o.LastCorrection()
			want := [4]Difference{{"velocity", truth.Vel.Dist(states[acked].Vel)}, {"ammo", 1}}
			if !c.Known || c.Number != acked || c.Distance != 0 || !c.Digest || c.Differences != want {
				t.Fatalf("seed %d: %+v, want %v", seed, c, want)
			}
			states[acked] = truth
			known++
		}
		if known < 50 {
			t.Errorf("seed %d: %d corrections", seed, known)
		}
	}
}

// The last 16 corrections, oldest first; one that was repeated before it could be applied counts once.
// Each cause is replayed and has its own count. [ACK-14, GAP-65]
func TestTheLastCorrections(t *testing.T) {
	o := newToyOwner(toyState{Ammo: 5})
	stamp := clock.Second
	for n := range uint32(40) {
		stamp += 16680
		o.Advance(stamp, 16680, toyInput{X: 1})
		sealed(o, 1000)
		v := toyVerdict{Number: n, Correction: true, Cause: Cause(n % 5), Epoch: uint8(n + 1), State: *o.State()}
		if v.Cause == Teleport {
			v.Teleports = o.teleports + 1
		} else {
			v.Teleports = o.teleports
		}
		o.Receive(&v)
		v.Number++
		o.Receive(&v)
		v.State.Ammo = 3
		list := o.RecentCorrections()
		if want := min(int(n)+1, 16); len(list) != want || list[len(list)-1] != o.LastCorrection() {
			t.Fatalf("%d corrections after %d, want %d", len(list), n+1, want)
		}
		for i, c := range list {
			if want := n + 2 - uint32(len(list)-i); c.Number != want || c.Cause != Cause((want-1)%5) {
				t.Fatalf("after %d: number %d is %+v, want of move %d", n+1, i, c, want)
			}
		}
	}
	o.ApplyCorrection()
	if c := o.Counters(); c.Corrections != 8 || c.ServerForces != 8 || c.Teleports != 8 || c.Timeouts != 8 || c.Throttles != 8 {
		t.Errorf("%+v", c)
	}
}

// A whole state for each move would be dear: this is what is kept instead. [ACK-14]
func TestCheckpointsSpanWhatIsKept(t *testing.T) {
	for _, fps := range []clock.Micros{30, 60, 144, 240} {
		o := newToyOwner(toyState{})
		d := clock.Second / fps
		for i := range 5 * fps {
			o.Advance(clock.Second+i*d, d, toyInput{X: 1})
		}
		for n := o.oldest; newer(o.number, n) >= 0; n++ {
			if !o.predicted(n) {
				t.Fatalf("%d moves a second: move %d of %d to %d is not known", fps, n, o.oldest, o.number)
			}
			if s := o.slot(n); o.end(&o.replica) != s.after {
				t.Fatalf("%d moves a second: move %d ends at %v, and simulated again at %v", fps, n, s.after, o.end(&o.replica))
			}
		}
	}
}

// Where something besides moves changed the owner's state, a correction names no fields. [ACK-14]
func TestNoDifferencesOfAStateChangedByOthers(t *testing.T) {
	o := newToyOwner(toyState{})
	o.Advance(clock.Second, 16680, toyInput{})
	o.Advance(clock.Second+16680, 16680, toyInput{}) // from a checkpoint
	o.State().Pos.X = 10
	o.Advance(clock.Second+2*16680, 16680, toyInput{})
	o.Receive(&toyVerdict{Number: 3, Correction: true, Epoch: 1})
	if c := o.LastCorrection(); !c.Known || c.Distance != 10 || c.Differences != [4]Difference{} {
		t.Errorf("%+v", c)
	}
}
