package session

import (
	"slices"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/predict"
)

// pace makes the commands of a fixed-tick player, all of one length, out of frames that
// come as they will. An input that comes between two ticks and holds what happens once
// waits for the next.
type pace[S comparable, C any] struct {
	game   Game[S, C]
	clock  clock.Pacer
	some   bool // an input waits
	input  C
	aimed  Claimed // with it
	held   C       // scratch: what goes on of an input
	none   C
	packer bits.Packer
	sides  [2][MaxMessage / 2]byte
}

// newPace returns the pace of so many commands a second.
func newPace[S comparable, C any](game Game[S, C], rate int) *pace[S, C] {
	return &pace[S, C]{game: game, clock: clock.NewPacer(rate, predict.Grain)}
}

// maker makes one command that ends at stamp.
type maker[C any] interface {
	make(stamp, lasted clock.Micros, in *C)
}

// tick makes the commands that are due at match time now, none or several, each of one
// tick. What happens once, a shot or a press, rides in one of them, with what was aimed
// on the screen: where none is due, it waits for the next.
func (p *pace[S, C]) tick(now clock.Micros, in *C, s *screen, by maker[C]) {
	used := false
	for stamp, ok := p.clock.Due(now); ok; stamp, ok = p.clock.Due(now) {
		switch {
		case p.some:
			p.some = false
			s.aimed, p.aimed = p.aimed, s.aimed
			by.make(stamp, p.clock.Tick(), &p.input)
			s.aimed, p.aimed = p.aimed, s.aimed
		case !used:
			used, p.held = true, *in // a copy: what an interface is handed escapes
			by.make(stamp, p.clock.Tick(), &p.held)
		default:
			p.held = *in
			p.game.Carry(&p.held)
			by.make(stamp, p.clock.Tick(), &p.held)
		}
	}
	if !used && !p.some && p.happensOnce(in) {
		p.some, p.input = true, *in
		s.aimed, p.aimed = p.aimed, s.aimed
	}
}

// drawn returns how far a picture of match time now is between the states before and
// after the newest command, which ended at stamp, and its platform time.
func (p *pace[S, C]) drawn(now, stamp clock.Micros) (share float64, platform clock.Micros) {
	share = p.clock.Share(now)
	return share, stamp - clock.Micros(float64(p.clock.Tick())*(1-share))
}

// happensOnce reports whether Carry would take anything from an input.
func (p *pace[S, C]) happensOnce(in *C) bool {
	p.held = *in
	p.game.Carry(&p.held)
	return !slices.Equal(p.packed(0, in), p.packed(1, &p.held))
}

// packed returns an input as it travels.
func (p *pace[S, C]) packed(side int, in *C) []byte {
	p.packer.Write(p.sides[side][:])
	p.game.PackCommand(&p.packer, in, &p.none)
	return p.packer.Bytes()
}

// Waiting reports whether a shot or another thing that happens once waits for its tick:
// what comes of that kind until then is lost. Only with ClientConfig.Tick.
func (c *Client[S, C]) Waiting() bool { return c.pace != nil && c.pace.some }
