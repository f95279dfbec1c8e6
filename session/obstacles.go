package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// How others become obstacles.
const (
	// blockReach is how far away, in metres, a player may be to count as an obstacle.
	blockReach = 6.0
	// wallReach is how far away, in metres, walls stop an extrapolated player: further away it
	// cannot be in the way of one command.
	wallReach = 0.5 * blockReach
	// blockAhead is for how long at most a pose is extrapolated.
	blockAhead = 250 * clock.Millisecond
	// blockOldest is how old the snapshot that a command names may be: a client cannot choose
	// obstacles of long ago [THR-20].
	blockOldest = 500 * clock.Millisecond
	// blockNear is within how many metres a player is in every snapshot: one that was further
	// away would have to come nearer by 48 m/s to be in the way within blockAhead.
	blockNear = 3 * blockReach
)

// move is a game's command with what the session adds to it.
type move[C any] struct {
	Game C
	// Seen is the tick of the newest snapshot that the client had when it made the
	// command: the others in its way are those of that snapshot, on both ends. Zero
	// where players do not block each other.
	Seen uint32
}

// packSeen packs Seen as its step from the command before, one bit for a step of 1.
func (m *move[C]) packSeen(p *bits.Packer, before *move[C]) {
	step := int64(int32(m.Seen - before.Seen))
	next := step == 1
	p.Bool(&next)
	if next {
		m.Seen = before.Seen + 1
		return
	}
	p.Varint(&step)
	if step == 1 || step != int64(int32(step)) {
		p.Fail(bits.ErrRange)
		step = 0
	}
	m.Seen = before.Seen + uint32(step)
}

// obstacleFinder finds the obstacles of a command: every nearby player in one snapshot, extrapolated
// to the command's stamp. The snapshot is named by the command, so owner and
// authority find the same obstacles bit for bit, also in a replay.
type obstacleFinder struct {
	shape bodyCapsule
	// character is Game.isCharacter; nil for kind 0 alone.
	character func(kind track.Kind) bool
	snapshots *track.SnapshotHistory
	self      track.ID
	// firstSent is the first tick that a server has sent to the client, and timeline its
	// match's; nil on a client, which has received all of its snapshots.
	firstSent uint32
	timeline  *timeline
	// sent is what a server has sent the client; nil where that is all, and on a client,
	// which has no other snapshots.
	sent *track.SentLog

	pose   track.Sample     // scratch: arguments of an interface escape
	me     collide.Obstacle // the player that moves
	level  collide.WorldAt  // what stops those that are extrapolated
	found  [collide.MaxObstacles]collide.Obstacle
	by     [collide.MaxObstacles]geom.Vec3 // displacement of each by extrapolation
	distSq [collide.MaxObstacles]float64
	n      int
}

// snapshot returns the snapshot that a command made at stamp names, and the log of what the client was
// sent of it, nil for all. If a server does not accept it, it uses all of its newest.
func (c *obstacleFinder) snapshot(seen uint32, stamp clock.Micros) (*track.Snapshot, *track.SentLog) {
	f := c.snapshots.Snapshot(seen)
	if c.timeline == nil {
		return f, nil
	}
	sent := c.sent == nil || c.sent.Snapshot(seen).Exists() // not one that the client's link had no room for
	if f == nil || !sent || c.firstSent == 0 || seen < c.firstSent || !c.timeline.sends(seen) || stamp-f.At > blockOldest {
		return c.snapshots.Snapshot(c.snapshots.Newest()), nil
	}
	return f, c.sent
}

// find returns the obstacles of a command that ends at stamp, of a player that is
// seen in the pose self: by ascending id, at most MaxObstacles, the nearest. Valid
// until the next call.
func (c *obstacleFinder) find(w *collide.World, self track.Sample, seen uint32, stamp clock.Micros) []collide.Obstacle {
	c.n = 0
	frame, log := c.snapshot(seen, stamp)
	c.pose = self.ToWorld(w, stamp)
	from := c.pose.Position
	body, solid := c.shape(&c.pose)
	if frame == nil || !solid {
		return nil
	}
	c.me.Capsule = body
	var sent track.Sent
	if log != nil {
		sent = log.Snapshot(frame.Tick)
	}
	for i := range frame.Len() {
		id := frame.ID(i)
		if id == c.self || !c.blocks(frame.Kind(i)) || log != nil && !sent.Has(id) {
			continue
		}
		c.consider(w, frame, i, from, stamp)
	}
	c.level.World, c.level.At = w, stamp
	found := c.found[:c.n]
	for i := range found {
		c.stopAtWalls(&found[i], c.by[i], from)
	}
	return found
}

// blocks reports whether entities of a kind are obstacles: players, and what else is a character.
func (c *obstacleFinder) blocks(kind track.Kind) bool {
	return kind == 0 || c.character != nil && c.character(kind)
}

// consider adds the i-th player of a snapshot if it is an obstacle: near now or at the stamp.
func (c *obstacleFinder) consider(w *collide.World, frame *track.Snapshot, i int, from geom.Vec3, stamp clock.Micros) {
	now, base := frame.Position(i)
	if base == collide.Static && now.Sub(from).LenSq() > 9*blockReach*blockReach {
		return // too far to come within blockReach in blockAhead
	}
	at, _, velocity := frame.Path(i)
	later := now.MulAdd(velocity, geom.Clamp((stamp-at).Seconds(), 0, blockAhead.Seconds()))
	if base == collide.Static && !near(now, later, from) {
		return // most are decoded no further
	}
	frame.Load(i, &c.pose)
	if base != collide.Static { // in its own frame so far
		moved := c.pose
		moved.Position = later
		later = moved.ToWorld(w, stamp).Position
		c.pose = c.pose.ToWorld(w, stamp)
		if now = c.pose.Position; !near(now, later, from) {
			return
		}
	}
	body, solid := c.shape(&c.pose)
	if !solid {
		return
	}
	by := c.extrapolate(body, later.Sub(now))
	body = body.Moved(by)
	o := collide.Obstacle{ID: uint16(frame.ID(i)), Kind: uint8(c.pose.Kind), Capsule: body, Velocity: c.pose.Velocity, Yaw: c.pose.Yaw}
	c.keep(o, by, body.A.Lerp(body.B, 0.5).Sub(from).LenSq())
}

// near reports whether one of two positions is within blockReach.
func near(now, later, from geom.Vec3) bool {
	return !(min(now.Sub(from).LenSq(), later.Sub(from).LenSq()) > blockReach*blockReach)
}

// extrapolate returns how far of the way by a body gets before it touches the player that
// moves: others are not extrapolated into it.
func (c *obstacleFinder) extrapolate(body geom.Capsule, by geom.Vec3) geom.Vec3 {
	if by.IsZero() {
		return by
	}
	if hit, ok := c.me.SweepCapsule(body, by); ok {
		by = by.Mul(hit.Fraction)
	}
	return by
}

// stopAtWalls moves an obstacle back to the wall that it was extrapolated through, by the displacement by
// [BAS-09]. Only the upper half of its body is swept, so that stairs and slopes do not stop it.
// Obstacles that stay far from the moving player, at from, are not tested.
func (c *obstacleFinder) stopAtWalls(o *collide.Obstacle, by, from geom.Vec3) {
	upper := o.Capsule.Moved(by.Neg())
	if by.IsZero() || min(o.Capsule.A.Sub(from).LenSq(), upper.A.Sub(from).LenSq()) > wallReach*wallReach {
		return
	}
	upper.A = upper.A.Lerp(upper.B, 0.5)
	if hit, ok := c.level.SweepCapsule(upper, by); ok && !hit.Penetrating {
		o.Capsule = o.Capsule.Moved(by.Mul(hit.Fraction - 1))
	}
}

// keep adds an obstacle with a higher id than those before, displaced by by. If there is no room it
// replaces the farthest.
func (c *obstacleFinder) keep(o collide.Obstacle, by geom.Vec3, distSq float64) {
	if c.n == len(c.found) {
		far := 0
		for i, d := range c.distSq {
			if d > c.distSq[far] {
				far = i
			}
		}
		if distSq >= c.distSq[far] {
			return
		}
		c.n--
		copy(c.found[far:], c.found[far+1:])
		copy(c.by[far:], c.by[far+1:])
		copy(c.distSq[far:], c.distSq[far+1:])
	}
	c.found[c.n], c.by[c.n], c.distSq[c.n] = o, by, distSq
	c.n++
}

// bodyCapsule is Game.BodyCapsule.
type bodyCapsule = func(pose *track.Sample) (geom.Capsule, bool)

// bodyShape returns a game's bodies, by which extrapolated characters are swept; nil where the
// game has none. It serves one goroutine.
func (g *Game[S, C]) bodyShape() track.BodyShape {
	if g.BodyCapsule == nil {
		return nil
	}
	return &swept{shape: g.BodyCapsule, character: g.isCharacter}
}

// swept is a game's bodies by a copy of the pose: a pointer to the caller's would escape, and
// allocate for each call.
type swept struct {
	shape     bodyCapsule
	character func(kind track.Kind) bool
	pose      track.Sample
}

// BodyCapsule implements track.BodyShape.
func (s *swept) BodyCapsule(pose track.Sample) (geom.Capsule, bool) {
	if !s.character(pose.Kind) {
		return geom.Capsule{}, false
	}
	s.pose = pose
	return s.shape(&s.pose)
}
