package shot

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// Flight is a projectile on its way: plain data, moved on by the same code on the shooter's
// client, at once, and on the server, which catches up with it when the command comes.
type Flight struct {
	Shooter track.ID
	Shot    uint32 // number of the command that fired it
	Weapon  uint8
	// Fired is when it left, by the shooter's platform time; Steps is how many of
	// FlightStep it has flown since.
	Fired clock.Micros
	Steps uint32
	// Lag is how far behind Fired the picture was that it was aimed at: it meets everybody
	// as they were so much before, as far as Favour.Flight says.
	Lag      clock.Micros
	Position geom.Vec3 // metres
	Velocity geom.Vec3 // m/s
	// Resting says that it lies on Base, a body or the level, and goes where that goes.
	Resting bool
	Base    collide.BodyID
}

// FlightStep is how long one step of a flight is: each meets the world, its bodies and
// everybody at an instant of its own, its end.
const FlightStep = clock.Second / 120

// WorldHistory shows a flight what there was when. A client's is its own frames, a server's its
// history; both say what the shooter was shown, as far as they know.
type WorldHistory interface {
	// Scene shows in s everybody but the shooter at one instant, and the world with its
	// bodies at another, the platform time. False is a past that is not known (any more).
	Scene(at, platform clock.Micros, s *rewind.Scene) bool
	// Self shows in s the shooter alone, as it was at a platform time, in the world at that
	// time. False is one that is not to be hurt. It is asked only by weapons whose Blast has
	// a share for the shooter.
	Self(platform clock.Micros, s *rewind.Scene) bool
}

// DetonationCause is how a flight ended.
type DetonationCause uint8

// The ends.
const (
	// Impact: it met somebody, or the world where it does not bounce.
	Impact DetonationCause = iota
	// FuseExpired: its fuse burned down.
	FuseExpired
	// Expired: what it flew through is not known any more. It hurts nobody.
	Expired
)

// Detonation is the end of a flight, and what came of it.
type Detonation struct {
	Shooter track.ID
	Shot    uint32
	Weapon  uint8
	// At is when, by the shooter's platform time, and View the instant as which it met
	// everybody.
	At, View clock.Micros
	Cause    DetonationCause
	// Point is where the middle of the projectile was, Normal of what it struck, zero where
	// it struck nothing.
	Point, Normal geom.Vec3
	// Hits is whom it hurt: directly, and by the blast, each once (GAP-45). Its Outcome is
	// what it struck.
	Hits HitSet
}

// Receipt returns the second receipt of the shot, as far as the flight tells: for a client
// what it predicts, for a server see Judge.Detonate.
func (b *Detonation) Receipt() Receipt {
	r := Receipt{Shot: b.Shot, Shooter: b.Shooter, Weapon: b.Weapon, ViewRequested: b.View, ViewGranted: b.View}
	if b.Cause == Expired {
		r.Reason, r.ViewGranted = Forgotten, 0
		return r
	}
	r.take(&b.Hits)
	return r
}

// Launch returns the flight of a shot of a projectile weapon that was fired at a platform
// time into a picture of the view time. The number and spread are as in Directions.
func Launch(w *Weapon, s *FireParams, fired, view clock.Micros, seed uint64) Flight {
	var one [MaxPellets]geom.Vec3
	dir := Directions(w, s.Claim, s.Shooter, s.Number, seed, one[:0])[0]
	return Flight{
		Shooter: s.Shooter, Shot: s.Number, Weapon: s.Claim.Weapon, Fired: fired, Lag: max(fired-view, 0),
		Position: s.Eye, Velocity: dir.Mul(w.Flight.Speed),
	}
}

// At is up to which platform time it has flown.
func (f *Flight) At() clock.Micros { return f.Fired + clock.Micros(f.Steps)*FlightStep }

// CanHit is the instant as which it meets everybody at a platform time: behind that by Lag, as
// far as the weapon's Lead says.
func (f *Flight) CanHit(w *Weapon, platform clock.Micros) clock.Micros {
	lag, age := f.Lag, platform-f.Fired
	switch w.LagCompensation.Flight {
	case TimelineFade:
		lag = lag * max(fadeTime-age, 0) / fadeTime
	case TimelinePresent:
		lag = 0
	}
	return platform - lag
}

// fadeTime is how long LeadFade takes.
const fadeTime = clock.Second / 2

// Advance flies on in whole steps up to a platform time, and returns how it ended, if it did:
// then it is not to be advanced again. However the time is cut into calls, and whatever is
// caught up at once, it ends in the same place with the same bits. What it costs is bounded
// by the weapon's fuse. The scene is scratch.
func (f *Flight) Advance(t Table, until clock.Micros, past WorldHistory, scene *rewind.Scene) (b Detonation, over bool) {
	w := &t[f.Weapon]
	for f.At()+FlightStep <= until {
		if clock.Micros(f.Steps+1)*FlightStep > w.Flight.Fuse {
			end := FuseExpired
			if !past.Scene(f.CanHit(w, f.At()), f.At(), scene) { // which may be another flight's
				end = Expired
			}
			return f.burst(w, end, rewind.Outcome{Point: f.Position}, geom.Vec3{}, past, scene), true
		}
		at := f.At() + FlightStep
		if !past.Scene(f.CanHit(w, at), at, scene) {
			return f.burst(w, Expired, rewind.Outcome{Point: f.Position}, geom.Vec3{}, past, scene), true
		}
		o, normal, over := f.step(w, scene)
		f.Steps++
		if over {
			return f.burst(w, Impact, o, normal, past, scene), true
		}
	}
	return Detonation{}, false
}
