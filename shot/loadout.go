package shot

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// WeaponInput is the weapon part of a command.
type WeaponInput struct {
	Fire   bool // the trigger is held, or a melee weapon strikes
	Reload bool // start a reload
	// Select is the weapon to switch to, counted from 1; 0 keeps the one that is held.
	Select uint8
}

// Trigger is the weapon part of a command, for commands to embed. Claim.Fire is the held trigger:
// the client clears it where nothing can be fired, and aims the shot where it can.
type Trigger struct {
	Claim  Claim // the shot that the command carries
	Reload bool  // start a reload
	// Select is the weapon to switch to, counted from 1, at most MaxWeapons; 0 keeps the one
	// that is held.
	Select uint8
}

// Firing returns t: package character finds the trigger of a command that embeds it.
func (t *Trigger) Firing() *Trigger { return t }

// Input returns what Loadout.Step takes of the trigger.
func (t *Trigger) Input() WeaponInput {
	return WeaponInput{Fire: t.Claim.Fire, Reload: t.Reload, Select: t.Select}
}

// Pack packs the trigger: one bit where nothing happens.
func (t *Trigger) Pack(p *bits.Packer) {
	some := t.Claim.Fire || t.Reload || t.Select != 0
	if p.Bool(&some); !some {
		*t = Trigger{}
		return
	}
	t.Claim.Pack(p)
	p.Bool(&t.Reload)
	n := int(t.Select)
	p.Ranged(&n, 0, MaxWeapons)
	if t.Select = uint8(n); !p.Writing() && *t == (Trigger{}) {
		p.Fail(bits.ErrRange) // one bit says so
	}
}

// FireResult says whether a command fired, as the game simulated it.
type FireResult struct {
	// Fired reports that there is a shot to judge: a round left the weapon, or a melee weapon
	// struck or was moving through its arc.
	Fired bool
	// Weapon is the index of the weapon that was held.
	Weapon uint8
	// Swing numbers the swings of a melee weapon, so that each hits a target once. From and To
	// are the part of the arc that the command covers, 0 … 1: those of one swing make up the
	// whole arc, however it is divided into commands. Both are 0 for a strike before the active
	// part.
	Swing    uint8
	From, To float64
}

// BeginsSwing reports whether a swing of a melee weapon begins with the command.
func (u *FireResult) BeginsSwing(w *Weapon) bool {
	return u.From == 0 && (u.To == 0 || w.Swing.Begins == 0)
}

// Loadout is the state of a character's weapons: part of the predicted state, stepped by the same
// commands on both ends. All times are whole microseconds and pass alike at every frame rate. The
// zero Loadout holds the first weapon of a table, empty; see Table.Loadout.
type Loadout struct {
	Held uint8 // index of the held weapon
	// Next is the weapon to switch to once the swing is over, counted from 1; 0 is none.
	Next uint8
	// Swings counts strikes, and wraps.
	Swings uint8
	// Deploy is the time until the held weapon is ready.
	Deploy clock.Micros
	// Swing is the time until the current swing is over, 0 for none. Swept is how much of its
	// active part commands have covered so far. ClaimDue says that the next command covers the
	// part that has passed since.
	Swing, Swept clock.Micros
	ClaimDue     bool
	Ammo         [MaxWeapons]Ammo // by index
}

// Armament returns a: package character finds the weapons of a state that embeds it.
func (a *Loadout) Armament() *Loadout { return a }

// Loadout returns a loadout with every weapon of the table full and the first one held and ready.
func (t Table) Loadout() (a Loadout) {
	for i := range t {
		a.Ammo[i] = FullAmmo(&t[i])
	}
	return a
}

// Ready reports whether the next Step would fire or strike: the held weapon is deployed and loaded,
// and no swing is under way.
func (a *Loadout) Ready() bool {
	return a.Deploy == 0 && a.Swing == 0 && a.Held < MaxWeapons && a.Ammo[a.Held].Ready()
}

// Claims reports whether a command that begins now, with the trigger held or not, has a shot to
// claim: its FireResult will be Fired. A swing continues once it began, so the commands in its
// active part have claims whatever the trigger does: each of them, or at high frame rates every
// second, third or fourth, which covers the part of the others too.
func (a *Loadout) Claims(t Table, fire bool) bool {
	if a.Swing > 0 {
		return a.ClaimDue && int(a.Held) < len(t)
	}
	return fire && a.Ready() && int(a.Held) < len(t)
}

// Step simulates one command of duration d. A shot leaves at its beginning, then the weapon is
// switched, then time passes. A weapon that is put away cancels its reload and keeps its cooldown.
// A switch during a swing happens after the swing. A held index beyond the table becomes 0; with
// an empty table nothing is fired.
func (a *Loadout) Step(t Table, w WeaponInput, d clock.Micros) FireResult {
	if len(t) == 0 {
		return FireResult{}
	}
	if int(a.Held) >= len(t) {
		a.Held, a.Swing, a.Swept, a.ClaimDue = 0, 0, 0, false
	}
	before := *a
	weapon, ready := &t[a.Held], a.Deploy == 0 && a.Swing == 0
	ammo := &a.Ammo[a.Held]
	switch {
	// A weapon that is being deployed neither fires nor reloads, and its cooldown goes on.
	case a.Deploy > 0:
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
		a.swing(&weapon.Swing, d, before.ClaimDue || before.Swing == 0 && weapon.Swing.Begins == 0)
	}
	a.switchWeapon(t, w.Select, &before)
	a.Deploy = max(a.Deploy-d, 0)
	return DeriveFireResult(t, &before, a, w)
}

// minSweep is the least part of a swing that a claim covers: 12 ms, so there is one claim for each
// frame at up to 80 frames a second.
const minSweep = 12 * clock.Millisecond

// swing advances a swing by d, in a command that covers the arc up to its end or covers nothing. A
// swing is not over before all of it is covered, by commands that begin in its active part. The
// next one is due if it, assumed as long as this one, covers enough or would be the last.
func (a *Loadout) swing(s *Swing, d clock.Micros, covers bool) {
	left := a.Swing - d
	switch {
	case !covers:
		// At least 1 µs is left: a swing that ended without a covering command would hit nothing.
		a.Swing = max(left, 1)
	case left <= 0:
		a.Swing, a.Swept, a.ClaimDue = 0, 0, false
		return
	default:
		a.Swing, a.Swept = left, max(s.Lasts-left, 0)
	}
	// At high frame rates one claim covers several commands: a claim in each would cost more bits
	// than the moves.
	open := s.Lasts - a.Swing - a.Swept
	a.ClaimDue = a.Swing <= s.Lasts && (open+d >= minSweep || a.Swing <= d)
}

// switchWeapon switches to the selected weapon, unless a swing began before the command or with it.
func (a *Loadout) switchWeapon(t Table, selected uint8, before *Loadout) {
	if selected != 0 && int(selected) <= len(t) {
		a.Next = selected
	}
	if int(a.Next) > len(t) {
		a.Next = 0
	}
	if a.Next == 0 || before.Swing > 0 || a.Swings != before.Swings {
		return
	}
	// Selecting the weapon in hand deploys it no second time.
	if next := a.Next - 1; next != a.Held {
		a.Ammo[a.Held].Reload = 0
		a.Held, a.Deploy = next, t[next].Deploy
	}
	a.Next = 0
}

// DeriveFireResult returns the result of the Step that led from before to after.
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

// share returns a part of a time, 0 … 1.
func share(part, of clock.Micros) float64 { return min(float64(part)/float64(max(of, 1)), 1) }

// Digest returns a hash of what must agree exactly on both ends, for Game.Digest: the held and the
// selected weapon, rounds, and whether a weapon is being deployed, swung or reloaded.
func (a *Loadout) Digest() uint16 {
	h := uint32(2166136261)
	mix := func(b uint8) { h = (h ^ uint32(b)) * 16777619 }
	mix(a.Held | a.Next<<4)
	mix(a.Swings)
	mix(bit(a.Deploy > 0) | bit(a.Swing > 0)<<1 | bit(a.Ammo[a.Held&(MaxWeapons-1)].Reload > 0)<<2)
	for i := range a.Ammo {
		mix(a.Ammo[i].Rounds)
	}
	return uint16(h) ^ uint16(h>>16)
}

// bit returns 1 for true.
func bit(yes bool) uint8 {
	if yes {
		return 1
	}
	return 0
}

// CanCombine reports whether a command without weapon input, which led from a to between, may be
// combined with another one without to one of duration d (rows CMB): one step gives the same
// loadout as the two, bit for bit. In the active part of a swing it may not, since each command
// covers a part of the arc.
func (a *Loadout) CanCombine(t Table, between *Loadout, d clock.Micros) bool {
	swings := a.Swing > 0 && (int(a.Held) >= len(t) || a.Swing-d <= t[a.Held].Swing.Lasts)
	return !swings && a.Next == 0 && a.Digest() == between.Digest()
}

// Pack packs a without loss, as corrections need it. An index beyond MaxWeapons, and times beyond
// a minute, are bits.ErrRange.
func (a *Loadout) Pack(p *bits.Packer) {
	packEnum(p, &a.Held, MaxWeapons-1)
	packEnum(p, &a.Next, MaxWeapons)
	p.Byte(&a.Swings)
	packTimer(p, &a.Deploy, 0)
	packTimer(p, &a.Swing, 0)
	packTimer(p, &a.Swept, 0)
	p.Bool(&a.ClaimDue)
	for i := range a.Ammo {
		some := a.Ammo[i] != (Ammo{})
		p.Bool(&some)
		switch {
		case some:
			a.Ammo[i].Pack(p)
			if a.Ammo[i] == (Ammo{}) {
				p.Fail(bits.ErrRange) // the one-bit form exists
			}
		case !p.Writing():
			a.Ammo[i] = Ammo{}
		}
	}
}
