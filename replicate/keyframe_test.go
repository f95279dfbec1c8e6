package replicate

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// keyframeParts checks of each part of a snapshot that is sent to the client that it announces
// keyframes if and only if an entity in it has some. It returns how many parts have some, and how
// many do not announce them or announce them and have none.
func (c *client) keyframeParts() (with, wrong int) {
	for _, k := range c.down.under {
		if k.tick != uint32(c.sc.n) || k.due != c.sc.n+c.down.delay {
			continue // sent before
		}
		var p bits.Packer
		var h partHeader
		var ref track.Sample
		p.Read(k.b)
		h.pack(&p)
		p.Read(k.b)
		r := partReader{p: &p, tick: k.tick, at: clock.TickTime(int64(k.tick), 60), have: c.frames, ref: &ref}
		if r.read(); h.keyframes != (len(r.keyframes) > 0) {
			wrong++
		}
		if h.keyframes {
			with++
		}
	}
	return with, wrong
}

// Whatever fits into the parts of a snapshot, however old the reference snapshot is and whatever
// was lost: a part announces keyframes if and only if an entity in it has one. [REP-08]
func TestAPartIsFlaggedIfAnEntityHasKeyframes(t *testing.T) {
	all := 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 8))
		sc := newScene(seed + 300)
		populate(sc, 10+r.IntN(40), r.IntN(40), 30)
		c := newClient(t, sc, NewMatch(sc.frames, nil, Rules{Budget: 100 + r.IntN(900)}), 1, seed)
		c.size = 60 + r.IntN(600)
		c.up.loss, c.up.delay, c.down.delay = r.Float64(), r.IntN(40), r.IntN(6)
		c.up.cut = func(n int) bool { return n/90%3 == 2 } // bases up to a second old and older
		every, with, wrong, oldest := 1+r.IntN(4), 0, 0, uint32(0)
		for range 600 {
			sc.tick()
			if sc.n%every == 0 {
				c.send()
				b, w := c.keyframeParts()
				with, wrong = with+b, wrong+w
				if c.s.baseline != 0 {
					oldest = max(oldest, c.s.tick-c.s.baseline)
				}
			}
			c.receive()
			churn(sc)
		}
		all += with
		if t.Logf("seed %d: %d parts with keyframes, bases up to %d ticks old", seed, with, oldest); wrong > 0 {
			t.Errorf("seed %d: of %d parts that say that paths have keyframes, or have some, %d are wrong; want 0", seed, with, wrong)
		}
	}
	if all < 1000 {
		t.Errorf("%d parts with keyframes: too few to mean anything", all)
	}
}
