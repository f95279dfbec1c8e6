package lab

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// maxHidden bounds the time for which a target is reported to have been out of sight.
const maxHidden = clock.Second

// cover measures how long the targets of hits had been out of the shooter's line of sight.
type cover struct {
	world                            *collide.World // nil: nothing blocks the view
	poser                            *poser
	past                             []tickPoses  // a ring of the newest ticks
	newest                           int          // index of the newest
	hits                             []pendingHit // of this tick
	observerHitboxes, targetHitboxes []hitbox     // scratch
}

// tickPoses are the poses of all players after a tick.
type tickPoses struct {
	at    clock.Micros
	poses []track.Sample
}

// pendingHit is a hit of this tick: its receipt still lacks the time out of sight.
type pendingHit struct {
	shooter, victim session.PlayerID
	claim           int // index in shots.list
}

// addHits adds the players that a shot damaged in this tick; entities and the shooter do not
// count.
func (c *cover) addHits(shooter session.PlayerID, damaged []hitCount, claim, players int) {
	for _, s := range damaged {
		if int(s.target) <= players && s.target != shooter {
			c.hits = append(c.hits, pendingHit{shooter, s.target, claim})
		}
	}
}

func newCover(e *Experiment) *cover {
	n := int(maxHidden)*e.Server.TickRate()/int(clock.Second) + 1
	return &cover{world: e.World, poser: newPoser(e.Hitboxes), past: make([]tickPoses, n)}
}

// recordPoses records the poses after a tick.
func (c *cover) recordPoses(at clock.Micros, people []playerRecord) {
	c.newest = (c.newest + 1) % len(c.past)
	s := &c.past[c.newest]
	s.at, s.poses = at, s.poses[:0]
	for i := range people {
		s.poses = append(s.poses, people[i].pose)
	}
}

// hidden returns for how long, up to maxHidden, one player had been out of another's line of sight
// at the newest tick: since the last tick at which nothing of the world was between the eye of the
// other and the middle of one of the player's hitboxes.
func (c *cover) hidden(from, target session.PlayerID) clock.Micros {
	now := c.past[c.newest].at
	for back := range c.past {
		s := &c.past[(c.newest+len(c.past)-back)%len(c.past)]
		if len(s.poses) == 0 || now-s.at > maxHidden {
			break
		}
		if c.sees(&s.poses[from-1], &s.poses[target-1], s.at) {
			return now - s.at
		}
	}
	return maxHidden
}

// sees reports whether one pose sees any hitbox of another in the world of a match time.
func (c *cover) sees(from, target *track.Sample, at clock.Micros) bool {
	if c.world == nil {
		return true
	}
	view := collide.WorldAt{World: c.world, At: at}
	c.observerHitboxes, c.targetHitboxes = c.poser.pose(from, c.observerHitboxes[:0]), c.poser.pose(target, c.targetHitboxes[:0])
	eye := eyeOf(from, c.observerHitboxes)
	for i := range c.targetHitboxes {
		if free(&view, eye, c.targetHitboxes[i].middle()) {
			return true
		}
	}
	return len(c.targetHitboxes) == 0
}

func free(w *collide.WorldAt, from, to geom.Vec3) bool {
	_, blocked := w.Ray(from, to.Sub(from))
	return !blocked
}

// resolve completes the receipts of the hits of a tick.
func (c *cover) resolve(s *shots) {
	for _, h := range c.hits {
		k := &s.list[h.claim]
		k.hidden = max(k.hidden, c.hidden(h.shooter, h.victim))
		s.receipts[k.receipt].Hidden = seconds(k.hidden)
	}
	c.hits = c.hits[:0]
}
