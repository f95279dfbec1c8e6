package movement

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
)

// Pack packs the command as a difference to the one before it in the same packet (a
// zero Command for the first), shorter the more usual the difference is. Only
// quantised commands survive unchanged, and every difference has one encoding.
//
//	0                       nothing changed
//	10 · sign 1 · steps 9   the yaw alone, by 1 … 512 steps of 2π/65,536
//	110 · yaw · pitch       the view alone
//	111 · jump 1 · crouch 1 · axes · rest · yaw · pitch
//
// The rest is 0 as before, or 1, sprint 1 and 0, or 1 and up 8 and request. Where that
// says that nothing changed, buttons 8 follow, sprint 1 and 0, or 1 and up 8 and request.
//
// An angle is 00 as before; 01, sign and 5 bits, 1 … 32 steps off; 10, sign and 9 bits,
// 33 … 544 steps off; or 11 and 16 bits. Axes are 0 as before, 10 and 4 bits for the
// nine directions that keys make, or 11 and 16 bits.
func (c *Command) Pack(p *bits.Packer, before *Command) {
	kind := same
	if p.Clamps() {
		c.Quantise()
	}
	if p.Writing() {
		kind = c.changed(before)
	} else {
		*c = *before
	}
	kind.pack(p)
	switch kind {
	case turned:
		swing.pack(p, &c.Yaw, before.Yaw)
	case looked:
		packAngle(p, &c.Yaw, before.Yaw)
		packAngle(p, &c.Pitch, before.Pitch)
	case changed:
		p.Bool(&c.Jump)
		p.Bool(&c.Crouch)
		c.packAxes(p, before)
		c.packRest(p, before)
		packAngle(p, &c.Yaw, before.Yaw)
		packAngle(p, &c.Pitch, before.Pitch)
	}
	if !p.Writing() && kind > turned { // a turn by steps is never none
		canonical(p, c.changed(before) == kind)
	}
}

// change says which part of a command differs from the one before it.
type change int

// The changes, the most usual first.
const (
	same    change = iota
	turned         // the yaw alone, and not far
	looked         // the view alone
	changed        // anything
)

// changed returns which part of c differs from before.
func (c *Command) changed(before *Command) change {
	if *c == *before {
		return same
	}
	rest := *c
	rest.Yaw, rest.Pitch = before.Yaw, before.Pitch
	switch {
	case rest != *before:
		return changed
	case c.Pitch == before.Pitch && swing.reaches(stepsTo(c.Yaw, before.Yaw)):
		return turned
	}
	return looked
}

// pack packs the change in one to three bits.
func (k *change) pack(p *bits.Packer) {
	for n := same; n < changed; n++ {
		more := *k > n
		if p.Bool(&more); !more {
			*k = n
			return
		}
	}
	*k = changed
}

// packAxes packs Forward and Right.
func (c *Command) packAxes(p *bits.Packer, before *Command) {
	if !differs(p, c.Forward != before.Forward || c.Right != before.Right) {
		return
	}
	if key, byKeys := c.keys(); differs(p, !byKeys) {
		packInput(p, &c.Forward)
		packInput(p, &c.Right)
		_, byKeys = c.keys()
		canonical(p, !byKeys)
	} else {
		p.Ranged(&key, 0, 8)
		c.Forward, c.Right = float64(key/3-1), float64(key%3-1)
	}
	canonical(p, c.Forward != before.Forward || c.Right != before.Right)
}

// keys numbers the nine directions that four keys make, 0 … 8, and reports whether
// the axes are one of them.
func (c *Command) keys() (key int, ok bool) {
	f, r := inputStep(c.Forward), inputStep(c.Right)
	return 3*(f/inputSteps+1) + r/inputSteps + 1, f%inputSteps|r%inputSteps == 0
}

// packRest packs what only sprinting, a game's own buttons, swimming, flying and bots use.
// An announced change of neither Sprint nor steering stands for the buttons, because it has no other meaning.
func (c *Command) packRest(p *bits.Packer, before *Command) {
	steered := c.Up != before.Up || c.Request != before.Request
	pressed := c.Buttons != before.Buttons
	if !differs(p, pressed || steered || c.Sprint != before.Sprint) {
		return
	}
	sprint := c.Sprint
	if pressed {
		sprint = before.Sprint
	}
	p.Bool(&sprint)
	some := differs(p, steered && !pressed)
	if sprint == before.Sprint && !some {
		p.Byte(&c.Buttons)
		canonical(p, c.Buttons != before.Buttons)
		p.Bool(&c.Sprint)
		some = differs(p, steered)
	} else {
		c.Sprint = sprint
	}
	if some {
		packInput(p, &c.Up)
		p.Vec(&c.Request, requestScale)
		canonical(p, c.Up != before.Up || c.Request != before.Request)
	}
}

// differs packs whether something changed and returns what the packet says.
func differs(p *bits.Packer, changed bool) bool {
	p.Bool(&changed)
	return changed
}

// canonical fails a non-canonical encoding: one that announces a change and then
// changes nothing, or has a shorter form. So every command has one encoding.
func canonical(p *bits.Packer, ok bool) {
	if !ok {
		p.Fail(bits.ErrRange)
	}
}

// packInput packs one axis as −127 … 127.
func packInput(p *bits.Packer, v *float64) {
	n := inputStep(*v)
	p.Ranged(&n, -inputSteps, inputSteps)
	*v = float64(n) / inputSteps
}

// angleStep in radians is the grid of angles, 65,536 a turn.
const angleStep = 2 * math.Pi / (1 << 16)

// span is a range of differences between angles that has a form of its own: in either
// direction, the most differences that follow beyond steps.
type span struct{ beyond, most int }

var (
	swing = span{0, 512}  // of a yaw that turns alone: 200°/s at 72 moves a second
	fine  = span{0, 32}   // of either angle
	wide  = span{32, 512} // of either angle, further
)

// reaches reports whether n steps are of the span.
func (s span) reaches(n int) bool {
	n = max(n, -n) - s.beyond
	return n >= 1 && n <= s.most
}

// pack packs an angle that is that far from the one before.
func (s span) pack(p *bits.Packer, v *float64, before float64) {
	n := 0
	if p.Writing() {
		n = stepsTo(*v, before)
	}
	down := n < 0
	n = max(n, -n)
	p.Bool(&down)
	p.Ranged(&n, s.beyond+1, s.beyond+s.most)
	if down {
		n = -n
	}
	*v = bits.SnapAngle16(before + float64(float64(n)*angleStep))
}

// stepsTo returns how many steps of the grid lead from before to v, the shorter way.
func stepsTo(v, before float64) int {
	way := geom.WrapAngle(bits.SnapAngle16(v) - bits.SnapAngle16(before))
	return int(math.Floor(way/angleStep + 0.5))
}

// packAngle packs an angle as a difference to the one before.
func packAngle(p *bits.Packer, v *float64, before float64) {
	kind := 0
	if p.Writing() {
		kind = angleKind(p, *v, before)
	}
	p.Ranged(&kind, 0, 3)
	switch kind {
	case 0:
		*v = before
	case 1:
		fine.pack(p, v, before)
	case 2:
		wide.pack(p, v, before)
	case 3:
		p.Angle16(v)
		canonical(p, angleKind(p, *v, before) == 3)
	}
}

// angleKind returns which form an angle has.
func angleKind(p *bits.Packer, v, before float64) int {
	if !geom.Finite(v) {
		p.Fail(bits.ErrNotFinite)
		return 0
	}
	switch n := stepsTo(v, before); {
	case n == 0:
		return 0
	case fine.reaches(n):
		return 1
	case wide.reaches(n):
		return 2
	}
	return 3
}
