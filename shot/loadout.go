package shot

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// WeaponInput is what a command wants of the arms.
type WeaponInput struct {
	Fire   bool // the trigger is held, or a blade is to strike
	Reload bool
	// Select is the weapon to take in hand, counted from 1; 0 leaves the one that is there.
	Select uint8
}

// FireResult is what became of a command's wish to shoot, as the game simulated it.
type FireResult struct {
	// Fired is whether there is a shot to judge: a round left the weapon, or a blade struck
	// or was on its way through the arc.
	Fired bool
	// Weapon is the one that was in hand.
	Weapon uint8
	// Swing numbers a melee weapon's swing, so that each meets everybody once, and From and
	// To are which part of its arc the command covers, 0 … 1: those of one swing make the
	// whole arc, however it is cut into commands. Of a strike whose blade is not on its way
	// at once both are 0.
	Swing    uint8
	From, To float64
}

// Loadout is what a character has in hands and on the back: part of the predicted state,
// stepped by the same commands on both ends, each weapon's Ammo in it. All times are whole
// microseconds and pass the same at every frame rate. The zero Arms is a table's first
// weapon, empty; see Table.Loadout.
type Loadout struct {
	Held uint8 // index of the weapon in hand
	// Next is the weapon to take in hand once the swing is over, counted from 1; 0 is none.
	Next uint8
	// Swings counts strikes, and wraps.
	Swings uint8
	// Draw is the time until the weapon in hand is ready.
	Draw clock.Micros
	// Swing is the time until a swing that has begun is over, 0 for none, and Swept how much
	// of its active part commands have covered so far. Due says that the next command covers
	// what has passed since.
	Swing, Swept clock.Micros
	Due          bool
	Ammo         [MaxWeapons]Ammo
}

// Loadout returns arms with every weapon of the table full, and the first in hand, ready.
func (t Table) Loadout() (a Loadout) {
	for i := range t {
		a.Ammo[i] = FullAmmo(&t[i])
	}
	return a
}

// Ready reports whether the next Step would fire, or strike: the weapon in hand is drawn
// and loaded, and no blade is on its way.
func (a *Loadout) Ready() bool {
	return a.Draw == 0 && a.Swing == 0 && a.Held < MaxWeapons && a.Ammo[a.Held].Ready()
}

// Claims reports whether a command that begins now has a shot to claim, with the trigger
// held or not: its Use will be Fired. A swing goes on by itself once struck, so the commands
// of its active part do whatever the trigger does: each of them, and at high frame rates
// every second, third or fourth, which covers the others' part, too.
func (a *Loadout) Claims(t Table, fire bool) bool {
	if a.Swing > 0 {
		return a.Due && int(a.Held) < len(t)
	}
	return fire && a.Ready() && int(a.Held) < len(t)
}

// Step simulates one command of duration d. What is fired leaves at its beginning, then
// another weapon is taken in hand, then time passes. A weapon that is put away forgets that
// it was being reloaded; its cool-down goes on. One that is asked for during a swing is taken
// after it. What is in hand and not in the table becomes its first weapon; of an empty table
// nothing is fired.
func (a *Loadout) Step(t Table, w WeaponInput, d clock.Micros) FireResult {
	if len(t) == 0 {
		return FireResult{}
	}
	if int(a.Held) >= len(t) {
		a.Held, a.Swing, a.Swept, a.Due = 0, 0, 0, false
	}
	before := *a
	weapon, ready := &t[a.Held], a.Draw == 0 && a.Swing == 0
	ammo := &a.Ammo[a.Held]
	switch {
	case a.Draw > 0:
		ammo.rest(d)
	case ammo.Step(weapon, w.Fire && ready, w.Reload && ready, d) && weapon.Kind == Melee:
		a.Swing, a.Swings = weapon.Swing.Begins+weapon.Swing.Lasts, a.Swings+1
	}
	if !w.Fire {
		ammo.Cooldown = max(ammo.Cooldown, 0)
	}
	for i := range t {
		if i != int(before.Held) {
			a.Ammo[i].rest(d)
		}
	}
	if a.Swing > 0 {
		a.swing(&weapon.Swing, d, before.Due || before.Swing == 0 && weapon.Swing.Begins == 0)
	}
	a.choose(t, w.Select, &before)
	a.Draw = max(a.Draw-d, 0)
	return DeriveFireResult(t, &before, a, w)
}

// leastPart is how much of a swing the claims of high frame rates cover at least: 12 ms, so
// that those of 80 frames a second and less have one for each frame.
const leastPart = 12 * clock.Millisecond

// swing lets d pass of a swing, in a command that covers its arc up to its end or does not.
// A swing is not over before all of it is covered, and it is covered by commands that begin
// in its active part: the next one is Due if, with that as long as this one, there is enough
// to cover, or nothing would be left.
func (a *Loadout) swing(s *Swing, d clock.Micros, covers bool) {
	left := a.Swing - d
	switch {
	case !covers:
		a.Swing = max(left, 1)
	case left <= 0:
		a.Swing, a.Swept, a.Due = 0, 0, false
		return
	default:
		a.Swing, a.Swept = left, max(s.Lasts-left, 0)
	}
	open := s.Lasts - a.Swing - a.Swept
	a.Due = a.Swing <= s.Lasts && (open+d >= leastPart || a.Swing <= d)
}

// choose takes in hand what was asked for, if no swing began before it or with it.
func (a *Loadout) choose(t Table, selected uint8, before *Loadout) {
	if selected != 0 && int(selected) <= len(t) {
		a.Next = selected
	}
	if int(a.Next) > len(t) {
		a.Next = 0
	}
	if a.Next == 0 || before.Swing > 0 || a.Swings != before.Swings {
		return
	}
	if next := a.Next - 1; next != a.Held {
		a.Ammo[a.Held].Reload = 0
		a.Held, a.Draw = next, t[next].Draw
	}
	a.Next = 0
}

// DeriveFireResult returns what Step returned for the command that led from before to after.
func DeriveFireResult(t Table, before, after *Loadout, w WeaponInput) FireResult {
	u := FireResult{Fired: before.Claims(t, w.Fire), Weapon: before.Held}
	if !u.Fired || t[before.Held].Kind != Melee {
		return u
	}
	weapon := &t[before.Held]
	u.Swing = after.Swings
	if before.Swing == 0 && weapon.Swing.Begins > 0 {
		return u
	}
	u.To = 1
	if after.Swing > 0 {
		u.To = share(after.Swept, weapon.Swing.Lasts)
	}
	u.From = min(share(before.Swept, weapon.Swing.Lasts), u.To)
	return u
}

// share is a part of a time, 0 … 1.
func share(part, of clock.Micros) float64 { return min(float64(part)/float64(max(of, 1)), 1) }

// Digest sums up what must agree exactly on both ends, for Game.Digest: what is in hand and
// what is to be, rounds, and whether a weapon is being drawn, swung or reloaded.
func (a *Loadout) Digest() uint16 {
	h := uint32(2166136261)
	mix := func(b uint8) { h = (h ^ uint32(b)) * 16777619 }
	mix(a.Held | a.Next<<4)
	mix(a.Swings)
	mix(bit(a.Draw > 0) | bit(a.Swing > 0)<<1 | bit(a.Ammo[a.Held&(MaxWeapons-1)].Reload > 0)<<2)
	for i := range a.Ammo {
		mix(a.Ammo[i].Rounds)
	}
	return uint16(h) ^ uint16(h>>16)
}

func bit(yes bool) uint8 {
	if yes {
		return 1
	}
	return 0
}

// Combines reports whether a command that wants nothing of the arms, and led from start to
// between, may become part of a longer one that does not, either (rows CMB): the one step
// gives the same arms as the two, bit for bit.
func (a *Loadout) Combines(between *Loadout) bool {
	return a.Swing == 0 && a.Next == 0 && a.Digest() == between.Digest()
}

// Pack packs a without loss, as a correction needs it. A weapon that cannot be in a table,
// and times beyond a minute, are bits.ErrRange.
func (a *Loadout) Pack(p *bits.Packer) {
	packEnum(p, &a.Held, MaxWeapons-1)
	packEnum(p, &a.Next, MaxWeapons)
	p.Byte(&a.Swings)
	packWait(p, &a.Draw, 0)
	packWait(p, &a.Swing, 0)
	packWait(p, &a.Swept, 0)
	p.Bool(&a.Due)
	for i := range a.Ammo {
		some := a.Ammo[i] != (Ammo{})
		p.Bool(&some)
		switch {
		case some:
			a.Ammo[i].Pack(p)
			if a.Ammo[i] == (Ammo{}) {
				p.Fail(bits.ErrRange) // one bit says so
			}
		case !p.Writing():
			a.Ammo[i] = Ammo{}
		}
	}
}
