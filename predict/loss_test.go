package predict

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// In how many packets a move is sent. [GAP-21]
func TestRedundancyFollowsTheLoss(t *testing.T) {
	for _, c := range []struct {
		fold int
		loss float64
		run  int
		want int
	}{
		{3, 0, 0, 3}, {3, 0.01, 1, 3}, {3, 0.05, 1, 4}, {3, 0.05, 4, 5}, {3, 0.1, 2, 5}, {3, 0.2, 3, 8}, {3, 0.3, 5, 10},
		{3, 0.6, 9, 16}, {3, 1, 64, 16}, {0, 0, 0, 1}, {6, 0.05, 1, 6}, {3, math.NaN(), 0, 3}, {3, -1, -5, 3}, {3, math.Inf(1), 0, 16}, {99, 0, 0, 16},
	} {
		o := newToyOwner(toyState{})
		o.Redundancy = c.fold
		o.SetLoss(c.loss, c.run)
		if got := o.redundancy(); got != c.want {
			t.Errorf("at least %d, %v lost, %d in a row: %d packets, want %d", c.fold, c.loss, c.run, got, c.want)
		}
		o.Advance(clock.Second, 16680, toyInput{})
		for range 20 {
			sealed(o, 1000)
		}
		if got := o.Counters().Sent + o.Counters().Resent; got != c.want {
			t.Errorf("at least %d, %v lost, %d in a row: rode in %d packets, want %d", c.fold, c.loss, c.run, got, c.want)
		}
	}
	if o := newToyOwner(toyState{}); o.redundancy() != 5 {
		t.Errorf("nothing known of the line: %d packets, want 5", o.redundancy())
	}
}

// A move that fires, and so changes the digest, is sent until it is acknowledged: in six packets, twice
// as many as its neighbours, and then with 8 and 16 moves after it. [CMD-09, CMD-10]
func TestImportantMovesAreSentUntilAcknowledged(t *testing.T) {
	for _, c := range []struct{ fires, want int }{{0, 3}, {1, 8}} {
		o := newToyOwner(toyState{Ammo: 5})
		o.Redundancy = 3
		o.SetLoss(0, 0)
		rode := map[uint32]int{}
		for n := 1; n <= 40; n++ {
			o.Advance(clock.Micros(n)*16680, 16680, toyInput{X: 1 - n%2, Fire: n == 10*c.fires})
			sealed(o, 1000)
			for i := range o.out.count {
				rode[o.out.moves[i].Number]++
			}
		}
		if rode[10] != c.want || rode[9] != 3 || rode[30] != 3 {
			t.Errorf("fired %d times: the 10th rode in %d packets, the 9th in %d and the 30th in %d; want %d, 3 and 3", c.fires, rode[10], rode[9], rode[30], c.want)
		}
	}
	o := newToyOwner(toyState{Ammo: 5})
	o.Advance(16680, 16680, toyInput{Fire: true})
	sealed(o, 1000)
	o.Receive(&toyVerdict{Number: 1})
	if o.Advance(33360, 16680, toyInput{}); o.resendable(1) != 0 {
		t.Error("what is acknowledged rides on")
	}
}

// After a freeze in which every packet was lost, the first one that arrives has every move. [GAP-21, WIR-14]
func TestThePacketAfterAFreezeHasEveryMove(t *testing.T) {
	for _, long := range []clock.Micros{30, 200, 300, 1000, 1800} {
		o, a := newToyOwner(toyState{Ammo: 9}), newToyAuthority(toyState{Ammo: 9})
		o.SetLoss(0, 0)
		var acks []*toyVerdict
		frame := func(now clock.Micros, lost bool) {
			o.Advance(now, 16680, toyInput{X: int(now/100000%3) - 1})
			b := sealed(o, 600)
			if lost {
				return
			}
			if err := open(a, now, b); err != nil {
				t.Fatal(err)
			}
			for a.Next(now) {
			}
			if acks = append(acks, copied(a.Verdict(now))); len(acks) > 5 {
				o.Receive(acks[0])
				acks = acks[1:]
			}
		}
		now := clock.Second
		for range 100 {
			now += 16680
			frame(now, false)
		}
		for range long * clock.Millisecond / 16680 {
			now += 16680
			frame(now, true)
		}
		for range 20 {
			now += 16680
			frame(now, false)
		}
		for _, v := range acks {
			o.Receive(v)
		}
		t.Logf("%d ms: %+v", long, o.Counters())
		if c := a.Counters(); c.Missing+c.Corrections+c.MissingBaseline != 0 || *o.State() != *a.State() {
			t.Errorf("a freeze of %d ms: %+v", long, c)
		}
	}
}
