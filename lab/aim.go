package lab

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// aimer aims the shots of a player of a scenario at the characters that its client has drawn.
type aimer struct {
	weapons  []shot.Weapon
	poser    *poser
	hitboxes []hitbox       // scratch
	swings   *scenario.Fire // the blade in its swing; nil: none
	until    clock.Micros   // match time, by the client's estimate
	memory   []pastTarget   // of a client that claims older views
}

// pastTarget is a player in an older view.
type pastTarget struct {
	view   clock.Micros
	target track.ID
	sample track.Sample
}

// remember keeps all players of a view for so long.
func (a *aimer) remember(view clock.Micros, drawn []track.Entity, long clock.Micros) {
	n := 0
	for n < len(a.memory) && a.memory[n].view < view-long-clock.Second {
		n++
	}
	a.memory = a.memory[:copy(a.memory, a.memory[n:])]
	for i := range drawn {
		a.memory = append(a.memory, pastTarget{view, drawn[i].ID, drawn[i].Sample})
	}
}

// recall returns a player in the newest kept view that is not newer than a view, nil where there
// is none.
func (a *aimer) recall(id track.ID, view clock.Micros) *track.Sample {
	for i := len(a.memory) - 1; i >= 0; i-- {
		if m := &a.memory[i]; m.target == id && m.view <= view {
			return &m.sample
		}
	}
	return nil
}

// weapon returns a weapon by its name, the zero Weapon for an unknown one.
func (a *aimer) weapon(name string) shot.Weapon {
	for i := range a.weapons {
		if a.weapons[i].Name == name {
			return a.weapons[i]
		}
	}
	return shot.Weapon{}
}

// begin notes that a shot was fired at a match time: a blade swings on for a while.
func (a *aimer) begin(f *scenario.Fire, at clock.Micros) {
	if w := a.weapon(f.Weapon); w.Kind == shot.Melee {
		strike := *f
		a.swings, a.until = &strike, at+w.Swing.Begins+w.Swing.Lasts
	}
}

// swinging returns the blade in its swing, nil for none.
func (a *aimer) swinging(at clock.Micros) *scenario.Fire {
	if a.swings != nil && at > a.until {
		a.swings = nil
	}
	return a.swings
}

// aim aims a shot at the target as drawn in the last frame. It reports false where the target was
// not drawn.
func (r *controller) aim(f *scenario.Fire, into *Aim) bool {
	if f.At == "" {
		*into = Aim{Yaw: f.Yaw, Pitch: f.Pitch}
		return true
	}
	into.Target, into.HitGroup = session.PlayerID(r.scenario.Player(f.At)+1), rig.Body
	s := drawnOf(r.actor.Remotes(), into.Target)
	if r.backdates() { // it aims at the view that it claims
		s = r.aimer.recall(into.Target, r.actor.View().At-r.cheatParams.Hold)
	}
	if s == nil || r.actor.Phase() != session.Playing {
		return false
	}
	r.aimer.hitboxes = r.aimer.poser.pose(s, r.aimer.hitboxes[:0])
	part := partOf(r.aimer.hitboxes, f.Part)
	if part == nil {
		return false
	}
	into.HitGroup = part.group
	r.actor.ApplyCorrection()
	eye, at := r.actor.Eye(), part.middle()
	if w := r.aimer.weapon(f.Weapon); f.Lead && w.Kind == shot.Projectile {
		lag := r.now - (r.actor.View().At - r.zero())
		at = lead(&w, eye, at, s, lag)
	}
	into.Yaw, into.Pitch = anglesTo(eye, at)
	return true
}

// zero returns the match time of time zero, by the client's estimate.
func (r *controller) zero() clock.Micros { return r.actor.Now(r.local) - r.now }

// lead returns where to aim a projectile so that it meets a point of a player that moves on as
// drawn, lag ago. It iterates: the time of flight gives the position, which gives the time of
// flight.
func lead(w *shot.Weapon, eye, at geom.Vec3, s *track.Sample, lag clock.Micros) geom.Vec3 {
	meet := at
	for range 8 {
		flight := meet.Dist(eye) / max(w.Flight.Speed, 1e-3)
		ahead := flight + behind(w.LagCompensation.Flight, flight, lag.Seconds())
		meet = at.MulAdd(s.Velocity, ahead)
		meet = meet.MulAdd(geom.Up, float64(float64(w.Flight.Gravity*0.5)*float64(flight*flight)))
	}
	return meet
}

// fade is how long a flight takes to reach the present with shot.TimelineFade, in seconds.
const fade = 0.5

// behind returns how much later than in the shooter's view a projectile meets players after a
// flight, in seconds, where the view was lag old.
func behind(l shot.FlightTimeline, flight, lag float64) float64 {
	switch l {
	case shot.TimelinePresent:
		return lag
	case shot.TimelineFade:
		return float64(lag * min(flight/fade, 1))
	}
	return 0
}
