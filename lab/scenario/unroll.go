package scenario

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
)

// Collide is the path as the world has it, beginning at its own time 0.
func (p *Path) Collide() collide.Path {
	out := collide.Path{Loop: p.Loop, Smooth: p.Smooth, Axis: p.Axis}
	for _, q := range p.Points {
		out.Keys = append(out.Keys, collide.Key{At: q.At, Position: q.Place, Angle: q.Angle})
	}
	return out
}

// after is for how much longer than a run its bodies move: nobody's clock is that
// far ahead.
const after = 2 * clock.Second

// begun is the path p begun at a match time, before which it rests at its first
// key; below zero it rests for good. A loop is written out for as long as the run
// lasts, which is exact: each round has the same keys, the same times apart. Of a
// smooth loop the first round sets out from rest.
func begun(p collide.Path, at, duration clock.Micros) (collide.Path, error) {
	if at == 0 {
		return p, nil
	}
	keys, loop := p.Keys, p.Loop
	first, last := keys[0], keys[len(keys)-1]
	p.Loop, p.Keys = false, []collide.Key{{Position: first.Position, Angle: first.Angle}}
	if at < 0 {
		return p, nil
	}
	p.Keys = append(p.Keys, moved(first, at, 0))
	for from, turned := at, 0.0; ; {
		for _, k := range keys[1:] {
			p.Keys = append(p.Keys, moved(k, from, turned))
		}
		if from, turned = from+last.At, turned+last.Angle-first.Angle; !loop || from > at+duration+after {
			return p, nil
		}
		if len(p.Keys) > collide.MaxKeys {
			return p, fmt.Errorf("a loop of %d points makes more than %d in a run of %s",
				len(keys), collide.MaxKeys, Spell(duration))
		}
	}
}

// moved is a key that is later and further turned.
func moved(k collide.Key, by clock.Micros, angle float64) collide.Key {
	return collide.Key{At: k.At + by, Position: k.Position, Angle: k.Angle + angle}
}
