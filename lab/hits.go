package lab

import (
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// hitCount counts the rays of a shot that hit one target, and those of them that hit its head.
type hitCount struct {
	target       track.ID
	count, heads int
}

// hitsOfOutcomes returns the targets hit on a screen, by ascending id.
func hitsOfOutcomes(outcomes []rewind.Outcome) []hitCount {
	var out []hitCount
	for i := range outcomes {
		o := &outcomes[i]
		if o.Kind != rewind.Player {
			continue
		}
		k := slices.IndexFunc(out, func(s hitCount) bool { return s.target == o.Target })
		if k < 0 {
			k = len(out)
			out = append(out, hitCount{target: o.Target})
		}
		out[k].count++
		out[k].heads += count(o.HitGroup == rig.Head)
	}
	return byTarget(out)
}

// hitsOfReceipt returns the targets that a receipt names, by ascending id, without the shooter's own
// share of a blast: the shooter may have been pushed meanwhile.
func hitsOfReceipt(r *shot.Receipt) []hitCount {
	var out []hitCount
	for _, h := range r.Events[:r.EventCount] {
		if h.Target == r.Shooter {
			continue
		}
		out = append(out, hitCount{h.Target, int(h.Count), int(h.Heads)})
	}
	if len(out) == 0 {
		return hitsOfOutcomes([]rewind.Outcome{r.Outcome})
	}
	return byTarget(out)
}

func byTarget(list []hitCount) []hitCount {
	slices.SortFunc(list, func(a, b hitCount) int { return int(a.target) - int(b.target) })
	return list
}

// includes reports whether all targets of b are in a.
func includes(a, b []hitCount) bool {
	return !slices.ContainsFunc(b, func(s hitCount) bool {
		return !slices.ContainsFunc(a, func(o hitCount) bool { return o.target == s.target })
	})
}

// FrameEventSource is a Client that shows the end of its projectiles before the server's receipt.
type FrameEventSource interface {
	// FrameEvents returns the events of the newest frame: those of kind session.Detonated without Again
	// are ends of the client's own projectiles.
	FrameEvents() []session.Event
}

// maxEndDistance is the largest distance of two ends of a projectile that agree, in metres. Both ends
// step the same flight, but meet characters and movers as each of them has them.
const maxEndDistance = 0.05

// noteFlights records where projectiles of a player ended on its screen.
func (m *measure) noteFlights(i int) {
	h, ok := As[FrameEventSource](m.players[i].client)
	if !ok || m.zero < 0 {
		return
	}
	for _, e := range h.FrameEvents() {
		if e.Kind != session.Detonated || e.Corrected || e.Player != session.PlayerID(i+1) {
			continue
		}
		k, ok := m.shots.claimed[shotKey{e.Player, e.Receipt.Shot, m.players[i].connection}]
		if !ok {
			continue
		}
		c := &m.shots.list[k]
		c.ended, c.saw, c.hits = true, e.Receipt.Outcome, hitsOfReceipt(&e.Receipt)
		m.compareEnds(c)
	}
}

// compareEnds compares the two ends of a projectile once both are known.
func (m *measure) compareEnds(c *claim) {
	if !c.projectile || !c.ended || !c.judged {
		return
	}
	apart := c.saw.Point.Dist(c.end)
	c.apart = apart
	c.agrees = apart <= maxEndDistance && c.hit.Kind == c.saw.Kind && c.hit.Target == c.saw.Target && slices.Equal(targets(c.hits), targets(c.damaged))
	m.shots.verdict(c)
	if c.receipt < len(m.shots.receipts) {
		m.shots.receipts[c.receipt].Agrees = c.agrees
	}
}

func targets(list []hitCount) (out []track.ID) {
	for _, s := range list {
		out = append(out, s.target)
	}
	return out
}

// maxFlightWait is how long after its launch a projectile counts as on its way: longer than the
// fuse of a rocket and a slow link. After it, an end that is missing is a disagreement.
const maxFlightWait = 5 * clock.Second

// swingGap is the time after a blade's last claim that begins another swing: more than a frame at
// 10 Hz, less than the cooldown of a blade.
const swingGap = 150 * clock.Millisecond

// swing is one swing of a blade.
type swing struct {
	last          clock.Micros
	hits, damaged []hitCount
	decided       bool
}

// swings groups the claims of a blade, which are in order of time, by swing.
func (m *measure) swings(weapon string) (list []swing) {
	open := map[int]int{} // by shooter: index in list
	for i := range m.shots.list {
		c := &m.shots.list[i]
		if m.weapon(c.weapon) != weapon || !c.melee {
			continue
		}
		k, ok := open[c.shooter]
		if !ok || c.at-list[k].last > swingGap {
			k = len(list)
			open[c.shooter] = k
			list = append(list, swing{decided: true})
		}
		s := &list[k]
		s.last = c.at
		s.hits, s.damaged = append(s.hits, c.hits...), append(s.damaged, c.damaged...)
		s.decided = s.decided && !m.late(c)
	}
	return list
}
