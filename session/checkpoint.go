package session

import (
	"errors"
	"strconv"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/track"
)

// checkpointVersion is the version of how a checkpoint is packed, that of package npc too. It counts up with
// each change.
const checkpointVersion = 3

// maxCheckpointTick is 103 days at 240 ticks a second: ticks that continue from there do not wrap.
const maxCheckpointTick = 1 << 31

// noticeTime is how much longer than ServerConfig.ReconnectTime a seat of a restored match waits: a client that
// notices the restart by its idle timeout alone comes back in time.
const noticeTime = 15 * clock.Second

// checkpointError is a checkpoint of another game, level or kind of match than the one that reads it.
type checkpointError struct{ what, theirs, ours string }

func (e checkpointError) Error() string {
	return "session: the checkpoint is of " + e.what + " " + e.theirs + ", and this match has " + e.ours
}

// errCheckpointSeat is a seat that no match can have.
var errCheckpointSeat = errors.New("session: the checkpoint has a seat without a valid name, key or state")

// Checkpoint packs the match between two ticks, in either direction. Reading requires a new Server of the same
// game, level and configuration, in this or another process; the match continues there. If reading fails, the
// packer's error names the difference, or reports damage, and the Server must be discarded. It panics if it is
// read into a match that has begun.
//
// It has the match time, every seat with name, key, account and the player's state, all fields, the entities
// with their samples, and the triggers of the level. Players are away then, as after a lost connection, and
// come back by their keys within ServerConfig.ReconnectTime and 15 s. Match time continues.
//
// It omits what only connections need, because each client begins again over a new one: moves and shots that
// have not been run, what was sent and acknowledged, the estimates of links, input delays and the queue. It
// omits the rewind history and the projectiles in flight, because no client has a view of before, and counters,
// which begin again.
//
// A game with data of its own beside the states, such as a damage.Ledger, has a method of the same name, which
// calls this one first; see docs/server.md.
func (s *Server[S, C]) Checkpoint(p *bits.Packer) {
	if !p.Writing() && s.tick != 0 {
		panic("session: Checkpoint is read into a new match: make one with NewServer")
	}
	s.checkpointHead(p)
	if p.Err() != nil {
		return
	}
	if p.Uint32(&s.tick); s.tick > maxCheckpointTick {
		p.Fail(bits.ErrRange)
		return
	}
	s.now = s.at(s.tick)
	for i := range s.seats {
		if s.checkpointSeat(p, &s.seats[i]); p.Err() != nil {
			return
		}
	}
	s.checkpointFields(p)
	s.entityTable.checkpoint(p)
	s.config.World.CheckpointTriggers(p, s.now)
}

// checkpointHead packs what identifies the game, level and match. When reading, the error says what differs.
func (s *Server[S, C]) checkpointHead(p *bits.Packer) {
	for _, part := range [...]struct {
		what string
		ours uint32
	}{
		{"version", checkpointVersion}, {"protocol", Version}, {"format", s.format},
		{"tick rate", uint32(s.config.TickRate)}, {"number of seats", uint32(s.config.Players)},
	} {
		theirs := part.ours
		if p.Uint32(&theirs); theirs != part.ours {
			p.Fail(checkpointError{part.what, strconv.Itoa(int(theirs)), strconv.Itoa(int(part.ours))})
		}
	}
	level := s.config.LevelHash
	if packText(p, &level, maxText); level != s.config.LevelHash {
		p.Fail(checkpointError{"level", strconv.Quote(level), s.config.LevelHash})
	}
}

// checkpointSeat packs a seat. A taken one that was read waits for its player, from now on.
func (s *Server[S, C]) checkpointSeat(p *bits.Packer, t *seat[S, C]) {
	t.remote.checkpoint(p)
	if p.Bool(&t.taken); !t.taken {
		packMicros(p, &t.away)
		return
	}
	packText(p, &t.name, maxNameLen)
	packKey(p, &t.key)
	packText(p, &t.account, maxText)
	p.Bool(&t.reserved)
	placed := t.authority != nil
	if p.Bool(&placed); p.Writing() {
		if placed {
			s.rules.PackState(p, t.authority.State())
		}
		return
	}
	t.away = s.now + noticeTime
	var state S
	if placed {
		s.rules.PackState(p, &state)
	}
	if p.Err() != nil || CheckName(t.name) != nil || t.key == (Key{}) {
		p.Fail(errCheckpointSeat)
		return
	}
	if base := s.rules.Pose(&state).Base; base != collide.Static && s.config.World.Mover(base) == nil {
		p.Fail(errCheckpointSeat)
		return
	}
	if placed {
		t.authority = predict.NewAuthority[S, move[C]](&s.rules, state, &s.batches.all[0].moves)
		t.remote.standOn(s.rules.Pose(&state).Base)
	}
}

// checkpointFields packs the fields. A player that is not in the match has none.
func (s *Server[S, C]) checkpointFields(p *bits.Packer) {
	if s.fields.Checkpoint(p, s.tick); p.Writing() {
		return
	}
	s.fields.Changed(0, func(id track.ID, _ int, _ int64, _ []byte) {
		if id >= 1 && id < s.first && (int(id) > len(s.seats) || !s.seats[id-1].taken) {
			p.Fail(bits.ErrRange)
		}
	})
}

// checkpoint packs what the next connection of the seat continues, and when its player entered.
func (r *remotePose) checkpoint(p *bits.Packer) {
	packMicros(p, &r.stamp)
	p.Byte(&r.teleports)
	p.Byte(&r.lives)
	packMicros(p, &r.entered)
}

// packMicros packs a match time. One beyond maxMatchTime is bits.ErrRange.
func packMicros(p *bits.Packer, t *clock.Micros) {
	v := int64(*t)
	if p.Varint(&v); v > maxMatchTime || v < -maxMatchTime {
		p.Fail(bits.ErrRange)
		v = 0
	}
	*t = clock.Micros(v)
}

// maxMatchTime is far longer than a match, and far from where sums of times overflow.
const maxMatchTime = int64(1) << 50

// checkpoint packs the entities without projectiles, whose places are free in the checkpoint. Projectiles are
// those whose samples have a time of their own.
func (s *entityTable) checkpoint(p *bits.Packer) {
	n := len(s.list)
	if p.Ranged(&n, 0, int(track.MaxID-s.first)+1); !p.Writing() && p.Err() == nil {
		s.list = make([]entity, n)
	}
	for i := range s.list {
		if s.checkpointEntity(p, &s.list[i]); p.Err() != nil {
			return
		}
	}
}

// checkpointEntity packs one.
func (s *entityTable) checkpointEntity(p *bits.Packer, t *entity) {
	p.Byte(&t.life)
	p.Byte(&t.teleports)
	// The id of a projectile rests as if its flight had ended now.
	taken := t.taken && t.at == 0
	rests := t.rests
	if t.taken && !taken {
		rests = s.timeline.tick + s.idRest
	}
	p.Uint32(&rests)
	p.Bool(&taken)
	if !p.Writing() {
		t.taken, t.rests = taken, rests
	}
	if !taken {
		return
	}
	kind := uint8(t.kind)
	p.Byte(&kind)
	t.kind = track.Kind(kind)
	if p.Bool(&t.placed); t.placed {
		t.sample.PackWhole(p)
		t.frame.checkpoint(p)
	}
	for _, base := range [...]collide.MoverID{t.sample.Base, t.frame.on, t.frame.base, t.frame.previous} {
		if base != collide.Static && s.frames.world.Mover(base) == nil {
			p.Fail(bits.ErrRange)
		}
	}
}

// checkpoint packs the frame in which the poses of an entity are sent.
func (r *baseFrame) checkpoint(p *bits.Packer) {
	for _, b := range [...]*collide.MoverID{&r.on, &r.base, &r.previous} {
		id := uint16(*b)
		p.Uint16(&id)
		*b = collide.MoverID(id)
	}
	for _, t := range [...]*clock.Micros{&r.stood, &r.since, &r.lag} {
		packMicros(p, t)
	}
}

// EntityKind returns the kind of an entity, and false where there is none: what reads a checkpoint names
// entities that the match must have.
func (s *entityTable) EntityKind(id track.ID) (track.Kind, bool) {
	if t := s.find(id); t != nil {
		return t.kind, true
	}
	return 0, false
}
