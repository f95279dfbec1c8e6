package session

import (
	"slices"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/shot"
)

// waiting keeps an input that holds what happens once, and what was aimed with it, from a
// frame that makes no command for the next that does.
type waiting[S comparable, C any] struct {
	game   Game[S, C]
	some   bool // an input waits
	input  C
	aimed  combat.ClientShot // with it
	held   C                 // scratch: what goes on of an input
	none   C
	packer bits.Packer
	sides  [2][MaxMessage / 2]byte
}

// keep keeps the input of a frame that made no command, if it holds what happens once and
// none waits. Where one waits without a shot, it takes that of the frame.
func (w *waiting[S, C]) keep(in *C, shots *combat.Client) {
	switch {
	case !w.some && w.happensOnce(in):
		w.some, w.input = true, *in
		shots.SwapAim(&w.aimed)
	case w.some && w.game.Trigger(in).Fire && !w.game.Trigger(&w.input).Fire:
		*w.game.Trigger(&w.input) = *w.game.Trigger(in)
		shots.SwapAim(&w.aimed)
	}
}

// pace makes the commands of a fixed-tick player, all of one length, out of frames that
// come as they will. An input that comes between two ticks and holds what happens once
// waits for the next.
type pace[S comparable, C any] struct {
	waiting[S, C]
	clock   clock.Pacer
	swinger Swinger[S, C] // nil of a game without blades
	frame   C             // scratch: the input of a frame
	aim     shot.Claim    // scratch too: its shot
}

// newPace returns the pace of so many commands a second.
func newPace[S comparable, C any](game Game[S, C], rate int) *pace[S, C] {
	p := &pace[S, C]{waiting: waiting[S, C]{game: game}, clock: clock.NewPacer(rate, predict.TimeQuantum)}
	p.swinger, _ = game.(Swinger[S, C])
	return p
}

// tick makes the commands that are due at match time now, none or several, each of one
// tick. What happens once, a shot or a press, rides in one of them, with what was aimed
// on the screen: where none is due, it waits for the next. A shot is aimed for one command:
// where that has what waited instead, it is none. Of a blade each command has its part.
func (p *pace[S, C]) tick(now clock.Micros, in *C, by *Client[S, C]) {
	shots := by.combat
	used, waited := false, false
	p.frame = *in // a copy: what an interface is handed escapes
	p.aim = *p.game.Trigger(&p.frame)
	if p.some {
		p.keep(&p.frame, shots)
	}
	for stamp, ok := p.clock.Due(now); ok; stamp, ok = p.clock.Due(now) {
		if p.some {
			p.some = false
			shots.SwapAim(&p.aimed)
			by.make(stamp, p.clock.Tick(), &p.input)
			shots.SwapAim(&p.aimed)
			*p.game.Trigger(&p.frame) = shot.Claim{}
			waited = true
			continue
		}
		if used {
			p.game.Carry(&p.frame)
		}
		if used || waited {
			p.swing(by)
		}
		used = true
		by.make(stamp, p.clock.Tick(), &p.frame)
	}
	if !used {
		p.keep(&p.frame, shots)
	}
}

// swing claims what a further command of a frame cuts of a swing, aimed as the frame's shot
// was if it had one.
func (p *pace[S, C]) swing(by *Client[S, C]) {
	if p.swinger == nil || !p.swinger.Swing(by.Self(), &p.frame) {
		return
	}
	claim := p.game.Trigger(&p.frame)
	if p.aim.Fire {
		claim.Yaw, claim.Pitch = p.aim.Yaw, p.aim.Pitch
	}
	by.Aim(claim)
}

// drawn returns how far a picture of match time now is between the states before and
// after the newest command, which ended at stamp, and its platform time.
func (p *pace[S, C]) drawn(now, stamp clock.Micros) (share float64, platform clock.Micros) {
	share = p.clock.InterpolationAlpha(now)
	return share, stamp - clock.Micros(float64(p.clock.Tick())*(1-share))
}

// happensOnce reports whether Carry would take anything from an input.
func (w *waiting[S, C]) happensOnce(in *C) bool {
	w.held = *in
	w.game.Carry(&w.held)
	return !slices.Equal(w.packed(0, in), w.packed(1, &w.held))
}

// packed returns an input as it travels.
func (w *waiting[S, C]) packed(side int, in *C) []byte {
	w.packer.Write(w.sides[side][:])
	w.game.PackCommand(&w.packer, in, &w.none)
	return w.packer.Bytes()
}

// Waiting reports whether a shot or another entity that happens once waits for a command:
// what comes of that kind until then is lost, but for a first shot. With ClientConfig.Tick it is for the next tick;
// without, for 4 ms at most, and only above 250 frames a second (predict.Owner.Advance).
func (c *Client[S, C]) Waiting() bool { return c.waits.some || c.pace != nil && c.pace.some }
