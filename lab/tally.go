package lab

import (
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
)

// tally counts what came of shots: of all, or of those with one weapon.
type tally struct {
	out    WeaponFigures
	agreed int
	met    int       // that hit somebody on the screen and were decided
	kept   int       // of those, that hurt the same
	hidden []float64 // of hits, seconds
	apart  []float64 // of a projectile's ends, metres
	swung  int       // swings that agreed
}

// add counts a claim; late is one of which it is not known what came of it.
func (t *tally) add(c *claim, late bool) {
	t.out.Claimed++
	known := c.judged && c.ended
	switch {
	case late:
		t.out.Undecided++
		return
	case known:
		t.out.FalseHits += count(c.false_)
		t.out.Confirmed += count(c.hurts)
		t.out.Refused += count(c.verdict == shot.Refused)
		t.agreed += count(c.agrees)
	case !c.judged && !c.launched:
		t.out.Unfired++
		t.agreed += count(c.ended && len(c.hits) == 0 && c.saw.Kind == rewind.Nothing)
	}
	if len(c.hits) > 0 {
		t.met++
		t.kept += count(known && c.kept)
	}
	if known && c.hurts {
		t.hidden = append(t.hidden, c.hidden.Seconds())
	}
	if known && c.flies && c.verdict != shot.Refused {
		t.apart = append(t.apart, c.apart)
	}
}

// swings counts those of a blade.
func (t *tally) swings(list []swing) {
	for i := range list {
		if s := &list[i]; s.decided {
			t.out.Swings++
			t.swung += count(includes(s.hits, s.hurt) && includes(s.hurt, s.hits))
		}
	}
}

// figures sums up.
func (t *tally) figures() *WeaponFigures {
	out := t.out
	out.Agreement = agreement(t.agreed, out.Claimed-out.Undecided)
	out.Kept = agreement(t.kept, t.met)
	out.SwingAgreement = agreement(t.swung, out.Swings)
	out.EndError = spreadOf(t.apart)
	out.BehindCover = coverOf(t.hidden)
	return &out
}

// coverOf sums up for how long those who were hit had been hidden. It sorts the list.
func coverOf(hidden []float64) Cover {
	n := 0
	for _, h := range hidden {
		n += count(h > 0)
	}
	c := Cover{Spread: spreadOf(hidden)}
	if n > 0 {
		c.Share = round(float64(n) / float64(len(hidden)))
	}
	return c
}
