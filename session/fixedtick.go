package session

import (
	"slices"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/shot"
)

// pendingInput keeps a one-time input (a shot, a press), and its aim, of a frame that makes no command,
// for the next frame that makes one.
type pendingInput[S comparable, C any] struct {
	rules  *rules[S, C]
	waits  bool // an input waits
	input  C
	aimed  combat.ClientShot // the aim of input
	held   C                 // scratch: an input after ClearOneTime
	none   C
	packer bits.Packer
	sides  [2][MaxMessage / 2]byte
}

// keep keeps the input of a frame that made no command, if it has one-time input and none waits yet.
// An input that waits without a shot gets the frame's shot.
func (w *pendingInput[S, C]) keep(in *C, shots combat.Predictor) {
	switch {
	case !w.waits && w.happensOnce(in):
		w.waits, w.input = true, *in
		shots.SwapAim(&w.aimed)
	case w.waits && w.rules.Trigger(in).Fire && !w.rules.Trigger(&w.input).Fire:
		*w.rules.Trigger(&w.input) = *w.rules.Trigger(in)
		shots.SwapAim(&w.aimed)
	}
}

// fixedTick makes commands of one length from frames of any length. One-time input between two ticks
// waits for the next tick.
type fixedTick[S comparable, C any] struct {
	pendingInput[S, C]
	clock clock.Pacer
	frame C          // scratch: the input of a frame
	aim   shot.Claim // scratch too: its shot
}

// newFixedTick returns one of so many commands a second.
func newFixedTick[S comparable, C any](rules *rules[S, C], rate int) *fixedTick[S, C] {
	return &fixedTick[S, C]{pendingInput: pendingInput[S, C]{rules: rules}, clock: clock.NewPacer(rate, predict.TimeQuantum)}
}

// tick makes the commands that are due at match time now, none or several. One-time input, with its aim,
// goes into one of them; if none is due it waits for the next. A shot of this frame is dropped if a waiting
// input takes its command. Each command of a swing has its own part of the arc.
func (p *fixedTick[S, C]) tick(now clock.Micros, in *C, by *Client[S, C]) {
	shots := by.combat
	used, resumed := false, false
	p.frame = *in // a copy: arguments of an interface escape
	p.aim = *p.rules.Trigger(&p.frame)
	if p.waits {
		p.keep(&p.frame, shots)
	}
	for stamp, ok := p.clock.Due(now); ok; stamp, ok = p.clock.Due(now) {
		if p.waits {
			p.waits = false
			// The aim of the waiting input is the current one while its command is made, and then that of
			// the frame again.
			shots.SwapAim(&p.aimed)
			by.make(stamp, p.clock.Tick(), &p.input)
			shots.SwapAim(&p.aimed)
			*p.rules.Trigger(&p.frame) = shot.Claim{}
			resumed = true
			continue
		}
		if used {
			p.rules.clearOneTime(&p.frame)
		}
		if used || resumed {
			p.swing(by)
		}
		used = true
		by.make(stamp, p.clock.Tick(), &p.frame)
	}
	if !used {
		p.keep(&p.frame, shots)
	}
}

// swing claims the part of a swing that a further command of a frame covers, with the aim of the
// frame's shot if it had one.
func (p *fixedTick[S, C]) swing(by *Client[S, C]) {
	claims, claim := p.rules.game.Combat.Claim, p.rules.Trigger(&p.frame)
	if claims == nil {
		return
	}
	claim.Yaw, claim.Pitch = by.aimYaw, by.aimPitch
	if !claims(p.rules.Weapons(), by.Self(), &p.frame) {
		*claim = shot.Claim{}
		return
	}
	if p.aim.Fire {
		claim.Yaw, claim.Pitch = p.aim.Yaw, p.aim.Pitch
	}
	by.Aim(claim)
}

// drawn returns how far a frame of match time now is between the states before and
// after the newest command, which ended at stamp, and its platform time.
func (p *fixedTick[S, C]) drawn(now, stamp clock.Micros) (alpha float64, platform clock.Micros) {
	alpha = p.clock.InterpolationAlpha(now)
	return alpha, stamp - clock.Micros(float64(p.clock.Tick())*(1-alpha))
}

// happensOnce reports whether an input has one-time input: whether ClearOneTime changes it.
func (w *pendingInput[S, C]) happensOnce(in *C) bool {
	// As they are packed, because commands need not be comparable.
	w.held = *in
	w.rules.clearOneTime(&w.held)
	return !slices.Equal(w.packed(0, in), w.packed(1, &w.held))
}

// packed returns an input as it is sent.
func (w *pendingInput[S, C]) packed(side int, in *C) []byte {
	w.packer.Write(w.sides[side][:])
	w.rules.game.PackCommand(&w.packer, in, &w.none)
	return w.packer.Bytes()
}
