package shot

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// Flight is a projectile in flight: plain data, advanced by the same code on the shooter's client
// at once and on the server, which catches up when the command arrives.
type Flight struct {
	Shooter track.ID // the character that fired it, which it does not hit
	Shot    uint32   // number of the command that fired it
	Weapon  uint8    // index in the table
	// Fired is the shooter's platform time at which it left; Steps counts the steps of
	// FlightStep since.
	Fired clock.Micros
	Steps uint32
	// ViewLag is how far the view that it was aimed into was behind Fired. Other characters are tested
	// where they were that much earlier, as far as LagCompensation.Flight says.
	ViewLag  clock.Micros
	Position geom.Vec3 // metres
	Velocity geom.Vec3 // m/s
	// Resting says that it lies on Base, a mover or the level, and moves with it.
	Resting bool
	Base    collide.MoverID
}

// FlightStep is the duration of one step of a flight. Each step collides with the world, its movers and
// all characters as they are at the end of the step.
const FlightStep = clock.Second / 120

// WorldHistory sets up scenes of the past for flights: a client from the snapshots that it has, a
// server from its history, both as the shooter's screen showed them as far as is known.
type WorldHistory interface {
	// Scene sets s to all characters but the shooter at an instant, and to the world with its
	// movers at platform time. It returns false for a past that is unknown or forgotten.
	Scene(at, platform clock.Micros, s *rewind.Scene) bool
	// Self replaces the characters of s by the shooter alone, at a platform time: that for which Scene
	// has set s before. It returns false if the shooter takes no damage. It is called only for weapons
	// with a Blast.Self.
	Self(platform clock.Micros, s *rewind.Scene) bool
}

// DetonationCause says how a flight ended.
type DetonationCause uint8

// The causes.
const (
	// Impact: it hit a character, or the world if it does not bounce.
	Impact DetonationCause = iota
	// FuseExpired: its fuse ran out.
	FuseExpired
	// Expired: the past that it flew through is forgotten. It does no damage.
	Expired
)

// Detonation is the end of a flight and its hits.
type Detonation struct {
	// Shooter, Shot and Weapon are those of the Flight.
	Shooter track.ID
	Shot    uint32
	Weapon  uint8
	// At is the shooter's platform time, and View the instant at which characters were tested.
	At, View clock.Micros
	Cause    DetonationCause
	// Point is the centre of the projectile, in metres; Normal is that of the surface that it
	// hit, zero if it hit none.
	Point, Normal geom.Vec3
	// Hits has the targets hit directly and by the blast, each once (GAP-45). Its Outcome is
	// what the projectile hit.
	Hits HitSet
}

// Receipt returns the second receipt of the shot, as the flight alone determines it: a client's
// prediction. A server uses Judge.Detonate.
func (b *Detonation) Receipt() Receipt {
	r := Receipt{Shot: b.Shot, Shooter: b.Shooter, Weapon: b.Weapon, ViewRequested: b.View, ViewGranted: b.View}
	if b.Cause == Expired {
		r.Reason, r.ViewGranted = Forgotten, 0
		return r
	}
	r.fill(&b.Hits)
	return r
}

// Launch returns the flight of a projectile that was fired at a platform time into a view of the
// given view time. Its direction is the first of Directions with that seed.
func Launch(w *Weapon, s *FireParams, fired, view clock.Micros, seed uint64) Flight {
	var one [MaxPellets]geom.Vec3
	dir := Directions(w, s.Claim, s.Shooter, s.Number, seed, one[:0])[0]
	return Flight{
		Shooter: s.Shooter, Shot: s.Number, Weapon: s.Claim.Weapon, Fired: fired, ViewLag: max(fired-view, 0),
		Position: s.Eye, Velocity: dir.Mul(w.Flight.Speed),
	}
}

// At returns the platform time up to which it has flown.
func (f *Flight) At() clock.Micros { return f.Fired + clock.Micros(f.Steps)*FlightStep }

// TargetTime returns the instant at which it tests characters at a platform time: earlier by ViewLag,
// as far as the weapon's FlightTimeline says.
func (f *Flight) TargetTime(w *Weapon, platform clock.Micros) clock.Micros {
	lag, age := f.ViewLag, platform-f.Fired
	switch w.LagCompensation.Flight {
	case TimelineFade:
		lag = lag * max(fadeTime-age, 0) / fadeTime
	case TimelinePresent:
		lag = 0
	}
	return platform - lag
}

// fadeTime is the duration of TimelineFade.
const fadeTime = clock.Second / 2

// Advance flies in whole steps up to a platform time. over reports that the flight ended, with b;
// then it must not be advanced again. The result is bit for bit the same however the time is
// divided into calls. The cost is bounded by the weapon's fuse. The scene is scratch.
func (f *Flight) Advance(t Table, until clock.Micros, past WorldHistory, scene *rewind.Scene) (b Detonation, over bool) {
	w := &t[f.Weapon]
	// Only whole steps, at times that follow from the launch alone: client and server step the same
	// instants, however their frames and ticks fall.
	for f.At()+FlightStep <= until {
		// The fuse is compared before the step, so it never burns a step too long.
		if clock.Micros(f.Steps+1)*FlightStep > w.Flight.Fuse {
			end := FuseExpired
			if !past.Scene(f.TargetTime(w, f.At()), f.At(), scene) { // scene may be set for another flight
				end = Expired
			}
			return f.detonate(w, end, rewind.Outcome{Point: f.Position}, geom.Vec3{}, past, scene), true
		}
		at := f.At() + FlightStep
		if !past.Scene(f.TargetTime(w, at), at, scene) {
			return f.detonate(w, Expired, rewind.Outcome{Point: f.Position}, geom.Vec3{}, past, scene), true
		}
		o, normal, over := f.step(w, scene)
		f.Steps++
		if over {
			return f.detonate(w, Impact, o, normal, past, scene), true
		}
	}
	return Detonation{}, false
}
