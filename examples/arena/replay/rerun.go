package replay

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// step is one step of a player as the server ran it, including filled gaps.
type step struct {
	arena.StepInput
	tick  uint32
	after arena.Hero
}

// presence is a player's time in the match, with its steps.
type presence struct {
	name  string
	steps []step
	left  uint32 // tick after which the player was gone; 0: never
}

// replayedMatch is a match that is simulated again, and the steps of its players.
type replayedMatch struct {
	match   *arena.Match
	stepped arena.StepInput
	tick    uint32
	stays   []*presence
	here    [session.MaxPlayers + 1]*presence
	infos   []session.PlayerInfo
}

// presencesOf simulates a recording up to a match time, and returns its players.
func presencesOf(f *record.File, until clock.Micros) ([]*presence, error) {
	var r replayedMatch
	var keys []session.Key
	game := arena.NewGame()
	game.StepInput = &r.stepped
	var err error
	r.match, err = remake(f, game, func() (k session.Key) {
		if len(keys) > 0 {
			k, keys = keys[0], keys[1:]
		}
		return k
	})
	if err != nil {
		return nil, err
	}
	r.match.Observe(&r)
	for in, err := range f.Inputs() {
		if err != nil {
			return r.stays, err
		}
		if in.Kind == record.GeneratedKey {
			keys = append(keys, in.Key)
			continue
		}
		if in.Kind == record.Ticked {
			if in.At > until {
				break
			}
			r.tick = f.TickAt(in.At)
		}
		if record.Apply(r.match, in); in.Kind == record.Ticked {
			r.roster()
		}
	}
	return r.stays, nil
}

// ObserveMove records a step right after it.
func (r *replayedMatch) ObserveMove(m *session.MoveStep) {
	s := r.here[m.Player]
	if s == nil {
		s = &presence{}
		r.here[m.Player] = s
		r.stays = append(r.stays, s)
	}
	after, _ := r.match.State(m.Player)
	s.steps = append(s.steps, step{r.stepped, r.tick, after})
}

// ObserveShot does nothing.
func (r *replayedMatch) ObserveShot(*shot.Shot, *shot.Receipt, []track.Entity) {}

// roster records names, joins and leaves.
func (r *replayedMatch) roster() {
	var seen [session.MaxPlayers + 1]bool
	r.infos = r.match.Players(r.infos[:0])
	for i := range r.infos {
		id := r.infos[i].ID
		seen[id] = true
		if s := r.here[id]; s != nil {
			s.name = r.infos[i].Name
		}
	}
	for id, s := range r.here {
		if s != nil && !seen[id] {
			s.left = r.tick
			r.here[id] = nil
		}
	}
}
