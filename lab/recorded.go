package lab

import (
	"errors"
	"os"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/session"
)

// readRecordings reads the files of commands of the players, nil for players without one.
func readRecordings(s *scenario.Scenario) ([]*scenario.Commands, error) {
	takes := make([]*scenario.Commands, len(s.Players))
	for i := range s.Players {
		p := &s.Players[i]
		if p.Commands == "" {
			continue
		}
		f, err := os.Open(p.Commands)
		if err != nil {
			return nil, s.ErrorAt(p.Line, "the commands of "+p.Name+" cannot be read: "+err.Error())
		}
		takes[i], err = scenario.ReadCommands(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, s.ErrorAt(p.Line, "the commands of "+p.Name+": "+err.Error())
		}
	}
	return takes, nil
}

// recorded reports whether any player's commands are recorded.
func (t *stage) recorded() bool {
	return slices.ContainsFunc(t.recordings, func(c *scenario.Commands) bool { return c != nil })
}

// zero returns the match time at which recorded commands need time zero, 0 without any.
func (t *stage) zero() (zero clock.Micros) {
	for _, c := range t.recordings {
		if c != nil {
			zero = max(zero, c.Zero)
		}
	}
	return zero
}

// recordedLead is how long before the end of a recorded command its frame is. A command that ends
// with a tick then still arrives in time for it, as the commands of the server's own bots did. The
// clock of a client without network delay is ahead by about half of predict.TimeQuantum, so the
// command ends at its recorded time.
const recordedLead = clock.Microsecond

// timesOf returns the times of the frames that make recorded commands, nil without any.
func timesOf(c *scenario.Commands) []clock.Micros {
	if c == nil {
		return nil
	}
	times := make([]clock.Micros, len(c.Commands))
	for i := range c.Commands {
		times[i] = max(c.Commands[i].End-recordedLead, 0)
	}
	return times
}

// restoreActions adds the actions that set the recorded states of players.
func (t *stage) restoreActions(m Match, orders []ServerAction) ([]ServerAction, error) {
	for i, c := range t.recordings {
		if c == nil {
			continue
		}
		r, ok := As[Restorer](m)
		if !ok {
			return nil, t.ErrorAt(t.Players[i].Line, "this game plays no recorded commands")
		}
		for _, p := range c.Places {
			id := session.PlayerID(i + 1)
			if err := r.Restore(id, p.Packed); err != nil { // checks the state: no player has joined yet
				return nil, t.ErrorAt(t.Players[i].Line, "a state in the commands of "+t.Players[i].Name+": "+err.Error())
			}
			do := func() { must(r.Restore(id, p.Packed)) }
			orders = append(orders, ServerAction{At: p.At, Do: do, Player: i})
		}
	}
	return sorted(orders, func(o ServerAction) clock.Micros { return o.At }), nil
}

// playRecorded plays one frame of a player with recorded commands: none before time zero, then one
// per frame.
func (r *controller) playRecorded(local, t clock.Micros) {
	h := Controls{Yaw: r.yaw}
	if r.held = t < 0 || r.next == len(r.recording.Commands); r.held {
		r.actor.Act(local, &h)
		return
	}
	c := &r.recording.Commands[r.next]
	h.Exact = c.Packed
	before := r.actor.Newest()
	r.actor.Act(local, &h)
	r.next++
	r.shotsAsked += len(r.actor.FiredShots())
	number := r.actor.Newest()
	if number == before {
		number = 0 // none was made, so none will have run
	}
	r.done = append(r.done, ranCommand{number, c.Position, 0})
}

// lostCommandError is the error of a command that the server never ran, in metres.
const lostCommandError = 1000

// recordedErrors returns the distances between the positions after recorded commands and the
// recorded positions.
func recordedErrors(done *[]ranCommand, here []ranCommand) *Spread {
	if done == nil || len(*done) == 0 {
		return nil
	}
	var errors []float64
	for _, d := range *done {
		i, ok := slices.BinarySearchFunc(here, d.number, func(r ranCommand, n uint32) int { return int(int32(r.number - n)) })
		if !ok {
			errors = append(errors, lostCommandError)
			continue
		}
		errors = append(errors, here[i].position.Dist(d.position))
	}
	s := spreadOf(errors)
	return &s
}
