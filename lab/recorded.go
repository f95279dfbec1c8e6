package lab

import (
	"errors"
	"os"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/session"
)

// takesOf reads the players' files of commands.
func takesOf(s *scenario.Scenario) ([]*scenario.Commands, error) {
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

// recorded reports whether anybody's commands are a recording's.
func (t *theatre) recorded() bool {
	return slices.ContainsFunc(t.takes, func(c *scenario.Commands) bool { return c != nil })
}

// zero is the match time that recorded commands want time zero at, 0 for none.
func (t *theatre) zero() (zero clock.Micros) {
	for _, c := range t.takes {
		if c != nil {
			zero = max(zero, c.Zero)
		}
	}
	return zero
}

// early is by how much a recorded command's frame is before its end: so little that one
// that ends with a tick is there in time, as a bot's of the server's own was. A client's
// clock over a line without delay is ahead by about half of predict.TimeQuantum, so the command
// ends when it did.
const early = clock.Microsecond

// timesOf are the frames in which recorded commands are made, nil without any.
func timesOf(c *scenario.Commands) []clock.Micros {
	if c == nil {
		return nil
	}
	times := make([]clock.Micros, len(c.Commands))
	for i := range c.Commands {
		times[i] = max(c.Commands[i].End-early, 0)
	}
	return times
}

// restores adds to the orders those that put players where a recording had them.
func (t *theatre) restores(m Match, orders []ServerAction) ([]ServerAction, error) {
	for i, c := range t.takes {
		if c == nil {
			continue
		}
		r, ok := m.(Restorer)
		if !ok {
			return nil, t.ErrorAt(t.Players[i].Line, "this game plays no recorded commands")
		}
		for _, p := range c.Places {
			id := session.PlayerID(i + 1)
			if err := r.Restore(id, p.Packed); err != nil { // whose seat is empty yet
				return nil, t.ErrorAt(t.Players[i].Line, "a state in the commands of "+t.Players[i].Name+": "+err.Error())
			}
			do := func() { must(r.Restore(id, p.Packed)) }
			orders = append(orders, ServerAction{At: p.At, Do: do, Player: i})
		}
	}
	return sorted(orders, func(o ServerAction) clock.Micros { return o.At }), nil
}

// repeat is one frame of a player whose commands are recorded: until time zero nothing,
// then a command each.
func (r *role) repeat(local, t clock.Micros) {
	h := Controls{Yaw: r.yaw}
	if r.held = t < 0 || r.next == len(r.take.Commands); r.held {
		r.actor.Act(local, &h)
		return
	}
	c := &r.take.Commands[r.next]
	h.Exact = c.Packed
	before := r.actor.Newest()
	r.actor.Act(local, &h)
	r.next++
	r.asked += len(r.actor.FiredShots())
	number := r.actor.Newest()
	if number == before {
		number = 0 // none was made, so none will have run
	}
	r.done = append(r.done, ran{number, c.Position})
}

// astray is how far off a command is that the server never ran, in metres.
const astray = 1000

// recordedErrors compares where recorded commands led with where they had.
func recordedErrors(done *[]ran, here []ran) *Spread {
	if done == nil || len(*done) == 0 {
		return nil
	}
	var errors []float64
	for _, d := range *done {
		i, ok := slices.BinarySearchFunc(here, d.number, func(r ran, n uint32) int { return int(int32(r.number - n)) })
		if !ok {
			errors = append(errors, astray)
			continue
		}
		errors = append(errors, here[i].position.Dist(d.position))
	}
	s := spreadOf(errors)
	return &s
}
