package shot

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Kind is how a weapon hits.
type Kind uint8

// The kinds of weapons.
const (
	// Rays hit at once: one ray or a fan of pellets.
	Rays Kind = iota
	// Melee sweeps a blade through an arc while the swing lasts.
	Melee
	// Projectile lets something fly, which hits or bursts later.
	Projectile
)

// Table is a match's weapons: the same on both ends (Append, ReadTable). A weapon is named
// by its index. It does not change while a match runs.
type Table []Weapon

// MaxWeapons is the most weapons of a table.
const MaxWeapons = 8

// Weapon is a weapon as data. Both ends hold the same table; a command names a weapon by
// its index there.
type Weapon struct {
	Name string
	Kind Kind

	Reach    float64      // metres that a ray goes, or a blade reaches from the eye
	Cooldown clock.Micros // between shots, at least 1 ms; between strikes, at least the swing
	Reload   clock.Micros // to fill the magazine
	Draw     clock.Micros // to have it ready after another
	Magazine uint8        // rounds when full; 0 needs none
	// Damage by what a part counts as. It is only ever taken from the server's own
	// table (HIT-10).
	Damage  [rig.Tags]uint16
	Falloff Falloff
	// Policy says which part counts where one target is met in several (GAP-53).
	Policy rewind.Policy

	Pellets uint8 // rays a shot, at most MaxPellets; 0 means 1
	Spread  Spread

	Swing  Swing
	Flight Ballistics
	Blast  Blast

	LagCompensation LagCompensation
}

// Falloff is how damage falls with distance: all of it up to From metres, Least of it, 0 …
// 1, from To on, in between on a straight line. To 0 is none.
type Falloff struct{ From, To, Least float64 }

// Spread is how far a weapon's rays go astray.
type Spread struct {
	// Cone is half the opening angle, in radians, that no ray leaves; 0 is none.
	Cone float64
	// Pattern is where the pellets go, one for each, in shares −1 … 1 of the cone to the right
	// and up, none further than 1 from the middle; nil draws each at random.
	Pattern [][2]float64
	// Secret has the server draw alone (THR-25): what the client shows until the
	// verdict is a guess. Otherwise both draw the same from what both know (LAG-05), and
	// a dishonest client can know it, too.
	Secret bool
}

// Swing is a melee weapon's.
type Swing struct {
	Arc    float64      // radians that the blade sweeps, from right to left, its middle the aim; 0 thrusts
	Tilt   float64      // radians by which the arc is turned about the aim
	Begins clock.Micros // after the command that strikes
	Lasts  clock.Micros
	Radius float64 // of the blade, metres
}

// Ballistics is how a projectile flies.
type Ballistics struct {
	Speed   float64 // m/s as it leaves
	Gravity float64 // m/s² downwards; 0 flies straight
	Radius  float64 // metres
	// Bounce is the share of the speed into a wall that it keeps, 0 … 1, and (1 + Bounce)/2
	// the share of the speed along it; 0 ends there. What bounces ends at a character all the
	// same. Slow, it rolls and comes to rest on floors, and rides on what moves.
	Bounce     float64
	Fuse       clock.Micros // for how long it flies at most, rounded down to whole FlightSteps
	EntityKind track.Kind   // of the thing that others see; 0 is none
}

// Blast is what happens where a projectile ends; Radius 0 is none.
type Blast struct {
	Radius float64 // metres from the middle to the nearest part of a body
	Inner  float64 // metres within which all of the damage is done
	Damage uint16
	Least  float64 // share of it at Radius, 0 … 1
	Self   float64 // share of it that the shooter takes, 0 … 1
	Push   float64 // m/s by which those whom it hurts most are pushed
}

// LagCompensation says how much a weapon favours who shoots over who is shot at (LAG-02, HIT-12,
// GAP-41). The zero Favour is that of the match.
type LagCompensation struct {
	// Cap is the longest round trip that is compensated; 0 means Limits.Cap.
	Cap clock.Micros
	// Beyond says what becomes of who is beyond it.
	Beyond Beyond
	// Cover is for how long at most somebody who has got behind cover can still be hit; 0
	// means Limits.Cover.
	Cover clock.Micros
	// Flight is against which past a projectile flies.
	Flight FlightTimeline
}

// Beyond says how a shot is judged whose round trip is longer than the cap.
type Beyond uint8

// What there is to choose from.
const (
	// BeyondMatch is Limits.Beyond.
	BeyondMatch Beyond = iota
	// Capped is judged at the oldest view that the cap allows.
	Capped
	// Present is judged as if there were no lag compensation (HIT-12).
	Present
)

// FlightTimeline says against which past a projectile flies.
type FlightTimeline uint8

// The leads.
const (
	// TimelineShooter has it meet everybody where its shooter sees them, all the way.
	TimelineShooter FlightTimeline = iota
	// TimelineFade begins like that and comes up to the present within 500 ms.
	TimelineFade
	// TimelinePresent flies among everybody as they are.
	TimelinePresent
)

// Rifle returns the first weapon: 100 m, a shot in 100 ms, 30 rounds, 2 s to
// reload, no spread, 25 to the body and 60 to the head.
func Rifle() Weapon {
	return Weapon{
		Name:     "rifle",
		Reach:    100,
		Cooldown: 100 * clock.Millisecond,
		Reload:   2 * clock.Second,
		Magazine: 30,
		Damage:   [rig.Tags]uint16{rig.Body: 25, rig.Head: 60, rig.Arm: 20, rig.Leg: 20},
		Policy:   rewind.HeadFirst,
	}
}
