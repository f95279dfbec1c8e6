package bodies

import (
	"cmp"
	"slices"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// RestoredMatch is what Checkpoint needs of the match to read; a session.Server is one.
type RestoredMatch interface {
	// EntityKind returns the kind of an entity, and false if the match has none with that id.
	EntityKind(id track.ID) (track.Kind, bool)
}

// Checkpoint packs all bodies in either direction, after session.Server.Checkpoint, whose entities they
// are. They then continue, bit for bit, as those that were written. Reading, bodies that the Server has
// already are replaced. Zones are not packed: add the same ones first. It panics where the match is no
// RestoredMatch.
func (s *Server) Checkpoint(p *bits.Packer) {
	at := int64(s.at)
	if p.Varint(&at); at < 0 || at > int64(clock.Second)<<30 {
		p.Fail(bits.ErrRange)
	}
	s.at = clock.Micros(at)
	n := len(s.list)
	if p.Ranged(&n, 0, int(track.MaxID)); !p.Writing() {
		s.list = make([]served, n)
	}
	for i := range s.list {
		s.checkpointBody(p, i)
	}
	if !p.Writing() {
		s.rebuild(p)
	}
	if p.Err() != nil {
		return
	}
	s.world.Checkpoint(p)
	for id := range s.players {
		s.players[id].checkpoint(p)
	}
	s.checkpointTouches(p)
	if !p.Writing() {
		s.resend()
	}
}

// checkpointBody packs the ids and kind of a body. When reading, it must be an entity of the match, of a
// declared kind.
func (s *Server) checkpointBody(p *bits.Packer, i int) {
	l := &s.list[i]
	id, kind, in := uint16(l.id), uint8(l.kind), uint16(l.in)
	p.Uint16(&id)
	p.Byte(&kind)
	p.Uint16(&in)
	p.Uint(&l.inside, 64)
	l.id, l.kind, l.in = track.ID(id), track.Kind(kind), body.ID(in)
	if p.Writing() || p.Err() != nil {
		return
	}
	// The ids ascend, or find would miss some; a bit of a zone that was not added could never be left.
	of, there := s.match.(RestoredMatch).EntityKind(l.id)
	_, declared := s.config.Body(l.kind)
	if !there || of != l.kind || !declared || i > 0 && l.id <= s.list[i-1].id || l.in == 0 || l.in > body.MaxBodies || l.inside>>len(s.zones) != 0 {
		p.Fail(bits.ErrRange)
	}
}

// rebuild makes a world of the bodies that were read, each under the ID that it had: the solver goes
// through them by ID, and the impulses of their contacts name them by it. The world gives out IDs from 1,
// so a body is added for each unused one and removed in the end.
func (s *Server) rebuild(p *bits.Packer) {
	if p.Err() != nil {
		s.list = nil
		return
	}
	order := slices.Clone(s.list)
	slices.SortFunc(order, func(a, b served) int { return cmp.Compare(a.in, b.in) })
	s.world.Clear()
	s.named = s.named[:0]
	var holes []body.ID
	for i := range order {
		b, _ := s.config.Body(order[i].kind)
		for in := s.world.Add(b); in != order[i].in; in = s.world.Add(b) {
			if holes = append(holes, in); in == 0 || in > order[i].in { // twice the same
				p.Fail(bits.ErrRange)
				return
			}
		}
		for int(order[i].in) >= len(s.named) {
			s.named = append(s.named, 0)
		}
		s.named[order[i].in] = order[i].id
	}
	for _, in := range holes {
		s.world.Remove(in)
	}
}

// checkpoint packs the state of a player as a pusher.
func (l *player) checkpoint(p *bits.Packer) {
	if p.Bool(&l.solid); l.solid {
		p.Byte(&l.life)
		p.Vec64(&l.feet)
	}
}

// checkpointTouches packs the touches of the Step before, so that none begins twice.
func (s *Server) checkpointTouches(p *bits.Packer) {
	n := len(s.touched)
	if p.Ranged(&n, 0, 1<<16); !p.Writing() {
		s.touched = s.touched[:0]
	}
	for i := 0; i < n && p.Err() == nil; i++ {
		if !p.Writing() {
			s.touched = append(s.touched, touch{})
		}
		t := &s.touched[i]
		player, of := uint16(t.player), uint16(t.body)
		p.Uint16(&player)
		p.Uint16(&of)
		t.player, t.body = session.PlayerID(player), track.ID(of)
	}
}

// resend puts all bodies into the next snapshot, where they are. There are no events: the match before
// reported that they entered their zones and volumes, and a goal must not count twice.
func (s *Server) resend() {
	if s.volumes != nil {
		s.volumes.At = s.at
	}
	for i := range s.list {
		l := &s.list[i]
		s.record(l)
		l.moved = false
		if s.volumes != nil {
			l.volume = s.volumes.VolumeAt(l.sent.Position)
		}
	}
}
