package lab

import (
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
)

// tally counts the outcomes of shots: of all, or of those with one weapon.
type tally struct {
	out          WeaponFigures
	agreed       int
	hitsShown    int       // shots that hit on the screen and were decided
	kept         int       // of those, shots that damaged the same targets
	hidden       []float64 // of hits, seconds
	endErrors    []float64 // of a projectile's ends, metres
	swingsAgreed int       // swings that agreed
}

// add counts a claim; late is an undecided one.
func (t *tally) add(c *claim, late bool) {
	t.out.Claimed++
	switch {
	case late:
		t.out.Undecided++
		return
	case c.judged: // a projectile without an end on the screen does not agree, and its hits are false ones
		t.out.FalseHits += count(c.falseHit)
		t.out.Confirmed += count(c.damages)
		t.out.Refused += count(c.verdict == shot.Refused)
		t.agreed += count(c.agrees)
	case !c.launched:
		t.out.Unfired++
		t.agreed += count(c.ended && len(c.hits) == 0 && c.saw.Kind == rewind.Nothing)
	}
	if len(c.hits) > 0 {
		t.hitsShown++
		t.kept += count(c.kept)
	}
	if c.judged && c.damages {
		t.hidden = append(t.hidden, c.hidden.Seconds())
	}
	if c.judged && c.ended && c.projectile && c.verdict != shot.Refused {
		t.endErrors = append(t.endErrors, c.apart)
	}
}

// swings counts the swings of a blade.
func (t *tally) swings(list []swing) {
	for i := range list {
		if s := &list[i]; s.decided {
			t.out.Swings++
			t.swingsAgreed += count(includes(s.hits, s.damaged) && includes(s.damaged, s.hits))
		}
	}
}

// figures returns the figures of the shots.
func (t *tally) figures() *WeaponFigures {
	out := t.out
	out.Agreement = agreement(t.agreed, out.Claimed-out.Undecided)
	out.Kept, out.Denied = agreement(t.kept, t.hitsShown), t.hitsShown-t.kept
	out.SwingAgreement = agreement(t.swingsAgreed, out.Swings)
	out.EndError = spreadOf(t.endErrors)
	out.BehindCover = coverOf(t.hidden)
	return &out
}

// coverOf returns the figures of the times out of sight, which it sorts.
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
