package lab

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// longest is how far back somebody who was hit is looked for in the shooter's sight.
const longest = clock.Second

// cover finds out how long those who were hit had been out of their shooters' sight.
type cover struct {
	world      *collide.World // nil: there is nothing to hide behind
	model      *modeller
	past       []standing   // a ring of the newest ticks
	newest     int          // index of the newest
	hits       []coveredHit // of this tick
	seer, seen []volume     // scratch
}

// standing is how everybody stood after a tick.
type standing struct {
	at    clock.Micros
	poses []track.Sample
}

// coveredHit is a hit whose receipt is to be told for how long the victim was hidden.
type coveredHit struct {
	shooter, victim session.PlayerID
	claim           int // index in shots.list
}

// note notes that a shot, claim, hurt somebody in this tick; things count for nobody.
func (c *cover) note(shooter session.PlayerID, hurt []struck, claim, players int) {
	for _, s := range hurt {
		if int(s.target) <= players && s.target != shooter {
			c.hits = append(c.hits, coveredHit{shooter, s.target, claim})
		}
	}
}

func newCover(e *Experiment) *cover {
	n := int(longest)*e.TickRate/int(clock.Second) + 1
	return &cover{world: e.World, model: newModeller(e.Hitboxes), past: make([]standing, n)}
}

// stand notes how everybody stands after a tick.
func (c *cover) stand(at clock.Micros, people []person) {
	c.newest = (c.newest + 1) % len(c.past)
	s := &c.past[c.newest]
	s.at, s.poses = at, s.poses[:0]
	for i := range people {
		s.poses = append(s.poses, people[i].pose)
	}
}

// hidden is for how long, up to longest, a player had been out of another's sight at the
// newest tick: since the last one at which the other's eye and the middle of one of the
// player's volumes had nothing of the world between them, each where the server had it then.
func (c *cover) hidden(from, whom session.PlayerID) clock.Micros {
	now := c.past[c.newest].at
	for back := range c.past {
		s := &c.past[(c.newest+len(c.past)-back)%len(c.past)]
		if len(s.poses) == 0 || now-s.at > longest {
			break
		}
		if c.sees(&s.poses[from-1], &s.poses[whom-1], s.at) {
			return now - s.at
		}
	}
	return longest
}

// sees reports whether one sees any volume of another in the world of a match time.
func (c *cover) sees(from, whom *track.Sample, at clock.Micros) bool {
	if c.world == nil {
		return true
	}
	view := collide.WorldAt{World: c.world, At: at}
	c.seer, c.seen = c.model.pose(from, c.seer[:0]), c.model.pose(whom, c.seen[:0])
	eye := eyeOf(from, c.seer)
	for i := range c.seen {
		if free(&view, eye, c.seen[i].middle()) {
			return true
		}
	}
	return len(c.seen) == 0
}

func free(w *collide.WorldAt, from, to geom.Vec3) bool {
	_, blocked := w.Ray(from, to.Sub(from))
	return !blocked
}

// settle looks the hits of a tick up.
func (c *cover) settle(s *shots) {
	for _, h := range c.hits {
		k := &s.list[h.claim]
		k.hidden = max(k.hidden, c.hidden(h.shooter, h.victim))
		s.receipts[k.receipt].Hidden = seconds(k.hidden)
	}
	c.hits = c.hits[:0]
}
