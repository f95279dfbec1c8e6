package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// teleportAt is how far Place must move a player to break its path for others,
// in metres: from there on nobody interpolates.
const teleportAt = 0.5

// pending is a shot between its command and its verdict.
type pending struct {
	shooter PlayerID
	number  uint32
	eye     geom.Vec3
	claim   shot.Claim
	fired   bool
}

// Tick plays everything up to match time now: in the order of their ids, each
// player's moves; then the record of where everybody is; then the shots that
// those moves fired, against that record. The tick is the last one due at now;
// where several were missed they are not made up for. It panics where no new tick
// is due.
func (s *Server[S, C]) Tick(now clock.Micros) {
	tick := uint32(int64(now) * int64(s.config.TickRate) / int64(clock.Second))
	if clock.TickTime(int64(tick)+1, s.config.TickRate) <= now {
		tick++
	}
	if tick <= s.tick {
		panic("session: Tick needs a later tick's time")
	}
	s.stale = true
	s.tick, s.now = tick, clock.TickTime(int64(tick), s.config.TickRate)
	s.shots = s.shots[:0]
	for i := range s.seats {
		s.move(&s.seats[i])
	}
	s.record()
	for i := range s.shots {
		s.judge(&s.shots[i])
	}
	for i := range s.seats {
		s.send(&s.seats[i])
	}
	s.clear()
}

// clear frees the seats of those who stayed away too long, and the events that
// nobody added to.
func (s *Server[S, C]) clear() {
	for i := range s.seats {
		if t := &s.seats[i]; t.taken && t.peer == 0 && s.now-t.away > s.config.Away {
			s.vacate(t)
		}
	}
	if s.stale {
		s.events, s.stale = s.events[:0], false
	}
}

// move runs the commands that have come from a player.
func (s *Server[S, C]) move(t *seat[S, C]) {
	if t.authority == nil {
		return
	}
	for t.authority.Next(s.now) {
		if t.authority.Filler() {
			continue
		}
		c := t.authority.Command()
		t.stamp = max(t.stamps.Map(c.Stamp, max(t.arrived, c.Stamp)), t.stamp+1)
		claim := s.rules.Trigger(&c.Input)
		if !claim.Fire {
			continue
		}
		before := t.authority.Before()
		s.shots = append(s.shots, pending{
			shooter: t.id, number: c.Number, eye: s.rules.Eye(before), claim: *claim,
			fired: s.rules.Fired(before, &c.Input, t.authority.State()),
		})
	}
}

// record notes where everybody is, each at its own stamp, after all moves of the
// tick (GAP-60).
func (s *Server[S, C]) record() {
	frame := s.frames.Record(s.tick, s.now)
	for i := range s.seats {
		t := &s.seats[i]
		if t.authority == nil {
			continue
		}
		pose := s.rules.Pose(t.authority.State())
		pose.At, pose.Teleport = t.stamp, t.teleports
		frame.Add(t.id, pose)
		if s.config.Trace != nil {
			s.config.Trace(t.id, &pose)
		}
	}
}

// watch gives everybody else the sight of a shot: from the eye to where it ended.
func (s *Server[S, C]) watch(p *pending, to geom.Vec3) {
	for i := range s.seats {
		if t := &s.seats[i]; t.peer != 0 && t.id != p.shooter {
			t.sights.push(sight{p.shooter, p.eye, to}, s.tick, maxSights)
		}
	}
}

// entities is scratch for what one shooter saw.
type entities = []track.Entity
