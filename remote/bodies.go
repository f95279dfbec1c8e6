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
	list    []held // by id
	drawn   []DrawnBody
	stats   BodyStats

	now    clock.Micros // of the last Step
	begun  bool
	self   geom.Capsule // of the player, then
	solid  bool
	pusher [1]rigid.Pusher
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

// held is one body: the target store's line (RIG-01), and how it is drawn.
type held struct {
	id    track.ID
	in    rigid.ID
	reach float64 // metres from its centre
	shown bool    // among the things that were retained

	at, arrived clock.Micros // of the newest state: its stamp, and when it came
	state       track.Sample
	fresh       bool         // not applied yet
	compared    clock.Micros // the stamp of the last state that was
	effort      effort
	stuck       bool // found so in the replay that is going on

	lead   clock.Micros // how far ahead of the match it is simulated
	until  clock.Micros // when it stops being the player's
	path   path
	before rigid.Motion // ahead of the newest step
	offset geom.Vec3    // from where it is to where it is drawn
	twist  geom.Vec3    // likewise, radians about the world's axes
}

// ownNear is how near the player bodies are simulated in the player's time, in metres.
const ownNear = 4

// leadRate is how fast a body goes over into the player's time, or back: seconds a second.
const leadRate = 0.1

// NewBodies returns an empty Bodies. shape is what things of a kind are, and false for
// those that are none.
func NewBodies(physics Physics, rules BodyRules, shape func(track.Kind) (rigid.Body, bool)) *Bodies {
	rules.set()
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
	return slices.BinarySearchFunc(b.list, id, func(h held, id track.ID) int { return int(h.id) - int(id) })
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
		if there && e.At <= b.list[at].at {
			continue
		}
		if there && (b.list[at].state.Life != e.Life || b.list[at].state.Kind != e.Kind) {
			b.remove(at)
			there = false
		}
		if !there {
			shape.Motion = motionOf(&e.Sample)
			b.list = slices.Insert(b.list, at, held{id: e.ID, reach: reachOf(&shape), in: b.physics.Add(shape)})
		}
		h := &b.list[at]
		jumped := !there || e.Teleport != h.state.Teleport
		h.at, h.arrived, h.state, h.fresh = e.At, now, e.Sample, !jumped
		if jumped {
			b.put(h, now)
		}
	}
}

// put puts a body where its newest state says that it is at match time now, and forgets
// how it got there.
func (b *Bodies) put(h *held, now clock.Micros) {
	h.offset, h.twist, h.lead, h.until = geom.Vec3{}, geom.Vec3{}, 0, 0
	h.effort = effort{}
	m := motionOf(&h.state)
	h.path.clear()
	h.path.add(h.at, m)
	if !m.Asleep && b.rules.Correct == RateCorrect {
		m = onward(m, min(max(now-h.at, 0), b.rules.PingLimit).Seconds())
	}
	b.physics.Set(h.in, m)
}

// onward is a motion straight on for seconds.
func onward(m rigid.Motion, seconds float64) rigid.Motion {
	m.Position = m.Position.MulAdd(m.Velocity, seconds)
	m.Rotation = turnedBy(m.Rotation, m.AngularVelocity.Mul(seconds))
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
		if h.shown = h.shown || there; !there && (h.shown || b.now-h.arrived > clock.Second) {
			b.remove(i)
		}
	}
}

// remove takes a body out of the list and the world.
func (b *Bodies) remove(i int) {
	b.physics.Remove(b.list[i].in)
	b.list = slices.Delete(b.list, i, i+1)
}

// Step is one drawn frame at match time now: the targets are applied, then the bodies
// move (RIG-02). lead is how far the player's commands are ahead of what the server has
// made of them: the way there, and what they wait. self is the player's own body; solid
// says whether it pushes.
func (b *Bodies) Step(now, lead clock.Micros, self geom.Capsule, solid bool) {
	d := min(max(now-b.now, 0), clock.Second/4)
	if !b.begun {
		d, b.begun = 0, true
	}
	lead = min(max(lead, 0), b.rules.PingLimit)
	b.note()
	if b.rules.Correct == RateCorrect && b.heaped(now) {
		b.replay(now)
	} else {
		b.each(now, d)
	}
	b.note()
	b.physics.Step(d, now-d, b.push(self, solid, d))
	b.now = now
	if b.rules.Correct == RateCorrect && b.rules.PredictTime > 0 {
		b.touch(lead)
		b.spread(lead)
		b.lean(lead, d)
	}
	b.look(d)
}

// note notes how the bodies are.
func (b *Bodies) note() {
	for i := range b.list {
		b.list[i].before = b.physics.Motion(b.list[i].in)
	}
}

// each corrects the bodies one by one.
func (b *Bodies) each(now, d clock.Micros) {
	for i := range b.list {
		h := &b.list[i]
		if b.rules.Correct == Reference {
			b.blend(h, d)
		} else if h.fresh {
			b.compare(h, now)
		}
	}
}

// pushAtMost is how fast the player may be and push, in m/s: what is faster has jumped.
const pushAtMost = 40

// push is the player's own body as it moves in this step of d.
func (b *Bodies) push(self geom.Capsule, solid bool, d clock.Micros) []rigid.Pusher {
	from, was := b.self, b.solid
	b.self, b.solid = self, solid
	if !solid || !was || d <= 0 {
		return nil
	}
	v := self.A.Sub(from.A).Div(d.Seconds())
	if v.LenSq() > pushAtMost*pushAtMost {
		return nil
	}
	from.Radius = self.Radius
	b.pusher[0] = rigid.Pusher{ID: 1, Capsule: self.Moved(from.A.Sub(self.A)), Velocity: v, Bounce: b.rules.Bounce}
	return b.pusher[:]
}

// blend corrects a body by the Reference, as every frame (RIG-05 … RIG-08).
func (b *Bodies) blend(h *held, d clock.Micros) {
	now := b.physics.Motion(h.in)
	target := carried(motionOf(&h.state), b.rules.ahead(h.arrived-h.at))
	missing := target.Position.Sub(now.Position).Len()
	stuck := h.effort.stuck(&b.rules, now.Position, target.Position, d)
	if h.fresh {
		b.count(missing)
	}
	if missing > b.rules.Snap || stuck {
		b.snapped(stuck)
		b.physics.Set(h.in, target)
		return
	}
	b.physics.Set(h.in, b.rules.soft(now, target, d.Seconds()))
}

func (b *Bodies) count(missing float64) {
	b.stats.States++
	if missing <= b.rules.Snap {
		b.stats.SquaredErrors += float64(missing * missing)
		b.stats.MaxError = max(b.stats.MaxError, missing)
	}
}

func (b *Bodies) snapped(stuck bool) {
	b.stats.Snaps++
	if stuck {
		b.stats.Stuck++
	}
}

// compare corrects a body by a state that has come: at once where it is, and slowly where
// it is drawn.
func (b *Bodies) compare(h *held, now clock.Micros) {
	theirs := motionOf(&h.state)
	ours, ok := h.path.at(h.at)
	if !ok && h.until > now {
		b.stats.Ignored++ // from before the touch
		return
	}
	is := b.physics.Motion(h.in)
	if !ok {
		ours = is
	}
	c := changeTo(h.at, &ours, &theirs)
	b.count(c.move.Len())
	since := h.at - h.compared
	stuck := h.effort.stuck(&b.rules, ours.Position, theirs.Position, since)
	h.compared = h.at
	rests := theirs.Asleep && still(&is, &ours)
	if c.slight() && rests == is.Asleep && !stuck {
		return
	}
	if h.until > now {
		c = c.share(min(float64(since)/float64(ownTrust), 1))
	}
	later := min(max(b.now+h.lead-h.at, 0), 2*b.rules.PingLimit)
	to := c.carried(is, later.Seconds())
	to.Asleep = false
	if rests || stuck {
		to = theirs
	}
	h.path.learn(&c, later)
	b.correct(h, &is, to, stuck)
}

// ownTrust is for how long states of a body that the player pushes must tell of a
// difference until it counts in full: that a push begins a little earlier or later there
// is over soon.
const ownTrust = 100 * clock.Millisecond

// still reports whether a body has hardly moved since it was as before.
func still(is, before *rigid.Motion) bool {
	const moved, speed = 0.01, 0.1
	return is.Position.Sub(before.Position).LenSq() < moved*moved && is.Velocity.LenSq() < speed*speed
}

// touch makes what the player touched in this step the player's.
func (b *Bodies) touch(lead clock.Micros) {
	for _, t := range b.physics.Touches() {
		for i := range b.list {
			if b.list[i].in == t.Body {
				b.list[i].take(b.now+b.rules.PredictTime, lead)
			}
		}
	}
}

// take makes a body the player's until an instant. Where it was not in the player's time,
// what the server tells of the time before is not comparable any more.
func (h *held) take(until, lead clock.Micros) {
	h.until = max(h.until, until)
	if lead-h.lead > sameTime {
		h.lead = lead
		h.path.clear()
	}
}

// sameTime is by how little a body's time may differ from the player's.
const sameTime = 5 * clock.Millisecond

// besides is how near in metres two bodies may touch.
const besides = 0.03

// spread makes what is touched by the player's bodies the player's for as long.
func (b *Bodies) spread(lead clock.Micros) {
	for i := range b.list {
		a := &b.list[i]
		if a.until <= b.now {
			continue
		}
		m := b.physics.Motion(a.in)
		for k := range b.list {
			o := &b.list[k]
			if o.until >= a.until || m.Asleep {
				continue
			}
			other := b.physics.Motion(o.in)
			near := a.reach + o.reach + besides
			if !other.Asleep && other.Position.Sub(m.Position).LenSq() < float64(near*near) {
				o.take(a.until, lead)
			}
		}
	}
}

// lean lets bodies near the player go over into the player's time, and others back.
func (b *Bodies) lean(lead, d clock.Micros) {
	most := max(clock.Micros(float64(d)*leadRate), 1)
	for i := range b.list {
		h := &b.list[i]
		to := clock.Micros(0)
		m := b.physics.Motion(h.in)
		if h.until > b.now || b.solid && m.Position.Sub(b.self.A).LenSq() < ownNear*ownNear {
			to = lead
		}
		h.lead += min(max(to-h.lead, -most), most)
	}
}

// look draws the bodies, and notes where they are.
func (b *Bodies) look(d clock.Micros) {
	b.drawn = b.drawn[:0]
	dt := d.Seconds()
	rate := b.rules.Rate
	if float64(rate*dt) > 1 {
		rate = 1 / dt
	}
	for i := range b.list {
		h := &b.list[i]
		m := b.physics.Motion(h.in)
		h.fresh = false
		h.path.add(b.now+h.lead, m)
		h.offset = h.offset.Sub(pushedOut(&h.before, &m, dt))
		h.offset = h.offset.MulAdd(RateVelocity(geom.Vec3{}, h.offset.Neg(), rate), dt)
		h.twist = h.twist.MulAdd(RateVelocity(geom.Vec3{}, h.twist.Neg(), rate), dt)
		b.drawn = append(b.drawn, DrawnBody{
			ID: h.id, Kind: h.state.Kind, UserData: h.state.UserData, Predicted: h.until > b.now, Asleep: m.Asleep,
			Position: m.Position.Add(h.offset), Velocity: m.Velocity, Rotation: turnedBy(m.Rotation, h.twist),
		})
	}
}

// pushedOut is how a body was moved in a step of d seconds beside what its velocities
// before and after tell: out of what it was put into. That is not drawn.
func pushedOut(before, after *rigid.Motion, d float64) geom.Vec3 {
	a := before.Position.MulAdd(before.Velocity, d)
	b := before.Position.MulAdd(after.Velocity, d)
	ab := b.Sub(a)
	share := geom.Clamp(after.Position.Sub(a).Dot(ab)/max(ab.LenSq(), 1e-12), 0, 1)
	return after.Position.Sub(a.MulAdd(ab, share))
}

// motionOf is how a sample says that a body moves.
func motionOf(s *track.Sample) rigid.Motion {
	return rigid.Motion{
		Position: s.Position, Velocity: s.Velocity, AngularVelocity: s.AngularVelocity, Rotation: unturned(s.Rotation), Asleep: s.Asleep,
	}
}

// reachOf is how far a body reaches from its centre.
func reachOf(b *rigid.Body) float64 {
	switch b.Shape {
	case rigid.Box:
		return b.Half.Len()
	case rigid.Capsule:
		return b.Half.Y
	}
	return b.Half.X
}
