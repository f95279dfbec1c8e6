package main

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// How much is stored of the player's last shots.
const (
	maxShots         = 16
	maxSeenFigures   = 8   // figures of each, the nearest to the aim
	maxFlightPoints  = 120 // points of a trajectory
	aimRadius        = 1.6 // metres from the ray within which a figure is stored
	asksAgain        = 400 * clock.Millisecond
	meleeMissTimeout = clock.Second            // without an answer after it, a blade hit nothing on both ends
	swingDuration    = 400 * clock.Millisecond // the claims of one swing are one record
	targetHeight     = 0.9                     // metres above the feet
)

// ShotRecord is a shot as the page showed it, and the server's answer.
type ShotRecord struct {
	Number uint32 // of the command that fired it
	Weapon uint8  // its index
	// Seen is what it hit on the page.
	Seen rewind.Outcome
	// Answered is whether the server has judged it, and Receipt how. Debug is what it was judged
	// by: nil before that has come; Debug.Known is false if the server has forgotten it.
	Answered bool
	Receipt  shot.Receipt
	Debug    *combat.ShotDebug

	firedAt     clock.Micros // match time
	recordedAt  clock.Micros // local time
	launchedAt  clock.Micros // platform time of a projectile's launch
	endedAt     clock.Micros // platform time of its end, and the view in which it hit
	met         clock.Micros
	claim       shot.Claim
	eye         geom.Vec3
	points      []geom.Vec3 // end points of its rays
	flightPath  []geom.Vec3 // trajectory of a projectile
	seenFigures []track.Entity
	requestedAt clock.Micros // local time of the last request
}

// shotRing holds the last shots.
type shotRing struct {
	list    [maxShots]ShotRecord
	count   int // in total
	chosen  int // the selected one, 0 is the newest
	latest  uint32
	scratch []track.Entity // scratch
}

// shots are the player's last.
var shots shotRing

// reset begins a new session.
func (r *shotRing) reset() { r.count, r.chosen, r.latest = 0, 0, 0 }

// stored returns how many shots are stored.
func (r *shotRing) stored() int { return min(r.count, maxShots) }

// at returns the i-th newest shot.
func (r *shotRing) at(i int) *ShotRecord { return &r.list[(r.count-1-i+maxShots)%maxShots] }

// find returns the shot with that number, nil if it is not stored.
func (r *shotRing) find(number uint32) *ShotRecord {
	for i := range r.stored() {
		if p := r.at(i); p.Number == number {
			return p
		}
	}
	return nil
}

// update stores the player's shots of a frame.
func (r *shotRing) update(p *arena.Player, local clock.Micros) {
	if c, ok := p.LastShot(); ok && c.Number != r.latest {
		r.latest = c.Number
		r.record(p, c, local)
	}
	flights := p.Projectiles()
	for i := range flights {
		if s := r.find(flights[i].Shot); s != nil {
			s.addFlightPoint(&flights[i])
		}
	}
	for i := range p.Notices {
		r.receive(p, &p.Notices[i])
	}
	if controls.DebugShots {
		r.choose()
		r.request(p, local)
	}
}

// record stores a shot. Of the claims of one swing, the one that hit a target is kept, else
// the last.
func (r *shotRing) record(p *arena.Player, c *combat.ClientShot, local clock.Micros) {
	now, weapons := p.Now(local), p.Game().Weapons()
	if int(c.Claim.Weapon) >= len(weapons) {
		return
	}
	w := &weapons[c.Claim.Weapon]
	if w.Kind == shot.Melee && r.count > 0 {
		if last := r.at(0); last.Weapon == c.Claim.Weapon && now-last.firedAt < swingDuration {
			if last.Seen.Kind == rewind.Player {
				return
			}
			r.count--
		}
	}
	r.count++
	s := r.at(0)
	*s = ShotRecord{points: s.points[:0], flightPath: s.flightPath[:0], seenFigures: s.seenFigures[:0]}
	s.Number, s.Weapon, s.firedAt, s.recordedAt = c.Number, c.Claim.Weapon, now, local
	s.claim, s.eye, s.Seen = c.Claim, c.Eye, c.Outcome
	for i := range c.Outcomes {
		s.points = append(s.points, c.Outcomes[i].Point)
	}
	if w.Kind != shot.Projectile {
		s.keepNear(c.Targets, s.eye, geom.Look(c.Claim.Yaw, c.Claim.Pitch), math.Tan(w.Spread.Cone))
	}
}

// keepNear stores the entities of a view that are near a widening ray, the nearest first.
func (s *ShotRecord) keepNear(all []track.Entity, from, dir geom.Vec3, widens float64) {
	s.seenFigures = s.seenFigures[:0]
	for i := range all {
		e := &all[i]
		to := e.Position.MulAdd(geom.Up, targetHeight).Sub(from)
		along := max(to.Dot(dir), 0)
		off := to.MulAdd(dir, -along).Len() - float64(along*widens)
		if e.Kind == 0 && !e.Dead && off < aimRadius && len(s.seenFigures) < maxSeenFigures {
			s.seenFigures = append(s.seenFigures, *e)
		}
	}
}

// addFlightPoint stores a projectile's position.
func (s *ShotRecord) addFlightPoint(f *combat.Projectile) {
	if s.launchedAt = f.Fired; len(s.flightPath) == 0 {
		s.flightPath = append(s.flightPath, s.eye)
	}
	if len(s.flightPath) < maxFlightPoints {
		s.flightPath = append(s.flightPath, f.Drawn)
	}
}

// receive handles an event about a shot.
func (r *shotRing) receive(p *arena.Player, e *session.Event) {
	switch e.Kind {
	case session.ShotJudged:
		if s := r.find(e.Receipt.Shot); s != nil {
			s.Answered, s.Receipt, s.Debug = true, e.Receipt, nil
		}
	case session.ShotDebugged:
		if s := r.find(e.ShotDebug.Shot); s != nil {
			s.Debug = e.ShotDebug
			if !s.Answered {
				s.Answered, s.Receipt = true, e.ShotDebug.Receipt
				if !e.ShotDebug.Known { // a blade that hit nothing on both ends gets no answer
					s.Receipt.Verdict, s.Receipt.Agrees = shot.Miss, true
					s.Receipt.ViewRequested, s.Receipt.ViewGranted = s.claim.View.At, s.claim.View.At
				}
			}
		}
	case session.Detonated:
		if s := r.find(e.Receipt.Shot); s != nil && e.Player == p.ID() && !e.Corrected {
			r.detonation(p, s, e)
		}
	}
}

// detonation stores the entities near the point at which an own projectile ended, in the
// view of that instant.
func (r *shotRing) detonation(p *arena.Player, s *ShotRecord, e *session.Event) {
	s.Seen = e.Receipt.Outcome
	if s.flightPath = append(s.flightPath, e.To); p.Others() == nil {
		return
	}
	at := e.Receipt.ViewRequested
	lag := max(s.launchedAt-s.claim.View.At, 0)
	s.endedAt, s.met = at+lag, at
	v := track.View{At: at, Platform: max(at+lag, at), Seen: p.Others().Received(), Mode: p.View().Mode}
	picture := p.Others().Interpolator(p.World().World)
	r.scratch = picture.Entities(v, p.ID(), r.scratch[:0])
	reach := 1.0
	if weapons := p.Game().Weapons(); int(s.Weapon) < len(weapons) {
		reach += weapons[s.Weapon].Blast.Radius
	}
	s.seenFigures = s.seenFigures[:0]
	for i := range r.scratch {
		n := &r.scratch[i]
		near := n.Position.MulAdd(geom.Up, targetHeight).Dist(e.To) < reach
		if n.Kind == 0 && !n.Dead && near && len(s.seenFigures) < maxSeenFigures {
			s.seenFigures = append(s.seenFigures, *n)
		}
	}
}

// choose selects another shot when the input asks for it.
func (r *shotRing) choose() {
	if block.Pressed.PreviousShot {
		r.chosen++
	}
	if block.Pressed.NextShot {
		r.chosen--
	}
	r.chosen = max(min(r.chosen, r.stored()-1), 0)
}

// request asks the server for the debug data of the selected shot.
func (r *shotRing) request(p *arena.Player, local clock.Micros) {
	if r.stored() == 0 || p.Phase() != session.Playing {
		return
	}
	s := r.at(r.chosen)
	if (s.Answered || local-s.recordedAt > meleeMissTimeout) && s.Debug == nil && local-s.requestedAt > asksAgain {
		s.requestedAt = local
		p.RequestShotDebug(s.Number)
	}
}
