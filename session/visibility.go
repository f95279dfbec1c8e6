package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// Visibility hides from each client whom its player cannot see (THR-26): what is not sent
// no cheat can show. Who may come into view soon is revealed before, so that nobody pops
// out of nothing on a screen that is a round trip behind.
//
// Once a tick rays are cast through the level, from the viewer's eye and from where that
// may be within Early, to the other's head, body and sides and to where those may be by
// then. A ray that nothing stops shows the other, and for Linger after it. The level's
// moving bodies stop rays where they stand now and will stand at the end of Early; other
// players do not. Things of the game's own kinds (Server.Spawn) are as thin as a point.
type Visibility struct {
	// Early is how long before it can happen a meeting is foreseen; zero means 250 ms. It
	// is to be more than a viewer's round trip, two ticks and the time between two tests of
	// a pair (50 ms), or others will come into view late.
	Early clock.Micros
	// Speed is how fast players may be going within Early in a direction in which they are
	// not going yet, in m/s; zero means 6.
	Speed float64
	// Linger is for how long somebody is still told of who was seen; zero means 500 ms.
	Linger clock.Micros
	// Rays is about how many rays are cast a tick; zero means 2,048, less than a millisecond's
	// worth. New pairs go first, then each in its turn. A pair that waited for longer
	// than Early is told of each other untested.
	Rays int
}

// How pairs are tested.
const (
	sightRise  = 4.0                    // m/s at which somebody may come up behind cover
	sightSkin  = 0.1                    // metres that an eye keeps from a wall
	sightSides = 0.34                   // metres from a body's middle to its sides
	again      = 50 * clock.Millisecond // between two tests of who is hidden
)

// lookout is a Sight at work.
type lookout struct {
	Visibility
	now, later collide.WorldAt
	lately     clock.Micros // between two tests of who is seen
	left       int          // rays of this tick

	viewers []viewer
	bodies  []bodies
	pairs   [MaxPlayers][]pair // by viewer, by thing
	tick    uint32
	turn    int // of the next pair to be tested

	eyes, parts [places]geom.Vec3 // scratch
}

// viewer is who looks in this tick.
type viewer struct {
	id   track.ID
	mark uint16 // of its life and jumps
	eye  geom.Vec3
	fast geom.Vec3 // m/s
	up   geom.Vec3
}

// bodies is who may be looked at in this tick.
type bodies struct {
	id               track.ID
	mark             uint16
	thin             bool
	head, chest, low geom.Vec3
	fast, up         geom.Vec3
}

// pair is what is known of one viewer and one thing.
type pair struct {
	seen, tested clock.Micros // when; 0: never
	tick         uint32       // in which both were there
	marks        [2]uint16
}

// newLookout returns a Sight at work in a world, its zeros replaced.
func newLookout(rules Visibility, w *collide.World) *lookout {
	orElse(&rules.Early, 250*clock.Millisecond)
	orElse(&rules.Linger, 500*clock.Millisecond)
	orElse(&rules.Rays, 2048)
	if rules.Speed == 0 {
		rules.Speed = 6
	}
	s := &lookout{Visibility: rules, lately: rules.Linger / 4}
	s.now.World, s.later.World = w, w
	return s
}

// markOf tells two lives of one id apart, and what was before and after a jump.
func markOf(s *track.Sample) uint16 { return uint16(s.Life)<<8 | uint16(s.Teleport) }

// begin starts a tick, in which frame was recorded.
func (s *lookout) begin(frame *track.Snapshot) {
	s.tick, s.now.At, s.later.At = frame.Tick, frame.At, frame.At+s.Early
	s.left = s.Rays
	s.viewers, s.bodies = s.viewers[:0], s.bodies[:0]
	var e track.Sample
	for i := range frame.Len() {
		frame.Load(i, &e)
		e = e.ToWorld(s.now.World, frame.At)
		b := bodies{id: frame.ID(i), mark: markOf(&e), thin: e.Kind != 0, fast: e.Velocity, up: e.UpVector()}
		b.head, b.chest, b.low = e.Position, e.Position, e.Position
		if !b.thin {
			body, head := rewind.BodyOutline(&e)
			b.head, b.chest, b.low = head.Centre.MulAdd(b.up, head.Radius/2), body.B, body.A
		}
		s.bodies = append(s.bodies, b)
	}
}

// watch adds a player who looks from an eye, and who is in the frame.
func (s *lookout) watch(id track.ID, eye geom.Vec3) {
	for i := range s.bodies {
		if b := &s.bodies[i]; b.id == id {
			s.viewers = append(s.viewers, viewer{id, b.mark, eye, b.fast, b.up})
		}
	}
	if s.pairs[id-1] == nil {
		s.pairs[id-1] = make([]pair, track.MaxID+1)
	}
}

// look tests the pairs that are new, and those whose turn it is, as far as the rays go.
func (s *lookout) look() {
	for i := range s.viewers {
		for j := range s.bodies {
			s.meet(&s.viewers[i], &s.bodies[j])
		}
	}
	n := len(s.viewers) * len(s.bodies)
	for i := 0; i < n && s.left > 0; i++ {
		s.turn = (s.turn + 1) % n
		v, b := &s.viewers[s.turn/len(s.bodies)], &s.bodies[s.turn%len(s.bodies)]
		p := &s.pairs[v.id-1][b.id]
		wait := again
		if s.shown(p) {
			wait = s.lately
		}
		if v.id != b.id && s.now.At-p.tested >= wait {
			s.test(v, b, p)
		}
	}
}

// meet begins with a pair that was not there in the tick before, or not as it is now.
func (s *lookout) meet(v *viewer, b *bodies) {
	p := &s.pairs[v.id-1][b.id]
	old, marks := p.tick, [2]uint16{v.mark, b.mark}
	p.tick = s.tick
	if old != 0 && old+1 == s.tick && p.marks == marks || v.id == b.id {
		return
	}
	*p = pair{tested: s.now.At, tick: s.tick, marks: marks}
	if s.left > 0 {
		s.test(v, b, p)
	} else {
		p.tested -= again // first in its turn
	}
}

// shows reports whether a viewer is to be told of a thing. Who is not in the world sees
// nothing.
func (s *lookout) shows(viewer, thing track.ID) bool {
	if s.pairs[viewer-1] == nil {
		return false
	}
	p := &s.pairs[viewer-1][thing]
	return p.tick == s.tick && s.shown(p)
}

func (s *lookout) shown(p *pair) bool {
	return p.seen != 0 && s.now.At-p.seen <= s.Linger || s.now.At-p.tested > s.Early
}

// test casts the rays of one pair.
func (s *lookout) test(v *viewer, b *bodies, p *pair) {
	p.tested = s.now.At
	if s.sees(v, b) {
		p.seen = max(s.now.At, 1)
	}
}

// sees reports whether the viewer sees any part of a body, or may within Early.
func (s *lookout) sees(v *viewer, b *bodies) bool {
	side := b.chest.Sub(v.eye).Cross(v.up).Unit()
	wide := side.Mul(sightSides)
	if s.free(v.eye, b.chest) {
		return true
	}
	if !b.thin && (s.free(v.eye, b.head) || s.free(v.eye, b.low) ||
		s.free(v.eye, b.chest.Add(wide)) || s.free(v.eye, b.chest.Sub(wide))) {
		return true
	}
	s.spread(&s.eyes, v.eye, side, v.fast, v.up)
	s.spread(&s.parts, b.chest, side, b.fast, b.up)
	for i, eye := range s.eyes {
		if i > 0 && !b.thin && s.free(eye, b.head) {
			return true
		}
		for j, part := range s.parts {
			if i+j > 0 && sightPairs[i]>>j&1 != 0 && s.free(eye, part) {
				return true
			}
		}
	}
	return false
}

// Where a point that moves may be within Early: there already, half of the way to either
// side, all of it, where it is going, and above.
const (
	there = iota
	halfLeft
	halfRight
	left
	right
	onward
	above
	places
)

// sightPairs is from which place of an eye to which of a body, as bits, a ray is cast:
// where one gets half as far as it may, so does the other, or stays.
var sightPairs = [places]uint8{
	there:     1<<places - 1,
	halfLeft:  1<<there | 1<<halfLeft | 1<<halfRight,
	halfRight: 1<<there | 1<<halfLeft | 1<<halfRight,
	left:      1<<there | 1<<left | 1<<right | 1<<onward | 1<<above,
	right:     1<<there | 1<<left | 1<<right | 1<<onward | 1<<above,
	onward:    1<<there | 1<<left | 1<<right | 1<<onward,
	above:     1<<there | 1<<above,
}

// spread finds the places of a point that is this fast.
func (s *lookout) spread(into *[places]geom.Vec3, at, side, fast, up geom.Vec3) {
	aside, within := side.Mul(float64(s.Speed*s.Early.Seconds())), s.Early.Seconds()
	into[there] = at
	into[left], into[right] = s.towards(at, aside.Neg()), s.towards(at, aside)
	into[halfLeft], into[halfRight] = at.Lerp(into[left], .5), at.Lerp(into[right], .5)
	into[onward], into[above] = s.towards(at, fast.Mul(within)), s.towards(at, up.Mul(float64(sightRise*within)))
}

// towards returns how far a point gets on its way until a wall stops it.
func (s *lookout) towards(at, way geom.Vec3) geom.Vec3 {
	s.left--
	hit, ok := s.now.Ray(at, way)
	if !ok {
		return at.Add(way)
	}
	long := way.Len() // not 0: that meets nothing
	return at.MulAdd(way, max(float64(hit.Fraction*long)-sightSkin, 0)/long)
}

// free reports whether nothing of the level is between two points.
func (s *lookout) free(a, b geom.Vec3) bool {
	s.left--
	hit, ok := s.now.Ray(a, b.Sub(a))
	if !ok {
		return true
	}
	if hit.Body == collide.Static {
		return false
	}
	_, ok = s.later.Ray(a, b.Sub(a))
	return !ok
}

// looks has everybody look who is told of others over a line.
func (s *Server[S, C]) looks(frame *track.Snapshot) {
	s.lookout.begin(frame)
	for i := range s.seats {
		if t := &s.seats[i]; t.peer != 0 && t.authority != nil {
			s.lookout.watch(t.id, s.rules.Eye(t.authority.State()))
		}
	}
	s.lookout.look()
}
