package lab

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// aiming is how a player of a scenario aims: at the figures that its client has drawn.
type aiming struct {
	weapons []shot.Weapon
	model   *modeller
	volumes []volume       // scratch
	swings  *scenario.Fire // the blade that is on its way; nil: none
	until   clock.Micros   // match time, by the client's estimate
	memory  []remembered   // of who claims older views
}

// remembered is somebody in an older picture.
type remembered struct {
	view   clock.Micros
	target track.ID
	sample track.Sample
}

// remember notes everybody in the picture of a view, for so long.
func (a *aiming) remember(view clock.Micros, drawn []track.Entity, long clock.Micros) {
	n := 0
	for n < len(a.memory) && a.memory[n].view < view-long-clock.Second {
		n++
	}
	a.memory = a.memory[:copy(a.memory, a.memory[n:])]
	for i := range drawn {
		a.memory = append(a.memory, remembered{view, drawn[i].ID, drawn[i].Sample})
	}
}

// recall returns somebody in the newest picture that is not newer than a view, nil where
// there is none.
func (a *aiming) recall(id track.ID, view clock.Micros) *track.Sample {
	for i := len(a.memory) - 1; i >= 0; i-- {
		if m := &a.memory[i]; m.target == id && m.view <= view {
			return &m.sample
		}
	}
	return nil
}

// weapon returns a weapon by its name, the zero Weapon of one that is not there.
func (a *aiming) weapon(name string) shot.Weapon {
	for i := range a.weapons {
		if a.weapons[i].Name == name {
			return a.weapons[i]
		}
	}
	return shot.Weapon{}
}

// begin notes that a shot was fired at a match time: a blade goes on for a while.
func (a *aiming) begin(f *scenario.Fire, at clock.Micros) {
	if w := a.weapon(f.Weapon); w.Kind == shot.Melee {
		strike := *f
		a.swings, a.until = &strike, at+w.Swing.Begins+w.Swing.Lasts
	}
}

// swinging returns the blade that is still on its way, nil for none.
func (a *aiming) swinging(at clock.Micros) *scenario.Fire {
	if a.swings != nil && at > a.until {
		a.swings = nil
	}
	return a.swings
}

// aim aims a shot at what this client drew in its last frame. It reports false
// where that was nothing.
func (r *role) aim(f *scenario.Fire, into *Aim) bool {
	if f.At == "" {
		*into = Aim{Yaw: f.Yaw, Pitch: f.Pitch}
		return true
	}
	into.Target, into.Part = session.PlayerID(r.scenario.Player(f.At)+1), rig.Body
	s := drawnOf(r.actor.Remotes(), into.Target)
	if r.backdates() { // it aims at what the claim says was seen
		s = r.aims.recall(into.Target, r.actor.View().At-r.cheatParams.Hold)
	}
	if s == nil || r.actor.Phase() != session.Playing {
		return false
	}
	r.aims.volumes = r.aims.model.pose(s, r.aims.volumes[:0])
	part := partOf(r.aims.volumes, f.Part)
	if part == nil {
		return false
	}
	into.Part = part.tag
	r.actor.ApplyCorrection()
	eye, at := r.actor.Eye(), part.middle()
	if w := r.aims.weapon(f.Weapon); f.Lead && w.Kind == shot.Projectile {
		lag := r.now - (r.actor.View().At - r.zero())
		at = lead(&w, eye, at, s, lag)
	}
	into.Yaw, into.Pitch = looking(eye, at)
	return true
}

// zero is the match time of time zero, by the client's estimate.
func (r *role) zero() clock.Micros { return r.actor.Now(r.local) - r.now }

// lead is where to aim a projectile for it to meet a point of somebody who goes on as
// drawn, lag ago. It is found by turns: how long the flight takes tells where the point
// will be, and that how long it takes.
func lead(w *shot.Weapon, eye, at geom.Vec3, s *track.Sample, lag clock.Micros) geom.Vec3 {
	meet := at
	for range 8 {
		flight := meet.Dist(eye) / math.Max(w.Flight.Speed, 1e-3)
		ahead := flight + behind(w.LagCompensation.Flight, flight, lag.Seconds())
		meet = at.MulAdd(s.Velocity, ahead)
		meet = meet.MulAdd(geom.Up, float64(float64(w.Flight.Gravity*0.5)*float64(flight*flight)))
	}
	return meet
}

// fade is how long a flight takes to come up to the present with shot.TimelineFade, in seconds.
const fade = 0.5

// behind is by how much less far back than its shooter saw them a projectile meets others
// after a flight, in seconds, of a picture that was lag old.
func behind(l shot.FlightTimeline, flight, lag float64) float64 {
	switch l {
	case shot.TimelinePresent:
		return lag
	case shot.TimelineFade:
		return float64(lag * math.Min(flight/fade, 1))
	}
	return 0
}
