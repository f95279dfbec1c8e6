package shot

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// maxWait bounds Cooldown and Reload as they travel, either side of zero.
const maxWait = 60 * clock.Second

// Ammo is one weapon's state in a character's hands: part of the predicted state
// like position, stepped by the same commands on both ends and corrected with it.
// So what is displayed is the server's count less the shots it has not seen yet,
// it never flickers and is never negative (LAG-07 … 09, GAP-34). The zero Ammo is
// empty and reloads at its first step.
type Ammo struct {
	Rounds uint8
	// Cooldown is the time until the next shot. Below zero is time since it was
	// ready, kept while the trigger is held.
	Cooldown clock.Micros
	// Reload is the time until the magazine is full; zero means not reloading.
	Reload clock.Micros
}

// FullAmmo returns a full magazine, ready to fire. A weapon that needs no rounds has one for ever.
func FullAmmo(w *Weapon) Ammo { return Ammo{Rounds: max(w.Magazine, 1)} }

// Step simulates one command of duration d and reports whether it fired. The
// shot leaves at the command's start; then time passes. A reload begins when it
// is asked for and the magazine is not full, or by itself when it is empty; no
// shot is fired before it ends.
//
// While the trigger is held, shots come at the weapon's rate on average although
// commands begin when they do: what a shot came late, up to a quarter of the
// cool-down, the next may come early. So in any time t at most
// t/Cooldown + 1.25 shots are fired, rounded down.
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

// pass lets d pass.
func (a *Ammo) pass(w *Weapon, d clock.Micros) {
	a.Cooldown = max(a.Cooldown-d, -w.Cooldown/4)
	if a.Reload == 0 {
		return
	}
	a.Cooldown = max(a.Cooldown, 0)
	if a.Reload -= d; a.Reload <= 0 {
		a.Reload, a.Rounds = 0, max(w.Magazine, 1)
	}
}

// rest lets d pass of a weapon that is not in hand.
func (a *Ammo) rest(d clock.Micros) { a.Cooldown = max(a.Cooldown-d, 0) }

// Pack packs a without loss, as a correction needs it. Times beyond a minute are
// bits.ErrRange.
func (a *Ammo) Pack(p *bits.Packer) {
	p.Byte(&a.Rounds)
	packWait(p, &a.Cooldown, -maxWait)
	packWait(p, &a.Reload, 0)
}

func packWait(p *bits.Packer, t *clock.Micros, least clock.Micros) {
	n := int64(*t)
	p.Varint(&n)
	if n < int64(least) || n > int64(maxWait) {
		p.Fail(bits.ErrRange)
		n = 0
	}
	*t = clock.Micros(n)
}
