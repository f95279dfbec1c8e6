package shot

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// maxTimer bounds Cooldown and Reload on the wire, on either side of zero.
const maxTimer = 60 * clock.Second

// Ammo is the state of one weapon of a character: part of the predicted state like position,
// stepped by the same commands on both ends and corrected with it. So the displayed count
// already includes shots that have not reached the server; it never flickers and is never
// negative (LAG-07 … 09, GAP-34). The zero Ammo is empty and reloads at its first step.
type Ammo struct {
	// Rounds is the number of rounds in the magazine.
	Rounds uint8
	// Cooldown is the time until the next shot. Below zero it is the time since the weapon was
	// ready, which counts while the trigger is held.
	Cooldown clock.Micros
	// Reload is the time until the magazine is full; zero means not reloading.
	Reload clock.Micros
}

// FullAmmo returns a full magazine, ready to fire. A weapon without a magazine always has one round.
func FullAmmo(w *Weapon) Ammo { return Ammo{Rounds: max(w.Magazine, 1)} }

// Step simulates one command of duration d and reports whether it fired. The shot leaves at the
// start of the command; then time passes. A reload begins on request if the magazine is not full,
// and automatically if it is empty; no shot is fired before it ends.
//
// While the trigger is held, shots have the weapon's rate on average, although they can only leave
// at the start of a command: the delay of a shot, up to a quarter of the cooldown, is taken off
// the next cooldown. So in any time t at most t/Cooldown + 1.25 shots are fired, rounded down.
func (a *Ammo) Step(w *Weapon, fire, reload bool, d clock.Micros) (fired bool) {
	if fired = fire && a.Ready(); fired {
		if w.Magazine != 0 {
			a.Rounds--
		}
		a.Cooldown += w.Cooldown
	}
	if !fire {
		a.Cooldown = max(a.Cooldown, 0)
	}
	if a.Reload == 0 && (a.Rounds == 0 || reload && a.Rounds < w.Magazine) {
		a.Reload = max(w.Reload, 1)
	}
	a.pass(w, d)
	return fired
}

// Ready reports whether the next Step would fire.
func (a *Ammo) Ready() bool { return a.Rounds > 0 && a.Reload == 0 && a.Cooldown <= 0 }

// pass advances the timers by d.
func (a *Ammo) pass(w *Weapon, d clock.Micros) {
	// At most a quarter of the cooldown is saved up: more would let a player that holds the trigger
	// at a low frame rate fire two shots at once.
	a.Cooldown = max(a.Cooldown-d, -w.Cooldown/4)
	if a.Reload == 0 {
		return
	}
	a.Cooldown = max(a.Cooldown, 0)
	if a.Reload -= d; a.Reload <= 0 {
		a.Reload, a.Rounds = 0, max(w.Magazine, 1)
	}
}

// rest advances the cooldown by d for a weapon that is not held.
func (a *Ammo) rest(d clock.Micros) { a.Cooldown = max(a.Cooldown-d, 0) }

// Pack packs a without loss, as corrections need it. Times beyond a minute are bits.ErrRange.
func (a *Ammo) Pack(p *bits.Packer) {
	p.Byte(&a.Rounds)
	packTimer(p, &a.Cooldown, -maxTimer)
	packTimer(p, &a.Reload, 0)
}

// packTimer packs a time of least … maxTimer.
func packTimer(p *bits.Packer, t *clock.Micros, least clock.Micros) {
	n := int64(*t)
	p.Varint(&n)
	if n < int64(least) || n > int64(maxTimer) {
		p.Fail(bits.ErrRange)
		n = 0
	}
	*t = clock.Micros(n)
}
