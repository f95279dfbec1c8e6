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

// struck is somebody whom a shot met: so many of its rays, so many of those the head.
type struck struct {
	target       track.ID
	count, heads int
}

// struckIn are those whom a screen showed to be met, by ascending id.
func struckIn(outcomes []rewind.Outcome) []struck {
	var out []struck
	for i := range outcomes {
		o := &outcomes[i]
		if o.Kind != rewind.Player {
			continue
		}
		k := slices.IndexFunc(out, func(s struck) bool { return s.target == o.Target })
		if k < 0 {
			k = len(out)
			out = append(out, struck{target: o.Target})
		}
		out[k].count++
		out[k].heads += count(o.Tag == rig.Head)
	}
	return byTarget(out)
}

// struckBy are those whom a receipt says were met, by ascending id; the shooter's own share
// of a blast is left aside, who may have been pushed meanwhile.
func struckBy(r *shot.Receipt) []struck {
	var out []struck
	for _, h := range r.Events[:r.EventCount] {
		if h.Target == r.Shooter {
			continue
		}
		out = append(out, struck{h.Target, int(h.Count), int(h.Heads)})
	}
	if len(out) == 0 {
		return struckIn([]rewind.Outcome{r.Outcome})
	}
	return byTarget(out)
}

func byTarget(list []struck) []struck {
	slices.SortFunc(list, func(a, b struck) int { return int(a.target) - int(b.target) })
	return list
}

// includes reports whether all targets of b are in a.
func includes(a, b []struck) bool {
	return !slices.ContainsFunc(b, func(s struck) bool {
		return !slices.ContainsFunc(a, func(o struck) bool { return o.target == s.target })
	})
}

// FrameEventSource is a Client whose projectiles end on its own screen before the server has said
// anything.
type FrameEventSource interface {
	// FrameEvents are the events of the newest frame: of kind session.Detonated those without Again
	// are where a flight of its own ended.
	FrameEvents() []session.Event
}

// samePlace is how far apart two ends of a projectile are at most that agree, in metres.
const samePlace = 0.05

// flown notes where projectiles of a player's ended on its screen.
func (m *measure) flown(i int) {
	h, ok := m.people[i].client.(FrameEventSource)
	if !ok || m.zero < 0 {
		return
	}
	for _, e := range h.FrameEvents() {
		if e.Kind != session.Detonated || e.Again || e.Player != session.PlayerID(i+1) {
			continue
		}
		k, ok := m.shots.claimed[shotKey{e.Player, e.Receipt.Shot}]
		if !ok {
			continue
		}
		c := &m.shots.list[k]
		c.ended, c.saw, c.hits = true, e.Receipt.Outcome, struckBy(&e.Receipt)
		m.meet(c)
	}
}

// meet compares the two ends of a projectile once both are known.
func (m *measure) meet(c *claim) {
	if !c.flies || !c.ended || !c.judged {
		return
	}
	apart := c.saw.Point.Dist(c.end)
	c.apart = apart
	c.agrees = apart <= samePlace && c.met.Kind == c.saw.Kind && c.met.Target == c.saw.Target && slices.Equal(targets(c.hits), targets(c.hurt))
	m.shots.verdict(c)
	if c.receipt < len(m.shots.receipts) {
		m.shots.receipts[c.receipt].Agrees = c.agrees
	}
}

func targets(list []struck) (out []track.ID) {
	for _, s := range list {
		out = append(out, s.target)
	}
	return out
}

// flightMost is for how long after it was fired a projectile is waited for.
const flightMost = 5 * clock.Second

// another is how long after a blade's last claim the next one is another swing's.
const another = 150 * clock.Millisecond

// swing is what one swing of a blade came to.
type swing struct {
	shooter    int
	last       clock.Micros
	hits, hurt []struck
	decided    bool
}

// swings groups the claims of blades, which are in order of time.
func (m *measure) swings(weapon string) (list []swing) {
	open := map[int]int{} // by shooter: index in list
	for i := range m.shots.list {
		c := &m.shots.list[i]
		if m.weapon(c.weapon) != weapon || !c.cuts {
			continue
		}
		k, ok := open[c.shooter]
		if !ok || c.at-list[k].last > another {
			k = len(list)
			open[c.shooter] = k
			list = append(list, swing{shooter: c.shooter, decided: true})
		}
		s := &list[k]
		s.last = c.at
		s.hits, s.hurt = append(s.hits, c.hits...), append(s.hurt, c.hurt...)
		s.decided = s.decided && !m.late(c)
	}
	return list
}
