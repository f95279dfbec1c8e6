package npc

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/track"
)

// How characters walk.
const (
	pathRoom     = 64                      // corners of a path for which a character has memory from the beginning
	pathReach    = 1.2                     // metres off the mesh at which a path may begin and end
	cornerRadius = 0.3                     // metres at which a corner counts as reached
	checkEvery   = 700 * clock.Millisecond // between checks of progress
	leastWay     = 0.3                     // metres of progress between two checks
	crowdedGoal  = 1.5                     // metres from the goal at which a character that gets no further has arrived
	asideTime    = 400 * clock.Millisecond // for which one that is stuck walks aside
	throughTime  = clock.Second            // for which one that stays stuck walks through other characters
	avoidFrom    = 3.0                     // metres ahead at which a character begins to step aside
	avoidWidth   = 0.8                     // metres to either side that count as in the way
	avoidHeight  = 1.0                     // metres above and below that do
)

// steering is where a character is going.
type steering struct {
	follower  nav.Follower
	goal      geom.Vec3
	walking   bool      // it has a goal
	searching bool      // it waits for a path to it
	look      geom.Vec3 // the point that it faces
	looks     bool      // look is set
	solid     bool      // it collides with other characters

	command    movement.Command
	from       geom.Vec3    // where it was at the last check
	checkAt    clock.Micros // when its progress is checked next
	stuck      int          // successive checks without progress
	asideUntil clock.Micros // until then it walks aside
	aside      geom.Vec3    // the direction then
	through    clock.Micros // until then it walks through other characters
}

// stop forgets the goal.
func (s *steering) stop() {
	s.walking, s.searching, s.stuck, s.asideUntil = false, false, 0, 0
	s.follower.Stop()
}

// Steer sends a character to a goal, a place for its feet: it walks there, around others, by a path that
// one of the next Steps searches. The event Arrived or Unreachable follows. It replaces an earlier
// goal.
func (c *Crowd) Steer(id track.ID, goal geom.Vec3) {
	if c.config.Mesh == nil {
		panic("npc: Steer needs Config.Mesh: bake one with nav.Bake for the level")
	}
	n := c.get(id)
	if n.dead {
		return
	}
	// The path to an earlier goal is followed until the new one is found.
	n.goal, n.walking, n.searching, n.stuck = goal, true, true, 0
	// Progress counts from now on: the time before, in which the character stood, is not that of one that is
	// stuck.
	n.from, n.checkAt = n.state.Position, c.at+checkEvery
}

// Stop makes a character stand where it is.
func (c *Crowd) Stop(id track.ID) { c.get(id).stop() }

// Goal returns where a character is going, and false for one that stands.
func (c *Crowd) Goal(id track.ID) (geom.Vec3, bool) {
	n := c.get(id)
	return n.goal, n.walking
}

// LookAt makes a character face a point, also while it walks, until LookAhead.
func (c *Crowd) LookAt(id track.ID, at geom.Vec3) {
	n := c.get(id)
	n.look, n.looks = at, true
}

// LookAhead makes a character face the direction in which it walks, which is the default.
func (c *Crowd) LookAhead(id track.ID) { c.get(id).looks = false }

// searchPaths searches the paths of those that wait for one, at most Config.Paths, in turn.
func (c *Crowd) searchPaths() {
	// It goes on where the Step before stopped, so that none waits for ever while many search.
	left := c.config.Paths
	for range c.list {
		if c.search >= len(c.list) {
			c.search = 0
		}
		n := c.list[c.search]
		c.search++
		// A path from the air would begin at a place where the character does not land.
		if !n.searching || n.dead || n.state.Mode == movement.Falling {
			continue
		}
		c.searchPath(n)
		if left--; left == 0 {
			return
		}
	}
}

// searchPath searches the path of one character.
func (c *Crowd) searchPath(n *character) {
	n.searching = false
	// A nav-walker stays on the mesh, and never steps over its edge.
	c.query.Avoid = c.config.Avoid
	if n.kind.Mode == movement.NavWalking {
		c.query.Avoid |= 1 << nav.Drop
	}
	way, ok := c.query.Path(n.state.Position, n.goal, c.path[:0])
	// Path has grown the memory if it was too short: the next search has the larger one.
	c.path = way
	if !ok {
		n.stop()
		c.events = append(c.events, Event{Unreachable, n.id})
		return
	}
	n.follower.Follow(way)
}

// steer returns a character's command for its next move of d.
func (c *Crowd) steer(n *character, d clock.Micros) *movement.Command {
	want := geom.Vec3{}
	if n.walking {
		// Velocity passes the corners that are reached, so Done is known after it.
		want = n.follower.Velocity(n.state.Position)
		// The end of an old path is no arrival while the path to another goal is not found.
		if !n.searching && n.follower.Done() {
			c.arrive(n)
		}
		c.checkProgress(n)
	}
	// One that passes by a corner of a border may get from one side of it to the other for ever.
	if n.kind.Mode == movement.NavWalking {
		want = want.ClampLen(n.follower.Next().At.Sub(n.state.Position).Flat(geom.Up).Len() / d.Seconds())
	}
	// At half the speed: a step aside only makes room.
	if c.at < n.asideUntil && c.open(n.state.Position, n.aside) {
		want = n.aside.Mul(n.kind.Speed * 0.5)
	} else if !want.IsZero() {
		want = c.avoid(n, want)
	}
	n.solid = c.at >= n.through
	n.command = movement.Command{Request: want, Yaw: c.facing(n, want, d)}
	// As a player's command, so that both walk by the same numbers.
	n.command.Quantise()
	return &n.command
}

// arrive ends the way of a character.
func (c *Crowd) arrive(n *character) {
	n.stop()
	c.events = append(c.events, Event{Arrived, n.id})
}

// facing returns the yaw of a character after d: turned towards where it looks, or walks.
func (c *Crowd) facing(n *character, want geom.Vec3, d clock.Micros) float64 {
	dir := want
	if n.looks {
		dir = n.look.Sub(n.state.Position)
	}
	if dir.X == 0 && dir.Z == 0 {
		return n.state.Yaw
	}
	most := float64(n.kind.TurnRate * d.Seconds())
	return geom.WrapAngle(n.state.Yaw + geom.Clamp(geom.WrapAngle(geom.Yaw(dir)-n.state.Yaw), -most, most))
}

// checkProgress checks every checkEvery whether a walking character makes progress. If it does not, near its
// goal it has arrived, because others stand there. Elsewhere it searches a new path, and first walks aside
// for a moment, then through the other characters: two crowds that meet in a door would otherwise stand there
// for ever. It never walks through players.
func (c *Crowd) checkProgress(n *character) {
	if c.at < n.checkAt {
		return
	}
	moved := n.state.Position.Dist(n.from)
	n.from, n.checkAt = n.state.Position, c.at+checkEvery
	// One that still waits for its path is not stuck: it stands because many search.
	if moved >= leastWay || n.searching || !n.walking {
		n.stuck = 0
		return
	}
	if n.state.Position.Dist(n.goal) < crowdedGoal {
		c.arrive(n)
		return
	}
	n.stuck++
	n.searching = true
	// Every second time: the step aside before it did not help.
	if n.stuck&1 == 0 {
		n.through = c.at + throughTime
		return
	}
	n.asideUntil = c.at + asideTime
	// The side by the id, so that neighbours do not all step to the same one.
	side := 1.0
	if n.id&1 == 0 {
		side = -1
	}
	n.aside = n.follower.Next().At.Sub(n.state.Position).Flat(geom.Up).Unit().Cross(geom.Up).Mul(side)
}

// avoid steers a velocity around the nearest character in the way, on the nearer side, if the mesh goes
// on there.
func (c *Crowd) avoid(n *character, want geom.Vec3) geom.Vec3 {
	dir, speed := want.Unit(), want.Len()
	right := dir.Cross(geom.Up)
	ahead, aside, ok := c.near.inTheWay(n, dir, right, speed)
	if !ok {
		return want
	}
	// One that is straight ahead is passed on the right, so that two that meet do not mirror each other.
	side := -1.0
	if aside <= 0.05 {
		side = 1
	}
	// Harder the nearer the other is: from nothing at avoidFrom to 45° at 0 m. Without the clamp a step aside
	// would be faster than the follower asks for, which slows down for corners.
	out := want.MulAdd(right, float64(side*speed)*(1-ahead/avoidFrom)).ClampLen(speed)
	if c.open(n.state.Position, out.Unit()) {
		return out
	}
	return want
}

// open reports whether the mesh goes on for a step in a direction.
func (c *Crowd) open(at, dir geom.Vec3) bool {
	// A step to the side must lead neither over an edge nor against a wall.
	const step = 0.8
	ref, on, ok := c.config.Mesh.Nearest(at, pathReach)
	if !ok {
		return false
	}
	_, _, hit := c.config.Mesh.Raycast(ref, on, on.MulAdd(dir, step))
	return !hit
}

// sideOf returns how far a point is ahead and to the right, and whether it counts as in the way.
func sideOf(way, dir, right geom.Vec3) (ahead, aside float64, ok bool) {
	ahead, aside = way.Dot(dir), way.Dot(right)
	return ahead, aside, ahead > 0 && ahead < avoidFrom && math.Abs(aside) < avoidWidth && math.Abs(way.Y) < avoidHeight
}
