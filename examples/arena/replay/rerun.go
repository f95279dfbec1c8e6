package replay

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// step is one step of a player's moves as the server ran it, time without a command of
// its own included.
type step struct {
	arena.StepInput
	tick  uint32
	after arena.Hero
}

// stay is somebody's time in a seat, and what was done in it.
type stay struct {
	id    session.PlayerID
	name  string
	steps []step
	left  uint32 // tick after which the seat was free; 0: never
}

// rerun is a match that is played again, and what everybody does in it.
type rerun struct {
	match   *arena.Match
	stepped arena.StepInput
	tick    uint32
	stays   []*stay
	here    [session.MaxPlayers + 1]*stay
	infos   []session.PlayerInfo
}

// staysOf plays a recording again up to a match time, and returns who was there.
func staysOf(f *record.File, until clock.Micros) ([]*stay, error) {
	var r rerun
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
		if in.Kind == record.Drew {
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

// ObserveMove notes a step right after it.
func (r *rerun) ObserveMove(m *session.MoveStep) {
	s := r.here[m.Player]
	if s == nil {
		s = &stay{id: m.Player}
		r.here[m.Player] = s
		r.stays = append(r.stays, s)
	}
	after, _ := r.match.State(m.Player)
	s.steps = append(s.steps, step{r.stepped, r.tick, after})
}

// ObserveShot is of no interest.
func (r *rerun) ObserveShot(*shot.Shot, *shot.Receipt, []track.Entity) {}

// roster notes names, and whose seat is free or somebody else's.
func (r *rerun) roster() {
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
