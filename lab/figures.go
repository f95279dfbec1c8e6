package lab

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/predict"
)

// timeGain adds up the time that a player's commands simulate.
type timeGain struct {
	first      uint32 // first command of the run
	begun      bool
	simulated  clock.Micros
	began, end clock.Micros // match time of the first and the last command
	zero       clock.Micros // match time of time zero
	most       clock.Micros // the largest lead of simulated time over match time since zero
}

// add counts a step of a command of a player's connection, from 0, run at a match time. The first command only marks
// the beginning: its time had passed before.
func (g *timeGain) add(number uint32, connection int, d, now clock.Micros) {
	switch {
	case g.first == 0 || connection == 0 && int32(number-g.first) < 0: // numbers begin again with each connection
		return
	case !g.begun:
		g.begun, g.began, g.end = true, now, now
		return
	}
	g.simulated += d
	g.end = now
	g.most = max(g.most, g.simulated-(now-g.zero))
}

// ratio returns simulated time over elapsed time, minus 1; 0 where no time elapsed.
func (g *timeGain) ratio() float64 {
	if g.end <= g.began {
		return 0
	}
	return round(float64(g.simulated)/float64(g.end-g.began) - 1)
}

// ownerErrors returns the distances between the drawn positions and the server's positions after the
// same commands, −1 for frames with a command that the server never ran, and for those with a command that was
// combined with the next frame's. Both lists ascend by connection, and by number in each.
func ownerErrors(frames []frame, moves []ranCommand) []float64 {
	errors := make([]float64, len(frames))
	k := 0
	for i, f := range frames {
		for k < len(moves) && moves[k].before(&f) {
			k++
		}
		errors[i] = -1
		if i+1 < len(frames) && frames[i+1].number == f.number && frames[i+1].connection == f.connection {
			continue
		}
		if k < len(moves) && moves[k].number == f.number && moves[k].connection == f.connection {
			errors[i] = f.drawn.Dist(moves[k].position)
		}
	}
	return errors
}

// before reports whether a command was made before the newest one of a frame.
func (r *ranCommand) before(f *frame) bool {
	if r.connection != f.connection {
		return r.connection < f.connection
	}
	return int32(r.number-f.number) < 0
}

// known returns the errors that are known.
func known(errors []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(errors), func(e float64) bool { return e < 0 })
}

// result returns the result of the run.
func (r *run) result() *Result {
	m := r.measure
	end := r.zero + r.Duration
	m.trace(end + 1)
	out := &Result{
		Name: r.Name, Seed: r.Seed, Ticks: r.ticks, Hash: fmt.Sprintf("%016x", r.Server.Hash()),
		Duration: seconds(r.Duration), TickRate: r.Server.TickRate(),
		Players: map[string]*Figures{}, Order: []string{}, values: map[string]int{},
	}
	for i := range m.players {
		m.compare(i, 1<<62)
		p, name := &m.players[i], r.Players[i].Name
		out.Order = append(out.Order, name)
		out.Players[name] = p.figures(r.Duration)
		p.countValues(name, out.Players[name], out.values)
	}
	out.Shots = m.sumShots(out.values)
	if r.Series {
		out.Series = m.series()
	}
	return out
}

// applied counts the corrections that an owner applied, without teleports.
func applied(c *predict.OwnerCounters) int {
	return c.Corrections + c.ServerForces + c.Timeouts + c.Throttles
}

// figures returns the figures of one player in a run of some length.
func (p *playerRecord) figures(long clock.Micros) *Figures {
	errors := known(ownerErrors(p.frames, p.ran))
	s := p.client.Stats().Moves
	s = added(p.earlier, &s, 1)
	slices.SortStableFunc(p.events, func(a, b Event) int { return cmp.Compare(a.T, b.T) })
	f := &Figures{
		Trajectory:    p.trajectory,
		View:          View{len(p.frames), len(errors)},
		OwnerError:    spreadOf(errors),
		Corrections:   applied(&s),
		CorrectionMax: round(p.maxCorrection), CorrectedAgain: p.correctedAgain,
		Replayed:     s.Replayed,
		ServerForces: s.ServerForces, Timeouts: s.Timeouts, Throttles: s.Throttles,
		Teleports: s.Teleports,
		Moves: Moves{
			Made: s.Made, Sent: s.Sent, Combined: s.Combined,
			Resent: s.Resent, Rejected: p.refusals.count(),
		},
		Up:              round(float64(p.up) / long.Seconds()),
		Down:            round(float64(p.down) / long.Seconds()),
		Packets:         round(float64(p.packets) / long.Seconds()),
		MoveBytes:       round(float64(p.up) / float64(max(s.Sent+s.Resent, 1))),
		RemoteError:     spreadOf(p.errors),
		SpeedError:      spreadOf(p.speeds),
		Extrapolated:    round(float64(p.extrapolated) / float64(max(p.moving, 1))),
		Reversals:       p.reversals,
		Snaps:           p.snaps,
		Inside:          p.inside,
		ViewDelay:       spreadOf(slices.Clone(p.delays)),
		TimeDiscrepancy: TimeDiscrepancy{Gain: p.timeGain.ratio(), Gained: seconds(p.timeGain.most)},
		Events:          p.events,
		PathSummary:     wayOf(p.trajectory),
	}
	f.Recorded, f.Bodies = recordedErrors(p.done, p.ran), p.bodies.figures()
	if p.detected >= 0 {
		f.TimeDiscrepancy.Detected, f.TimeDiscrepancy.After = true, seconds(p.detected)
	}
	return f
}
