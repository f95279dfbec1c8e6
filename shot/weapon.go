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
	// Hitscan hits at once: one ray or several pellets.
	Hitscan Kind = iota
	// Melee sweeps a blade through an arc while the swing lasts.
	Melee
	// Projectile launches a projectile, which hits or detonates later.
	Projectile
)

var kindNames = [...]string{"hitscan", "melee", "projectile"}

// String returns the word for a kind in weapon files, recordings and a page's View.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown kind"
}

// Table has the weapons of a match, the same on both ends (Append, ReadTable). A weapon is
// identified by its index. A table does not change during a match.
type Table []Weapon

// MaxWeapons is the most weapons of a table.
const MaxWeapons = 8

// Weapon is one weapon, as plain data.
type Weapon struct {
	Name string // 1 … MaxName bytes
	Kind Kind   // how it hits

	Range    float64      // metres, from the eye: 0.1 … MaxRange; 0 for a projectile
	Cooldown clock.Micros // between shots, 1 ms … 60 s; between strikes, at least the swing
	Reload   clock.Micros // to fill the magazine, 0 … 60 s
	Deploy   clock.Micros // after a switch to it before it fires, 0 … 60 s
	Magazine uint8        // rounds when full; 0 needs no rounds
	// Damage is the damage in points by the hit group of the hitbox that is hit. Only the server's own
	// table counts (HIT-10).
	Damage  [rig.HitGroups]uint16
	Falloff Falloff
	// Policy says which hitbox counts where one ray hits several of one target (GAP-53).
	Policy rewind.Policy

	Pellets uint8  // rays a shot, at most MaxPellets; 0 means 1
	Spread  Spread // directions of the rays

	Swing  Swing      // of a melee weapon
	Flight Ballistics // of a projectile
	Blast  Blast      // where a projectile ends; the zero Blast is none

	LagCompensation LagCompensation // how shots are judged in the past
}

// Falloff reduces damage with distance. The zero Falloff does not.
type Falloff struct {
	// From is the distance up to which the damage is full. From the distance To on it is the share
	// Min, 0 … 1, and linear in between. Distances are in metres, 0 … MaxRange, From at most To.
	// With To 0 there is no falloff.
	From, To, Min float64
}

// Spread deflects the rays of a weapon from the aim.
type Spread struct {
	// Cone is half of the opening angle, in radians, 0 … MaxCone; 0 is no spread.
	Cone float64
	// Pattern has the direction of each pellet, in shares −1 … 1 of the cone to the right and
	// up, at most 1 from the middle; nil makes them random.
	Pattern [][2]float64
	// Secret uses the server's own seed (THR-25): the client shows a guess until the
	// verdict. Otherwise both ends use the seed of the match (LAG-05), which a cheat can use to
	// predict the spread.
	Secret bool
}

// Swing is the swing of a melee weapon.
type Swing struct {
	Arc    float64      // radians swept from right to left, centred on the aim; 0 is a thrust
	Tilt   float64      // radians by which the arc is rotated about the aim
	Begins clock.Micros // time from the start of the strike to the active part
	Lasts  clock.Micros // duration of the active part
	Radius float64      // of the swept volume, metres
}

// Ballistics is the flight of a projectile.
type Ballistics struct {
	Speed   float64 // m/s at launch, 0.1 … MaxSpeed
	Gravity float64 // m/s² downwards, 0 … 100; 0 flies straight
	Radius  float64 // metres, 0 … 2
	// Bounce is the restitution, 0 … 1: the share of the speed into a surface that is kept. Of
	// the speed along it (1 + Bounce)/2 is kept. With 0 the flight ends at the first surface.
	// It always ends at a character. A slow projectile rolls, comes to rest on floors, and
	// moves with a mover that it rests on.
	Bounce     float64
	Fuse       clock.Micros // longest flight, FlightStep … MaxFuse, rounded down to whole FlightSteps
	EntityKind track.Kind   // of the entity that others see; 0 is none
}

// Blast is the explosion at the end of a flight; with Radius 0 there is none.
type Blast struct {
	Radius float64 // metres from the centre to the nearest hitbox of a target, 0 … MaxBlast
	Inner  float64 // metres within which the damage is full, 0 … Radius
	Damage uint16  // points
	Min    float64 // share of it at Radius, 0 … 1
	Self   float64 // share of it that the shooter takes, 0 … 1
	Push   float64 // m/s, the impulse at full damage, 0 … 100: for the game, which pushes in its OnShot
}

// LagCompensation is the policy of a weapon between favouring the shooter and favouring the target
// (LAG-02, HIT-12, GAP-41). The zero value is the policy of the match.
type LagCompensation struct {
	// MaxRewind is the longest time into the past at which shots of this weapon are judged, 0 … 1 s.
	// Zero means Limits.MaxRewind, which also counts where it is smaller.
	MaxRewind clock.Micros
	// Beyond selects how shots into older views are judged. Zero means Limits.Beyond.
	Beyond Beyond
	// Cover is the longest time for which a target behind cover can still be hit, 0 … 1 s.
	// Zero means Limits.Cover.
	Cover clock.Micros
	// Flight selects the instants at which a projectile tests characters. Zero means
	// TimelineShooter.
	Flight FlightTimeline
}

// Beyond selects how a shot into a view older than MaxRewind is judged.
type Beyond uint8

// The choices of Beyond.
const (
	// BeyondMatch is Limits.Beyond.
	BeyondMatch Beyond = iota
	// Capped judges it at exactly MaxRewind.
	Capped
	// Present judges it without lag compensation, also where the round trip alone is longer: a
	// ping limit (HIT-12).
	Present
)

// FlightTimeline selects the instants at which a projectile tests characters.
type FlightTimeline uint8

// The timelines.
const (
	// TimelineShooter tests characters where the shooter sees them, for the whole flight.
	TimelineShooter FlightTimeline = iota
	// TimelineFade begins like TimelineShooter and reaches the present within 500 ms.
	TimelineFade
	// TimelinePresent tests characters at the present.
	TimelinePresent
)

// Rifle returns a simple weapon: 100 m, one shot in 100 ms, 30 rounds, 2 s to reload, no spread,
// damage 25 to the body and 60 to the head.
func Rifle() Weapon {
	return Weapon{
		Name:     "rifle",
		Range:    100,
		Cooldown: 100 * clock.Millisecond,
		Reload:   2 * clock.Second,
		Magazine: 30,
		Damage:   [rig.HitGroups]uint16{rig.Body: 25, rig.Head: 60, rig.Arm: 20, rig.Leg: 20},
		Policy:   rewind.HeadFirst,
	}
}
