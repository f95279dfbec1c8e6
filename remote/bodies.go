package remote

import (
	"math"
	"slices"

	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/smoothing"
	"github.com/backstep-net/backstep/track"
)

// Physics is the part of a solver that Bodies use. A rigid.World is one.
type Physics interface {
	Add(b rigid.Body) rigid.ID
	Remove(id rigid.ID)
	Motion(id rigid.ID) rigid.Motion
	Set(id rigid.ID, m rigid.Motion)
	Step(d, at clock.Micros, pushers []rigid.Pusher)
	Touches() []rigid.Touch
}

// Bodies holds the rigid bodies of a match on one client. Between the server's states they move as
// they would there, and the player's own character pushes them at once. Once a drawn frame: Receive
// the states that arrived, Retain the entities that exist, Step, draw Drawn.
//
// A state says where a body was at an instant. It is compared with where the client had the body at
// that instant, and the difference is carried forward to now along the client's own path. So a
// bounce that both ends have simulated is no error. The body is then drawn on its way to the
// corrected place; see BodyRules. Bodies that touch each other, and those far from the player, are
// corrected together: set to their states and simulated from that time to now again.
//
// Bodies near the player, bodies that the player touched and bodies that those touched are
// simulated in the player's own time, which is ahead of the server's by the uplink delay. States from
// before the touch are not comparable and are ignored. So the player sees at once the kick that the
// server will compute.
type Bodies struct {
	rules   BodyRules
	physics Physics
	shape   func(track.Kind) (rigid.Body, bool)
	list    []trackedBody // by id
	drawn   []DrawnBody
	stats   BodyStats

	now     clock.Micros // of the last Step
	started bool
	player  geom.Capsule // the player's capsule at the last Step
	solid   bool         // the player pushed bodies at the last Step
	pusher  [1]rigid.Pusher
}

// DrawnBody is a body as it is drawn in this frame.
type DrawnBody struct {
	ID track.ID // of the entity
	// Kind and UserData are those of the newest state that arrived; see track.GameData.
	Kind      track.Kind
	UserData  uint16
	Predicted bool // simulated in the player's own time
	// Lead is how far ahead of match time it is simulated: zero for a body far from the player, that of
	// the player's commands for one that it pushes.
	Lead     clock.Micros
	Asleep   bool      // at rest
	Position geom.Vec3 // of the centre, metres
	Velocity geom.Vec3 // m/s, of the body itself
	Rotation geom.Quat // in the world's frame
	// Shape and Half are the shape of the body and its half size in metres, as its Kind has them.
	Shape rigid.Shape
	Half  geom.Vec3
}

// BodyStats counts the corrections of all bodies since the beginning.
type BodyStats struct {
	States  int // that arrived and could be compared
	Ignored int // from before a touch
	Snaps   int // bodies set to their state at once: too far away, or stuck
	Stuck   int // the snaps of bodies that were stuck
	// SquaredErrors is the sum of the squared errors of the states, in m², without snaps; RMS
	// derives from it.
	SquaredErrors float64
	// MaxError is the largest error in metres, without snaps.
	MaxError float64
}

// RMS returns the root mean square of the errors of the states in metres; 0 before any state.
func (s *BodyStats) RMS() float64 {
	if s.States == 0 {
		return 0
	}
	return math.Sqrt(s.SquaredErrors / float64(s.States))
}

// trackedBody is one body: the entry of the target store (RIG-01), and how it is drawn.
type trackedBody struct {
	id     track.ID
	body   rigid.ID
	shape  rigid.Shape
	half   geom.Vec3 // metres
	radius float64   // metres from its centre
	listed bool      // it was among the retained entities

	stateAt, receivedAt clock.Micros // of the newest state: its stamp, and when it arrived
	state               track.Sample
	pending             bool         // not applied yet
	comparedAt          clock.Micros // the stamp of the last state that was applied
	progress            progressCheck
	stuck               bool // found stuck in the replay that is running

	lead           clock.Micros // how far ahead of the match it is simulated
	predictedUntil clock.Micros // when its prediction in the player's time ends
	path           path
	before         rigid.Motion     // before the newest step
	offset         smoothing.Offset // from where it is to where it is drawn
}

// predictRadius is the distance in metres from the player within which bodies are simulated in the
// player's time. At 10 m/s towards each other, a player and a ball meet after 0.4 s: enough for a lead of
// 40 ms at leadRate.
const predictRadius = 4

// leadRate is how fast a body's time moves to the player's, or back: seconds per second. A ball seems a
// tenth faster or slower meanwhile, which is not noticed.
const leadRate = 0.1

// NewBodies returns an empty Bodies. shape returns the rigid body of an entity of a kind, and false
// for kinds that have none.
func NewBodies(physics Physics, rules BodyRules, shape func(track.Kind) (rigid.Body, bool)) *Bodies {
	rules.setDefaults()
	return &Bodies{rules: rules, physics: physics, shape: shape}
}

// Stats returns the figures so far.
func (b *Bodies) Stats() BodyStats { return b.stats }

// Drawn returns every body as the last Step left it, by ascending id. It is valid until the next
// Step.
func (b *Bodies) Drawn() []DrawnBody { return b.drawn }

// find returns the index at which id is, or belongs, in the list, and whether it is there.
func (b *Bodies) find(id track.ID) (int, bool) {
	return slices.BinarySearchFunc(b.list, id, func(h trackedBody, id track.ID) int { return int(h.id) - int(id) })
}

// Receive stores the server's states of entities at match time now: those that are bodies and newer
// than the stored ones (RIG-01). The next Step applies them.
func (b *Bodies) Receive(states []track.Entity, now clock.Micros) {
	for i := range states {
		e := &states[i]
		shape, ok := b.shape(e.Kind)
		if !ok {
			continue
		}
		at, there := b.find(e.ID)
		if there && e.At <= b.list[at].stateAt {
			continue
		}
		// Another entity with the same ID: a body of its own, without a path.
		if there && (b.list[at].state.Life != e.Life || b.list[at].state.Kind != e.Kind) {
			b.remove(at)
			there = false
		}
		if !there {
			shape.Motion = motionOf(&e.Sample)
			b.list = slices.Insert(b.list, at, trackedBody{id: e.ID, shape: shape.Shape, half: shape.Half, radius: radiusOf(&shape), body: b.physics.Add(shape)})
		}
		h := &b.list[at]
		jumped := !there || e.Teleport != h.state.Teleport
		h.stateAt, h.receivedAt, h.state, h.pending = e.At, now, e.Sample, !jumped
		if jumped {
			b.teleport(h, now)
		}
	}
}

// teleport sets a body to its newest state, extrapolated to match time now, and forgets its path.
func (b *Bodies) teleport(h *trackedBody, now clock.Micros) {
	h.offset, h.lead, h.predictedUntil = smoothing.Offset{}, 0, 0
	h.progress = progressCheck{}
	m := motionOf(&h.state)
	h.path.clear()
	h.path.add(h.stateAt, m)
	if !m.Asleep {
		m = extrapolate(m, min(max(now-h.stateAt, 0), b.rules.PingLimit).Seconds())
	}
	b.physics.Set(h.body, m)
}

// extrapolate returns a motion continued straight on for seconds, without gravity: in the tenth of a
// second that it is used for, a body on the ground must not sink into it.
func extrapolate(m rigid.Motion, seconds float64) rigid.Motion {
	m.Position = m.Position.MulAdd(m.Velocity, seconds)
	m.Rotation = rotatedBy(m.Rotation, m.AngularVelocity.Mul(seconds))
	return m
}

// Retain removes the bodies of entities that no longer exist. entities is every entity of the
// session's last frame, by ascending id. A body whose entity has never been among them is not drawn
// yet, and is kept for a second.
func (b *Bodies) Retain(entities []track.Entity) {
	k := 0
	for i := len(b.list) - 1; i >= 0; i-- {
		h := &b.list[i]
		for k < len(entities) && entities[len(entities)-1-k].ID > h.id {
			k++
		}
		there := k < len(entities) && entities[len(entities)-1-k].ID == h.id
		// The snapshot that has a new body is drawn a delay later than its state is here.
		if h.listed = h.listed || there; !there && (h.listed || b.now-h.receivedAt > clock.Second) {
			b.remove(i)
		}
	}
}

// remove removes the body at index i from the list and the world.
func (b *Bodies) remove(i int) {
	b.physics.Remove(b.list[i].body)
	b.list = slices.Delete(b.list, i, i+1)
}

// Step advances to match time now, once per drawn frame: it applies the targets, then moves the
// bodies (RIG-02). lead is how far the player's commands are ahead of what the server has
// simulated: the uplink delay, and the time they wait. self is the player's own character and how it
// pushes; nil if it pushes nothing. Its ID and Velocity do not matter: the velocity follows from the
// last frame.
func (b *Bodies) Step(now, lead clock.Micros, self *rigid.Pusher) {
	// After a freeze the next states correct the bodies anyway.
	d := min(max(now-b.now, 0), clock.Second/4)
	if !b.started {
		d, b.started = 0, true
	}
	// A state of a body in the player's time is extrapolated by the lead too, so the same limit holds.
	lead = min(max(lead, 0), b.rules.PingLimit)
	b.saveMotions()
	if b.replays(now) {
		b.replay(now)
	} else {
		b.correctEach(now)
	}
	// Again, because depenetration compares with where the step began.
	b.saveMotions()
	b.physics.Step(d, now-d, b.playerPusher(self, d))
	b.now = now
	if b.rules.PredictTime > 0 {
		b.predictTouched(lead)
		b.spreadPrediction(lead)
		b.slewLeads(lead, d)
	}
	b.draw(d)
}

// saveMotions saves the motion of every body before a step, to compare with afterwards.
func (b *Bodies) saveMotions() {
	for i := range b.list {
		b.list[i].before = b.physics.Motion(b.list[i].body)
	}
}

// correctEach corrects the bodies one by one, each along its own path. Only bodies near the player that
// touch no other come here, and those in the player's time.
func (b *Bodies) correctEach(now clock.Micros) {
	for i := range b.list {
		if h := &b.list[i]; h.pending {
			b.correctByState(h, now)
		}
	}
}

// maxPusherSpeed is the largest speed in m/s at which the player pushes: a faster one is a teleport or a
// correction, which must not kick what lies on the way.
const maxPusherSpeed = 40

// playerPusher returns the player's own capsule as it moves in this step of d.
func (b *Bodies) playerPusher(self *rigid.Pusher, d clock.Micros) []rigid.Pusher {
	from, wasSolid := b.player, b.solid
	if b.solid = self != nil; !b.solid {
		return nil
	}
	b.player = self.Capsule
	// A player that has just become solid has no velocity yet.
	if !wasSolid || d <= 0 {
		return nil
	}
	c := self.Capsule
	v := c.A.Sub(from.A).Div(d.Seconds())
	if v.LenSq() > maxPusherSpeed*maxPusherSpeed {
		return nil
	}
	b.pusher[0] = *self
	b.pusher[0].ID, b.pusher[0].Capsule, b.pusher[0].Velocity = 1, c.Moved(from.A.Sub(c.A)), v
	return b.pusher[:]
}

// countError counts a state from which the body was so many metres away.
func (b *Bodies) countError(distance float64) {
	b.stats.States++
	if distance <= b.rules.Snap {
		b.stats.SquaredErrors += float64(distance * distance)
		b.stats.MaxError = max(b.stats.MaxError, distance)
	}
}

// countSnap counts a body that was set to its place at once.
func (b *Bodies) countSnap(stuck bool) {
	b.stats.Snaps++
	if stuck {
		b.stats.Stuck++
	}
}

// correctByState corrects a body by a state that arrived: its simulation at once, its drawn place
// gradually.
func (b *Bodies) correctByState(h *trackedBody, now clock.Micros) {
	theirs := motionOf(&h.state)
	ours, ok := h.path.at(h.stateAt)
	if !ok && h.predictedUntil > now {
		b.stats.Ignored++ // the state is from before the touch
		return
	}
	current := b.physics.Motion(h.body)
	if !ok {
		ours = current
	}
	// Both are of one instant, so a bounce that both ends have simulated is no difference.
	c := differenceOf(h.stateAt, &ours, &theirs)
	b.countError(c.position.Len())
	since := h.stateAt - h.comparedAt
	stuck := h.progress.stuck(&b.rules, ours.Position, theirs.Position, since)
	h.comparedAt = h.stateAt
	rests := theirs.Asleep && still(&current, &ours)
	if c.negligible() && rests == current.Asleep && !stuck {
		return
	}
	if h.predictedUntil > now {
		c = c.scaled(min(float64(since)/float64(predictedTrustTime), 1))
	}
	// A wrong velocity has moved the body since the state. That time is bounded, because most bodies
	// have hit something by then.
	later := min(max(b.now+h.lead-h.stateAt, 0), 2*b.rules.PingLimit)
	to := c.applyTo(current, later.Seconds())
	to.Asleep = false
	if rests || stuck {
		to = theirs
	}
	h.path.correct(&c, later)
	b.moveTo(h, &current, to, stuck)
}

// predictedTrustTime is how long states must keep differing from a body that the player pushes
// until the difference counts in full. A push that begins a little earlier or later on the server
// differs for a moment only.
const predictedTrustTime = 100 * clock.Millisecond

// still reports whether a body has hardly moved from before: by less than 1 cm, and slower than 0.1 m/s.
// Only such a body is put to sleep at the server's place; any other would visibly stop.
func still(current, before *rigid.Motion) bool {
	const moved, speed = 0.01, 0.1
	return current.Position.Sub(before.Position).LenSq() < moved*moved && current.Velocity.LenSq() < speed*speed
}

// predictTouched moves the bodies that the player touched in this step to the player's time.
func (b *Bodies) predictTouched(lead clock.Micros) {
	for _, t := range b.physics.Touches() {
		for i := range b.list {
			if b.list[i].body == t.Body {
				b.list[i].predict(b.now+b.rules.PredictTime, lead)
			}
		}
	}
}

// predict simulates a body in the player's time until an instant. If it was not in that time
// before, states from before are no longer comparable.
func (h *trackedBody) predict(until, lead clock.Micros) {
	h.predictedUntil = max(h.predictedUntil, until)
	if lead-h.lead > leadTolerance {
		h.lead = lead
		h.path.clear()
	}
}

// leadTolerance is how far a body's time may differ from the player's and count as the same. The measured
// round trip varies by as much, and each change would discard the path.
const leadTolerance = 5 * clock.Millisecond

// contactDistance is the distance in metres at which two bodies may touch: a little more than the
// solver's margin.
const contactDistance = 0.03

// spreadPrediction moves the bodies that predicted bodies touch to the player's time, for as long
// as those.
func (b *Bodies) spreadPrediction(lead clock.Micros) {
	for i := range b.list {
		a := &b.list[i]
		if a.predictedUntil <= b.now {
			continue
		}
		m := b.physics.Motion(a.body)
		for k := range b.list {
			o := &b.list[k]
			// Predicted for as long already, or pushed by nothing: a sleeping body does not push.
			if o.predictedUntil >= a.predictedUntil || m.Asleep {
				continue
			}
			other := b.physics.Motion(o.body)
			near := a.radius + o.radius + contactDistance
			if !other.Asleep && other.Position.Sub(m.Position).LenSq() < float64(near*near) {
				o.predict(a.predictedUntil, lead)
			}
		}
	}
}

// slewLeads moves the time of bodies near the player towards the player's, and that of the others
// back.
func (b *Bodies) slewLeads(lead, d clock.Micros) {
	// At least a microsecond, so that the lead of a page at 10,000 frames a second moves too.
	most := max(clock.Micros(float64(d)*leadRate), 1)
	for i := range b.list {
		h := &b.list[i]
		to := clock.Micros(0)
		m := b.physics.Motion(h.body)
		if h.predictedUntil > b.now || b.solid && m.Position.Sub(b.player.A).LenSq() < predictRadius*predictRadius {
			to = lead
		}
		h.lead += min(max(to-h.lead, -most), most)
	}
}

// draw fills the list of drawn bodies, and adds their motions to their paths.
func (b *Bodies) draw(d clock.Micros) {
	b.drawn = b.drawn[:0]
	for i := range b.list {
		h := &b.list[i]
		m := b.physics.Motion(h.body)
		// Also of a state that was ignored or needed no correction: it must not come again in the next frame.
		h.pending = false
		h.path.add(b.now+h.lead, m)
		// Before the decay, which then removes a part of this frame's push already.
		h.offset.Position = h.offset.Position.Sub(depenetration(&h.before, &m, d.Seconds()))
		h.offset.Decay(d, b.rules.Time, b.rules.Time)
		position, rotation := h.offset.Place(m.Position, m.Rotation)
		b.drawn = append(b.drawn, DrawnBody{
			ID: h.id, Kind: h.state.Kind, UserData: h.state.UserData, Predicted: h.predictedUntil > b.now, Lead: h.lead, Asleep: m.Asleep,
			Position: position, Velocity: m.Velocity, Rotation: rotation,
			Shape: h.shape, Half: h.half,
		})
	}
}

// depenetration returns how a body moved in a step of d seconds beyond what its velocities before
// and after explain: out of an overlap that a correction put it into. That motion is not drawn: the
// solver pushes with up to 3 m/s, and a body in a heap would twitch with every state.
//
// A body that bounces within the step moved partly with the one velocity and partly with the other. So
// every place between the two ends is explained, and the distance from that line is what is left.
func depenetration(before, after *rigid.Motion, d float64) geom.Vec3 {
	a := before.Position.MulAdd(before.Velocity, d)
	b := before.Position.MulAdd(after.Velocity, d)
	ab := b.Sub(a)
	share := geom.Clamp(after.Position.Sub(a).Dot(ab)/max(ab.LenSq(), 1e-12), 0, 1)
	return after.Position.Sub(a.MulAdd(ab, share))
}

// motionOf returns the motion of a sample.
func motionOf(s *track.Sample) rigid.Motion {
	return rigid.Motion{
		Position: s.Position, Velocity: s.Velocity, AngularVelocity: s.AngularVelocity, Rotation: orIdentity(s.Rotation), Asleep: s.Asleep,
	}
}

// radiusOf returns the radius of the sphere about a body's centre that contains it, in metres.
func radiusOf(b *rigid.Body) float64 {
	switch b.Shape {
	case rigid.Box:
		return b.Half.Len()
	case rigid.Capsule:
		return b.Half.Y
	}
	return b.Half.X
}
