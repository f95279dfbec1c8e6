package arena

import (
	"errors"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// NextLevelReason is why connections are closed when a match changes its level.
const NextLevelReason = "arena: the next level begins"

// Rotation is a match on a server that changes its level when its players have voted for another one. A level
// belongs to a session from its beginning to its end, so there is a new Match for it, in which players and bots have
// their seats again as soon as they have reconnected (session.Server.TakePlayersFrom).
type Rotation struct {
	*Bots // the match that is played

	newMatch func(level int, earlier *Match) *Bots
	level    int // of the match, an index of RoundRules.Levels
}

// NewRotation returns a rotation that begins with a match, of level 0. newMatch makes one of another level, with that
// level as its RoundRules.Level, with the same tick rate, seats and bots, and with the earlier match, which may be nil, as its
// MatchConfig.Earlier.
func NewRotation(first *Bots, newMatch func(level int, earlier *Match) *Bots) *Rotation {
	return &Rotation{Bots: first, newMatch: newMatch}
}

// Tick runs one tick of the match. If its players have chosen another level, that one begins afterwards.
func (r *Rotation) Tick(now clock.Micros) {
	r.Bots.Tick(now)
	if level, ok := r.NextLevel(); ok {
		next := r.newMatch(level, r.Match)
		next.follow(r.Bots)
		r.Bots, r.level = next, level
	}
}

// Checkpoint packs the level and its match in either direction; see Bots.Checkpoint.
func (r *Rotation) Checkpoint(p *bits.Packer) {
	level := uint16(r.level)
	p.Uint16(&level)
	switch {
	case p.Err() != nil:
		return
	case int(level) >= max(len(r.Match.config.Rounds.Levels), 1):
		p.Fail(errors.New("arena: the checkpoint is of a level that this match does not have"))
		return
	case int(level) != r.level:
		r.Bots, r.level = r.newMatch(int(level), nil), int(level)
	}
	r.Bots.Checkpoint(p)
}
