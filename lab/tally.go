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
	kept   int       // of those, that hurt the same one
	hidden []float64 // of hits, seconds
}

// add counts a claim; late is one that the server had not come to.
func (t *tally) add(c *claim, late bool) {
	t.out.Claimed++
	if !late && c.saw.Kind == rewind.Player {
		t.met++
		t.kept += count(c.judged && c.kept)
	}
	switch {
	case c.judged:
		t.out.FalseHits += count(c.false_)
		t.out.Confirmed += count(c.verdict == shot.Hit)
		t.out.Refused += count(c.verdict == shot.Refused)
		t.agreed += count(c.agrees)
	case late:
		t.out.Undecided++
	default:
		t.out.Unfired++
		t.agreed += count(c.saw.Kind == rewind.Nothing)
	}
	if c.judged && c.verdict == shot.Hit {
		t.hidden = append(t.hidden, c.hidden.Seconds())
	}
}

// figures sums up.
func (t *tally) figures() *WeaponFigures {
	out := t.out
	out.Agreement = agreement(t.agreed, out.Claimed-out.Undecided)
	out.Kept = agreement(t.kept, t.met)
	out.SwingAgreement = 1
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
