package predict

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// Two hours at ten moves a second, in which the stamp on the wire wraps 343 times, its number in 16 bits
// once, a baseline's in 10 bits 70 times, the number itself once, the epoch in 8 bits 14 times and in 6 bits
// 56 times. A quarter of the packets and of the answers is lost. [THR-31]
func TestCountersWrapInTwoHours(t *testing.T) {
	const seed = 31
	r := rand.New(rand.NewPCG(seed, 0))
	o, a := newToyOwner(toyState{Ammo: 900}), newToyAuthority(toyState{Ammo: 900})
	const begin = 1<<32 - 1000
	o.number, o.oldest, o.sent, o.acked = begin, begin+1, begin, begin
	a.started, a.last, a.budget.credit = true, begin, a.limits.MaxTimeDiscrepancy
	o.SetLoss(0.25, 5)
	now := clock.Second
	a.stamp = now
	placed, wrong := 0, 0
	var ways []*toyVerdict
	truth := map[uint32]toyState{}
	for n := range 72000 {
		d := clock.Micros(60000 + r.IntN(80000))
		now += d
		o.Advance(now, d, toyInput{X: r.IntN(3) - 1, Z: r.IntN(3) - 1, Fire: r.IntN(200) == 0})
		truth[o.Number()] = *o.State()
		b := sealed(o, 600)
		if r.IntN(4) == 0 {
			continue
		}
		if err := open(a, now, b); err != nil {
			t.Fatalf("seed %d, frame %d: %v", seed, n, err)
		}
		for a.Next(now) {
			if s, ok := truth[a.Command().Number]; !a.GapFill() && !a.correcting && ok && s != *a.State() {
				wrong++
			}
			delete(truth, a.Command().Number)
		}
		if n%20 == 0 {
			s := *a.State()
			s.Pos.Y++
			a.SetState(s, 0, 0)
			placed++
		}
		if ways = append(ways, copied(a.Verdict(now))); len(ways) > 2 {
			if r.IntN(4) > 0 {
				o.Receive(ways[0])
				clear(truth)
			}
			ways = ways[1:]
		}
	}
	oc, ac := o.Counters(), a.Counters()
	t.Logf("seed %d: number %d, epoch %d\n%+v\n%+v", seed, o.Number(), o.Epoch(), oc, ac)
	if ac.Refused+ac.Stale+ac.MissingBaseline+ac.Missing+ac.Corrections+oc.Corrections+wrong != 0 || ac.Executed < 71990 || placed < 2500 || o.Number() > 72000 {
		t.Errorf("seed %d: %d moves differ", seed, wrong)
	}
}
