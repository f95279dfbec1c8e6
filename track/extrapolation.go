package track

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/smoothing"
)

// BodyShape says how large a game's characters are.
type BodyShape interface {
	// BodyCapsule returns the capsule of a character in that pose, in metres and the world's
	// frame; false for an entity that nothing stops, such as one of a Kind that is no character.
	BodyCapsule(pose Sample) (geom.Capsule, bool)
}

// Extrapolation says how entities are extrapolated in views that are DrawLinear or
// DrawExponential. Client and server must have the same, or shots are not judged as they were
// seen. The zero Extrapolation continues straight on, through walls.
type Extrapolation struct {
	// Body is swept against the level for the entities that have one, so that none is drawn in a wall
	// [SMO-15]. Movers and other characters do not stop it. Nil: nothing does.
	Body BodyShape
	// Step, if it is not nil, moves a sample by the entity's own motion in d, instead of
	// straight on by its velocity [SIM-03]. It is called for entities that do not ride on a
	// mover. An Extrapolation with a Step, and one that is Stateful, serves one goroutine.
	Step func(s *Sample, d clock.Micros)
	// Stateful says to keep corrections from one frame to the next, as a client does.
	Stateful bool

	scratch Sample
	cache   correctionCache
}

// correction is the displacement of one entity by an arrival, between two places of the
// arrival's instant.
type correction struct {
	world         *collide.World
	at            clock.Micros
	before, after uint32 // ticks of the samples
	old, new      place
	began, stamp  clock.Micros // of the samples
	still         bool         // the sample before stands
	samePath      bool         // the samples are on one path
}

// deadReckoned makes s, which is an entity's newest sample, the pose that an extrapolating view
// shows, in the world's frame.
func (w *walk) deadReckoned(id ID, newest sampleRef, s *Sample) SampleSource {
	still := s.standing()
	source := w.carry(s, w.view.At)
	var g smoother
	if !w.smooth(id, newest, still, s, &g) {
		return source
	}
	// What is left of a correction is added last, and swept too: an entity that was corrected
	// around a corner must not be drawn in the wall between.
	body := placeOf(s)
	drawn := g.place(w.view.Mode, body)
	w.sweep(s, drawn.at)
	switch {
	case drawn.turn == body.turn:
	case s.Rotation != geom.Quat{}:
		s.Rotation = drawn.turn
	default:
		s.Yaw = geom.WrapAngle(float64(2 * geom.Atan2(drawn.turn.Y, drawn.turn.W)))
	}
	return source
}

// standing reports whether a sample's velocity is nearly zero [SMO-08].
func (s *Sample) standing() bool { return s.Velocity.LenSq() < speedNone*speedNone }

// placeOf returns where a sample is: a body's whole rotation, a character's facing.
func placeOf(s *Sample) place {
	if s.Rotation != (geom.Quat{}) {
		return place{s.Position, s.Rotation}
	}
	return place{s.Position, geom.YawQuat(s.Yaw)}
}

// carry continues a sample to an instant, in the world's frame.
func (w *walk) carry(s *Sample, at clock.Micros) (source SampleSource) {
	a, world := w.source.Extrapolation, w.source.World
	if a != nil && a.Step != nil && s.Base == collide.Static && !s.Dead && at > s.At {
		// The step works on a copy that is on the heap already: s would be moved there each time.
		a.scratch = *s
		source = a.scratch.carryTo(at)
		a.scratch = *s
		a.Step(&a.scratch, min(at-s.At, MaxDeadReckoning))
		*s = a.scratch
		s.At = at
		s.toView(&w.view, world)
		return source
	}
	// The sweep begins where the sample is drawn. A rider's start is on its base as that is drawn.
	begins := s.Position
	if s.Base != collide.Static || s.BaseChangedAt != 0 {
		start := *s
		start.At = max(at, s.At)
		start.toView(&w.view, world)
		begins = start.Position
	}
	source = s.carryTo(at)
	s.toView(&w.view, world)
	if end := s.Position; end != begins {
		s.Position = begins
		w.sweep(s, end)
	}
	return source
}

// carryTo continues s to an instant by its velocity. If the view is not as far as the sample yet
// it goes back, or the entity would be drawn where it is going to be.
func (s *Sample) carryTo(at clock.Micros) SampleSource {
	back := s.At - at
	switch {
	case back <= 0:
		return s.deadReckon(at, fullSpeedReckoning, MaxDeadReckoning)
	case s.resting():
		s.At = at
		return Held
	}
	s.At = at
	if !s.Dead {
		s.advance(-min(back, MaxDeadReckoning).Seconds())
	}
	return Extrapolated
}

// sweep moves s, which is in the world's frame, to a position, or as far as the level lets it. A
// character that neither rises nor falls climbs steps.
func (w *walk) sweep(s *Sample, to geom.Vec3) {
	a, m := w.source.Extrapolation, sweeper{world: w.source.World}
	if a != nil && a.Body != nil && m.world != nil {
		solid := false
		if m.body, solid = a.Body.BodyCapsule(*s); solid {
			m.up = s.UpVector()
			if math.Abs(s.Velocity.Dot(m.up)) < risingSpeed {
				m.climbLeft = maxClimb
			}
			s.Position = s.Position.Add(m.move(to.Sub(s.Position)))
			return
		}
	}
	s.Position = to
}

// The bounds of the sweep of a body. It stays sweepSkin away from the level, in metres, and is
// deflected at most maxSlides times. It climbs steps no higher than stepHeight onto ground
// that is no steeper than walkable (the upward part of its normal), maxClimb in all, if it
// rises or falls no faster than risingSpeed, in m/s.
const (
	sweepSkin   = 0.001
	maxSlides   = 6
	stepHeight  = 0.45
	maxClimb    = 1.5
	walkable    = 0.7
	risingSpeed = 0.5
)

// sweeper moves a capsule through the static part of a level.
type sweeper struct {
	world     *collide.World
	body      geom.Capsule
	up        geom.Vec3
	climbLeft float64 // metres that it may still climb
}

// move returns how much of a displacement the capsule makes, up steps and along walls.
func (m *sweeper) move(left geom.Vec3) (made geom.Vec3) {
	var lastNormal geom.Vec3
	// Bounded, because a sharp corner could deflect it back and forth for ever.
	for range maxSlides {
		free, hit, blocked := m.sweep(made, left)
		made = made.MulAdd(left, free)
		if !blocked {
			return made
		}
		left = left.Mul(1 - free)
		if by, done, ok := m.climb(made, left, &hit); ok {
			made, left, lastNormal = made.Add(by), left.Mul(1-done), geom.Vec3{}
			continue
		}
		left = left.MulAdd(hit.Normal, -min(left.Dot(hit.Normal), 0))
		if left.Dot(lastNormal) < 0 { // into the surface before: slide along both
			edge := lastNormal.Cross(hit.Normal).Unit()
			left = edge.Mul(left.Dot(edge))
		}
		lastNormal = hit.Normal
	}
	return made
}

// sweep returns the fraction of a displacement that the capsule can make from where it is now,
// and the hit that stops it.
func (m *sweeper) sweep(made, way geom.Vec3) (free float64, hit collide.Hit, blocked bool) {
	length := way.Len()
	if length < 1e-6 {
		return 1, hit, false
	}
	hit, blocked = m.world.SweepCapsule(m.body.Moved(made), way.Mul((length+sweepSkin)/length))
	if !blocked {
		return 1, hit, false
	}
	return max(float64(hit.Fraction*(length+sweepSkin))-sweepSkin, 0) / length, hit, true
}

// climb returns by how much the capsule gets onto the step that stops it, and which fraction of
// the displacement that is.
func (m *sweeper) climb(made, way geom.Vec3, hit *collide.Hit) (by geom.Vec3, done float64, ok bool) {
	length := way.Len()
	if m.climbLeft < stepHeight || length < sweepSkin || hit.FaceNormal.Dot(m.up) >= walkable || way.Dot(hit.Normal) >= 0 {
		return by, 0, false
	}
	rise, _, _ := m.sweep(made, m.up.Mul(stepHeight))
	by = m.up.Mul(float64(rise * stepHeight))
	onto := min(float64(m.body.Radius/2)/length, 1) // no further, or the next step is in the way
	done, _, _ = m.sweep(made.Add(by), way.Mul(onto))
	if done = float64(done * onto); float64(done*length) < sweepSkin {
		return by, 0, false
	}
	by = by.MulAdd(way, done)
	fall := m.up.Mul(-float64(rise * stepHeight))
	sunk, ground, lands := m.sweep(made.Add(by), fall)
	feet := m.body.A.Add(made).MulAdd(m.up, -m.body.Radius)
	if !lands || ground.FaceNormal.Dot(m.up) < walkable || ground.Point.Sub(feet).Dot(m.up) > stepHeight {
		return by, 0, false
	}
	m.climbLeft -= float64(rise * stepHeight * (1 - sunk))
	return by.MulAdd(fall, sunk), done, true
}

// smooth sets g to the remaining corrections of an entity in the view, body being where it is;
// it returns false if there were none. It goes through the arrivals from the oldest on, so the
// result depends on the view alone.
func (w *walk) smooth(id ID, newest sampleRef, still bool, body *Sample, g *smoother) bool {
	v := &w.view
	if !v.NeedsArrivals() {
		return false
	}
	var arrived [MaxArrivals]arrival
	list, found := [MaxArrivals + 1]sampleRef{newest}, correction{}
	begun, last := false, clock.Micros(0)
	// k counts down to the newest arrival. list[k] is what was drawn before it, list[k-1] after.
	for k := w.drawn(id, arrived[:v.arrivals(&arrived)], &list); k > 0; k-- {
		if list[k].cell == list[k-1].cell {
			continue // no sample of this entity arrived
		}
		at := arrived[k-1].at
		c := w.correction(id, &list[k], &list[k-1], at, &found)
		if !begun {
			g.reset(c.old, c.began)
		} else {
			g.tick(v.Mode, at-last, c.still, c.old.turn)
		}
		if c.samePath {
			g.correct(v.Mode, c.old, c.new, c.stamp)
		} else {
			g.reset(c.new, c.stamp)
		}
		begun, last = true, at
	}
	if begun {
		g.tick(v.Mode, v.At-last, still, placeOf(body).turn)
	}
	return begun
}

// MaxOffset returns how far a view may draw entities from the extrapolation of their newest
// samples, in metres: by remaining corrections, and up steps.
func (a *Extrapolation) MaxOffset(v *View) (most float64) {
	if v.NeedsArrivals() {
		most = smoothing.Full
	}
	if v.Mode.Extrapolates() && a != nil && a.Body != nil {
		most += 2 * maxClimb // of the body, and of what is drawn beside it
	}
	return most
}

// drawn finds the samples that an entity was drawn from before each of the view's arrivals:
// list[0] is the one it is drawn from now. It returns how many of the arrivals the entity already
// existed at.
func (w *walk) drawn(id ID, arrived []arrival, list *[MaxArrivals + 1]sampleRef) int {
	from, mention := 0, sampleRef{}
	for k, a := range arrived {
		for mention.cell == nil || mention.snapshot.Tick > a.before {
			if mention, from = w.mention(id, from, a.before); mention.cell == nil {
				return k
			}
		}
		list[k+1] = mention
	}
	return len(arrived)
}

// mention returns the newest sample of an entity in the snapshots of the walk from number n on
// that are not newer than a tick, and the number of the next snapshot; nil if there is none or
// the entity was removed.
func (w *walk) mention(id ID, n int, newest uint32) (sampleRef, int) {
	for ; ; n++ {
		h := w.mentions(n)
		if h == nil {
			return sampleRef{}, n
		}
		if h.snapshot.Tick > newest {
			continue
		}
		i, gone := h.find(id, w.next)
		if gone {
			return sampleRef{}, n
		}
		if i >= 0 {
			return sampleRef{h.snapshot, &h.snapshot.cells[i]}, n + 1
		}
	}
}

// correction returns the displacement of an entity by an arrival at an instant; it uses c if
// corrections are not kept.
func (w *walk) correction(id ID, before, after *sampleRef, at clock.Micros, c *correction) *correction {
	a := w.source.Extrapolation
	keeps := a != nil && a.Stateful && before.cell.base|after.cell.base == collide.Static && before.cell.baseChange|after.cell.baseChange == 0
	if keeps {
		c = a.cache.of(id, at)
		if c.at == at && c.before == before.snapshot.Tick && c.after == after.snapshot.Tick && c.world == w.source.World {
			return c
		}
	}
	*c = correction{world: w.source.World, at: at, before: before.snapshot.Tick, after: after.snapshot.Tick,
		samePath: before.cell.continues(after.cell)}
	s := &w.right
	before.load(s)
	c.began, c.still = s.At, s.standing()
	w.carry(s, at)
	c.old = placeOf(s)
	after.load(s)
	c.stamp = s.At
	w.carry(s, at)
	c.new = placeOf(s)
	return c
}

// cachedPerEntity is how many corrections of one entity are kept: one for each ArrivalGap of
// ArrivalAge, so that none of a view replaces another.
const cachedPerEntity = int(ArrivalAge/ArrivalGap) + 1

// correctionCache keeps the last corrections of all entities. A view has up to MaxArrivals of each
// entity, which stay the same from frame to frame; only the newest is new.
type correctionCache struct {
	list  []entityCorrections
	index []uint16 // by id: place in list + 1, 0 for none
}

// entityCorrections are those of one entity, and the latest instant that was looked up.
type entityCorrections struct {
	id     ID
	latest clock.Micros
	list   [cachedPerEntity]correction
}

// of returns where the correction of an entity at an instant is kept.
func (k *correctionCache) of(id ID, at clock.Micros) *correction {
	if k.index == nil {
		k.index = make([]uint16, MaxID+1)
	}
	if k.index[id] == 0 {
		k.add(id, at)
	}
	t := &k.list[k.index[id]-1]
	t.latest = max(t.latest, at)
	return &t.list[int(at/ArrivalGap)%cachedPerEntity]
}

// add adds an entity. It reuses the entry of one that was not looked up for a while, so that a long
// match with many short-lived entities needs no more memory.
func (k *correctionCache) add(id ID, at clock.Micros) {
	n := 0
	for n < len(k.list) && k.list[n].latest+2*ArrivalAge > at {
		n++
	}
	if n == len(k.list) {
		k.list = append(k.list, entityCorrections{})
	} else {
		k.index[k.list[n].id] = 0
	}
	k.list[n] = entityCorrections{id: id, latest: at}
	k.index[id] = uint16(n + 1)
}
