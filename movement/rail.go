package movement

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// Rail is the path that a character in mode OnPath follows: a function of match
// time (VOL-05). The zero Rail is none.
type Rail struct {
	// Path is the number, from 1, of a path of Model.Paths; 0 is none.
	Path uint16
	// Start is the match time at which it began.
	Start clock.Micros
}

// pack costs one bit for none.
func (r *Rail) pack(p *bits.Packer) {
	some := *r != Rail{}
	p.Bool(&some)
	if !some {
		*r = Rail{}
		return
	}
	p.Uint16(&r.Path)
	start := int64(r.Start)
	p.Varint(&start)
	r.Start = clock.Micros(start)
	if *r == (Rail{}) {
		p.Fail(bits.ErrRange)
	}
}

// followRail is mode OnPath.
func (f *Frame) followRail() { f.Left = 0 }
