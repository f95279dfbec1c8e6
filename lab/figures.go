package lab

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/predict"
)

// gain adds up how much time a player's commands simulate.
type gain struct {
	first      uint32 // command that counts; the ones before it are not of the run
	begun      bool
	simulated  clock.Micros
	began, end clock.Micros // match time of the first and the last command
	zero       clock.Micros // match time of time zero
	most       clock.Micros // by which simulated was ever more than had passed since
}

// add counts a step of a command, run at a match time. The first command only
// marks the beginning: its time had passed before.
func (g *gain) add(number uint32, d, now clock.Micros) {
	switch {
	case g.first == 0 || int32(number-g.first) < 0:
		return
	case !g.begun:
		g.begun, g.began, g.end = true, now, now
		return
	}
	g.simulated += d
	g.end = now
	g.most = max(g.most, g.simulated-(now-g.zero))
}

// ratio is simulated time over elapsed time, minus 1; 0 where nothing elapsed.
func (g *gain) ratio() float64 {
	if g.end <= g.began {
		return 0
	}
	return round(float64(g.simulated)/float64(g.end-g.began) - 1)
}

// ownerErrors are the distances between what was drawn and where the same command
// led on the server, −1 for frames whose command it never ran, and for those whose
// command went on to grow with the next frame. Both lists ascend by number.
func ownerErrors(frames []frame, moves []ran) []float64 {
	errors := make([]float64, len(frames))
	k := 0
	for i, f := range frames {
		for k < len(moves) && int32(moves[k].number-f.number) < 0 {
			k++
		}
		errors[i] = -1
		if i+1 < len(frames) && frames[i+1].number == f.number {
			continue
		}
		if k < len(moves) && moves[k].number == f.number {
			errors[i] = f.drawn.Dist(moves[k].position)
		}
	}
	return errors
}

// known leaves out what is not.
func known(errors []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(errors), func(e float64) bool { return e < 0 })
}

// result sums the run up.
func (r *run) result() *Result {
	m := r.measure
	end := r.zero + r.Duration
	m.trace(end + 1)
	out := &Result{
		Name: r.Name, Seed: r.Seed, Ticks: r.ticks, Hash: fmt.Sprintf("%016x", r.Server.Hash()),
		Duration: seconds(r.Duration), TickRate: r.TickRate,
		Players: map[string]*Figures{}, Order: []string{},
	}
	for i := range m.people {
		m.compare(i, 1<<62)
		p, name := &m.people[i], r.Players[i].Name
		out.Order = append(out.Order, name)
		out.Players[name] = p.figures(r.Duration)
	}
	out.Shots = m.sumShots()
	if r.Series {
		out.Series = m.series()
	}
	return out
}

// applied counts the corrections that an owner applied, placements left aside.
func applied(c *predict.OwnerCounters) int {
	return c.Corrections + c.ServerForces + c.Timeouts + c.Throttles
}

// figures sums one player up, of a run that long.
func (p *person) figures(long clock.Micros) *Figures {
	errors := known(ownerErrors(p.frames, p.ran))
	s := p.client.Stats().Moves
	before := p.stats.Moves
	slices.SortStableFunc(p.events, func(a, b Event) int { return cmp.Compare(a.T, b.T) })
	f := &Figures{
		Trajectory:    p.trajectory,
		View:          View{len(p.frames), len(errors)},
		OwnerError:    spreadOf(errors),
		Corrections:   applied(&s) - applied(&before),
		CorrectionMax: round(p.worst), CorrectedAgain: p.again,
		Replayed: s.Replayed - before.Replayed,
		ServerForces:  s.ServerForces - before.ServerForces, Timeouts: s.Timeouts - before.Timeouts, Throttles: s.Throttles - before.Throttles,
		Teleports: s.Teleports - before.Teleports,
		Moves: Moves{
			Made: s.Made - before.Made, Sent: s.Sent - before.Sent, Combined: s.Combined - before.Combined,
			Resent: s.Resent - before.Resent, Rejected: p.rejected,
		},
		Up:              round(float64(p.up) / long.Seconds()),
		Down:            round(float64(p.down) / long.Seconds()),
		Packets:         round(float64(p.packets) / long.Seconds()),
		MoveBytes:       round(float64(p.up) / float64(max(s.Sent-before.Sent+s.Resent-before.Resent, 1))),
		RemoteError:     spreadOf(p.errors),
		SpeedError:      spreadOf(p.speeds),
		Extrapolated:         round(float64(p.starved) / float64(max(p.moving, 1))),
		Reversals:       p.reversals,
		Snaps:           p.snaps,
		Inside:          p.inside,
		ViewDelay:       spreadOf(slices.Clone(p.delays)),
		TimeDiscrepancy: TimeDiscrepancy{Gain: p.gain.ratio(), Gained: seconds(p.gain.most)},
		Events:          p.events,
		PathSummary:             wayOf(p.trajectory),
	}
	f.Recorded, f.Bodies = recordedErrors(p.done, p.ran), p.bodies.figures()
	if p.detected >= 0 {
		f.TimeDiscrepancy.Detected, f.TimeDiscrepancy.After = true, seconds(p.detected)
	}
	return f
}
