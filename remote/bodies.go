package remote

import (
	"math"
	"slices"

	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// Physics is what Bodies need of a solver. A rigid.World is one.
type Physics interface {
	Add(b rigid.Body) rigid.ID
	Remove(id rigid.ID)
	Motion(id rigid.ID) rigid.Motion
	Set(id rigid.ID, m rigid.Motion)
	Step(d, at clock.Micros, pushers []rigid.Pusher)
	Touches() []rigid.Touch
}

// Bodies are the rigid bodies of a match as one client has them: they move between the
// server's words as they would there, and the player's own character pushes them at once.
// Once a drawn frame: Receive what has come, Retain what there is, Step, look at Drawn.
//
// A state tells where a body was. It is compared with where the client had the body at
// that instant, and what differs is carried on to now, along the client's own path. So a
// bounce that both ends have seen is no error. The body is then drawn on its way to
// where it belongs; see BodyRules. Bodies that touch each other are corrected together:
// put back to where the states have them, and stepped from there to now again.
//
// Bodies near the player, and those that the player has touched or that were touched by
// those, are simulated in the player's own time, in which commands are ahead of the server
// by the way there: states from before the touch are not comparable and ignored. What is
// seen of a kick is then what the server will see.
type Bodies struct {
	rules   BodyRules
	physics Physics
	shape   func(track.Kind) (rigid.Body, bool)
	list    []trackedBody // by id
	drawn   []DrawnBody
	stats   BodyStats

	now     clock.Micros // of the last Step
	started bool
	player  geom.Capsule // of the player, then
	solid   bool
	pusher  [1]rigid.Pusher
}

// DrawnBody is a body as it is to be drawn in this frame.
type DrawnBody struct {
	ID        track.ID
	Kind      track.Kind
	UserData  uint16
	Predicted bool      // simulated in the player's own time
	Asleep    bool      // it rests
	Position  geom.Vec3 // of the centre, metres
	Velocity  geom.Vec3 // m/s, of the body itself
	Rotation  geom.Quat
}

// BodyStats are figures of all bodies since the beginning.
type BodyStats struct {
	States  int // that came and could be compared
	Ignored int // from before a touch
	Snaps   int // hard ones: too far away, or stuck
	Stuck   int // those of them that were stuck
	// SquaredErrors is the sum of the squares of what the states were off by, in m²; RMS is of it.
	SquaredErrors float64
	// MaxError is the largest of what they were off by, in metres, hard snaps not counted.
	MaxError float64
}

// RMS is the root of the mean square of what states were off by, in metres; 0 before any.
func (s *BodyStats) RMS() float64 {
	if s.States == 0 {
		return 0
	}
	return math.Sqrt(s.SquaredErrors / float64(s.States))
}

// trackedBody is one body: the target store's line (RIG-01), and how it is drawn.
type trackedBody struct {
	id     track.ID
	body   rigid.ID
	radius float64 // metres from its centre
	listed bool    // among the things that were retained

	stateAt, receivedAt clock.Micros // of the newest state: its stamp, and when it came
	state               track.Sample
	pending             bool         // not applied yet
	comparedAt          clock.Micros // the stamp of the last state that was
	progress            progressCheck
	stuck               bool // found so in the replay that is going on

	lead           clock.Micros // how far ahead of the match it is simulated
	predictedUntil clock.Micros // when it stops being the player's
	path           path
	before         rigid.Motion // ahead of the newest step
	offset         geom.Vec3    // from where it is to where it is drawn
	rotationOffset geom.Vec3    // likewise, radians about the world's axes
}

// predictRadius is how near the player bodies are simulated in the player's time, in metres.
const predictRadius = 4

// leadRate is how fast a body goes over into the player's time, or back: seconds a second.
const leadRate = 0.1

// NewBodies returns an empty Bodies. shape is what things of a kind are, and false for
// those that are none.
func NewBodies(physics Physics, rules BodyRules, shape func(track.Kind) (rigid.Body, bool)) *Bodies {
	rules.setDefaults()
	return &Bodies{rules: rules, physics: physics, shape: shape}
}

// Rules are the rules with their defaults filled in, to be changed between frames.
func (b *Bodies) Rules() *BodyRules { return &b.rules }

// Stats are the figures so far.
func (b *Bodies) Stats() BodyStats { return b.stats }

// Drawn is every body as the last Step left it, by ascending id: valid until the next.
func (b *Bodies) Drawn() []DrawnBody { return b.drawn }

// find returns where id is or belongs in the list.
func (b *Bodies) find(id track.ID) (int, bool) {
	return slices.BinarySearchFunc(b.list, id, func(h trackedBody, id track.ID) int { return int(h.id) - int(id) })
}

// Receive takes in what the server tells of things, at match time now: those that are
// bodies, and newer than what was known (RIG-01). It is applied in the next Step.
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
		if there && (b.list[at].state.Life != e.Life || b.list[at].state.Kind != e.Kind) {
			b.remove(at)
			there = false
		}
		if !there {
			shape.Motion = motionOf(&e.Sample)
			b.list = slices.Insert(b.list, at, trackedBody{id: e.ID, radius: radiusOf(&shape), body: b.physics.Add(shape)})
		}
		h := &b.list[at]
		jumped := !there || e.Teleport != h.state.Teleport
		h.stateAt, h.receivedAt, h.state, h.pending = e.At, now, e.Sample, !jumped
		if jumped {
			b.teleport(h, now)
		}
	}
}

// teleport puts a body where its newest state says that it is at match time now, and forgets
// how it got there.
func (b *Bodies) teleport(h *trackedBody, now clock.Micros) {
	h.offset, h.rotationOffset, h.lead, h.predictedUntil = geom.Vec3{}, geom.Vec3{}, 0, 0
	h.progress = progressCheck{}
	m := motionOf(&h.state)
	h.path.clear()
	h.path.add(h.stateAt, m)
	if !m.Asleep && b.rules.Correct == RateCorrect {
		m = extrapolate(m, min(max(now-h.stateAt, 0), b.rules.PingLimit).Seconds())
	}
	b.physics.Set(h.body, m)
}

// extrapolate is a motion straight on for seconds.
func extrapolate(m rigid.Motion, seconds float64) rigid.Motion {
	m.Position = m.Position.MulAdd(m.Velocity, seconds)
	m.Rotation = rotatedBy(m.Rotation, m.AngularVelocity.Mul(seconds))
	return m
}

// Retain removes the bodies of things that are gone: things is what there is, as the
// session's last frame shows it, by ascending id. What has never been there is not drawn
// yet, and stays for a second.
func (b *Bodies) Retain(things []track.Entity) {
	k := 0
	for i := len(b.list) - 1; i >= 0; i-- {
		h := &b.list[i]
		for k < len(things) && things[len(things)-1-k].ID > h.id {
			k++
		}
		there := k < len(things) && things[len(things)-1-k].ID == h.id
		if h.listed = h.listed || there; !there && (h.listed || b.now-h.receivedAt > clock.Second) {
			b.remove(i)
		}
	}
}

// remove takes a body out of the list and the world.
func (b *Bodies) remove(i int) {
	b.physics.Remove(b.list[i].body)
	b.list = slices.Delete(b.list, i, i+1)
}

// Step is one drawn frame at match time now: the targets are applied, then the bodies
// move (RIG-02). lead is how far the player's commands are ahead of what the server has
// made of them: the way there, and what they wait. self is the player's own body; solid
// says whether it pushes.
func (b *Bodies) Step(now, lead clock.Micros, self geom.Capsule, solid bool) {
	d := min(max(now-b.now, 0), clock.Second/4)
	if !b.started {
		d, b.started = 0, true
	}
	lead = min(max(lead, 0), b.rules.PingLimit)
	b.saveMotions()
	if b.rules.Correct == RateCorrect && b.pileDiffers(now) {
		b.replay(now)
	} else {
		b.correctEach(now, d)
	}
	b.saveMotions()
	b.physics.Step(d, now-d, b.playerPusher(self, solid, d))
	b.now = now
	if b.rules.Correct == RateCorrect && b.rules.PredictTime > 0 {
		b.predictTouched(lead)
		b.spreadPrediction(lead)
		b.slewLeads(lead, d)
	}
	b.draw(d)
}

// saveMotions notes how the bodies are.
func (b *Bodies) saveMotions() {
	for i := range b.list {
		b.list[i].before = b.physics.Motion(b.list[i].body)
	}
}

// correctEach corrects the bodies one by one.
func (b *Bodies) correctEach(now, d clock.Micros) {
	for i := range b.list {
		h := &b.list[i]
		if b.rules.Correct == Reference {
			b.correctByReference(h, d)
		} else if h.pending {
			b.correctByState(h, now)
		}
	}
}

// maxPusherSpeed is how fast the player may be and push, in m/s: what is faster has jumped.
const maxPusherSpeed = 40

// playerPusher is the player's own body as it moves in this step of d.
func (b *Bodies) playerPusher(self geom.Capsule, solid bool, d clock.Micros) []rigid.Pusher {
	from, was := b.player, b.solid
	b.player, b.solid = self, solid
	if !solid || !was || d <= 0 {
		return nil
	}
	v := self.A.Sub(from.A).Div(d.Seconds())
	if v.LenSq() > maxPusherSpeed*maxPusherSpeed {
		return nil
	}
	from.Radius = self.Radius
	b.pusher[0] = rigid.Pusher{ID: 1, Capsule: self.Moved(from.A.Sub(self.A)), Velocity: v, Bounce: b.rules.Bounce}
	return b.pusher[:]
}

// correctByReference corrects a body by the Reference, as every frame (RIG-05 … RIG-08).
func (b *Bodies) correctByReference(h *trackedBody, d clock.Micros) {
	now := b.physics.Motion(h.body)
	target := extrapolateToGrid(motionOf(&h.state), b.rules.extrapolation(h.receivedAt-h.stateAt))
	missing := target.Position.Sub(now.Position).Len()
	stuck := h.progress.stuck(&b.rules, now.Position, target.Position, d)
	if h.pending {
		b.countError(missing)
	}
	if missing > b.rules.Snap || stuck {
		b.countSnap(stuck)
		b.physics.Set(h.body, target)
		return
	}
	b.physics.Set(h.body, b.rules.referenceCorrection(now, target, d.Seconds()))
}

func (b *Bodies) countError(missing float64) {
	b.stats.States++
	if missing <= b.rules.Snap {
		b.stats.SquaredErrors += float64(missing * missing)
		b.stats.MaxError = max(b.stats.MaxError, missing)
	}
}

func (b *Bodies) countSnap(stuck bool) {
	b.stats.Snaps++
	if stuck {
		b.stats.Stuck++
	}
}

// correctByState corrects a body by a state that has come: at once where it is, and slowly where
// it is drawn.
func (b *Bodies) correctByState(h *trackedBody, now clock.Micros) {
	theirs := motionOf(&h.state)
	ours, ok := h.path.at(h.stateAt)
	if !ok && h.predictedUntil > now {
		b.stats.Ignored++ // from before the touch
		return
	}
	is := b.physics.Motion(h.body)
	if !ok {
		ours = is
	}
	c := differenceOf(h.stateAt, &ours, &theirs)
	b.countError(c.position.Len())
	since := h.stateAt - h.comparedAt
	stuck := h.progress.stuck(&b.rules, ours.Position, theirs.Position, since)
	h.comparedAt = h.stateAt
	rests := theirs.Asleep && still(&is, &ours)
	if c.negligible() && rests == is.Asleep && !stuck {
		return
	}
	if h.predictedUntil > now {
		c = c.scaled(min(float64(since)/float64(predictedTrustTime), 1))
	}
	later := min(max(b.now+h.lead-h.stateAt, 0), 2*b.rules.PingLimit)
	to := c.applyTo(is, later.Seconds())
	to.Asleep = false
	if rests || stuck {
		to = theirs
	}
	h.path.correct(&c, later)
	b.moveTo(h, &is, to, stuck)
}

// predictedTrustTime is for how long states of a body that the player pushes must tell of a
// difference until it counts in full: that a push begins a little earlier or later there
// is over soon.
const predictedTrustTime = 100 * clock.Millisecond

// still reports whether a body has hardly moved since it was as before.
func still(is, before *rigid.Motion) bool {
	const moved, speed = 0.01, 0.1
	return is.Position.Sub(before.Position).LenSq() < moved*moved && is.Velocity.LenSq() < speed*speed
}

// predictTouched makes what the player touched in this step the player's.
func (b *Bodies) predictTouched(lead clock.Micros) {
	for _, t := range b.physics.Touches() {
		for i := range b.list {
			if b.list[i].body == t.Body {
				b.list[i].predict(b.now+b.rules.PredictTime, lead)
			}
		}
	}
}

// predict makes a body the player's until an instant. Where it was not in the player's time,
// what the server tells of the time before is not comparable any more.
func (h *trackedBody) predict(until, lead clock.Micros) {
	h.predictedUntil = max(h.predictedUntil, until)
	if lead-h.lead > leadTolerance {
		h.lead = lead
		h.path.clear()
	}
}

// leadTolerance is by how little a body's time may differ from the player's.
const leadTolerance = 5 * clock.Millisecond

// contactDistance is how near in metres two bodies may touch.
const contactDistance = 0.03

// spreadPrediction makes what is touched by the player's bodies the player's for as long.
func (b *Bodies) spreadPrediction(lead clock.Micros) {
	for i := range b.list {
		a := &b.list[i]
		if a.predictedUntil <= b.now {
			continue
		}
		m := b.physics.Motion(a.body)
		for k := range b.list {
			o := &b.list[k]
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

// slewLeads lets bodies near the player go over into the player's time, and others back.
func (b *Bodies) slewLeads(lead, d clock.Micros) {
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

// draw draws the bodies, and notes where they are.
func (b *Bodies) draw(d clock.Micros) {
	b.drawn = b.drawn[:0]
	dt := d.Seconds()
	rate := b.rules.Rate
	if float64(rate*dt) > 1 {
		rate = 1 / dt
	}
	for i := range b.list {
		h := &b.list[i]
		m := b.physics.Motion(h.body)
		h.pending = false
		h.path.add(b.now+h.lead, m)
		h.offset = h.offset.Sub(depenetration(&h.before, &m, dt))
		h.offset = h.offset.MulAdd(RateVelocity(geom.Vec3{}, h.offset.Neg(), rate), dt)
		h.rotationOffset = h.rotationOffset.MulAdd(RateVelocity(geom.Vec3{}, h.rotationOffset.Neg(), rate), dt)
		b.drawn = append(b.drawn, DrawnBody{
			ID: h.id, Kind: h.state.Kind, UserData: h.state.UserData, Predicted: h.predictedUntil > b.now, Asleep: m.Asleep,
			Position: m.Position.Add(h.offset), Velocity: m.Velocity, Rotation: rotatedBy(m.Rotation, h.rotationOffset),
		})
	}
}

// depenetration is how a body was moved in a step of d seconds beside what its velocities
// before and after tell: out of what it was put into. That is not drawn.
func depenetration(before, after *rigid.Motion, d float64) geom.Vec3 {
	a := before.Position.MulAdd(before.Velocity, d)
	b := before.Position.MulAdd(after.Velocity, d)
	ab := b.Sub(a)
	share := geom.Clamp(after.Position.Sub(a).Dot(ab)/max(ab.LenSq(), 1e-12), 0, 1)
	return after.Position.Sub(a.MulAdd(ab, share))
}

// motionOf is how a sample says that a body moves.
func motionOf(s *track.Sample) rigid.Motion {
	return rigid.Motion{
		Position: s.Position, Velocity: s.Velocity, AngularVelocity: s.AngularVelocity, Rotation: orIdentity(s.Rotation), Asleep: s.Asleep,
	}
}

// radiusOf is how far a body reaches from its centre.
func radiusOf(b *rigid.Body) float64 {
	switch b.Shape {
	case rigid.Box:
		return b.Half.Len()
	case rigid.Capsule:
		return b.Half.Y
	}
	return b.Half.X
}
