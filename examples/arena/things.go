package arena

import (
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// What there is in the arena beside players: the kinds of its things.
const (
	KindBall     track.Kind = 1 + iota // of the pit
	KindFootball                       // on the pitch
	KindCrate                          // loose
	KindHealth                         // a health pack; Extra says how much it heals
	KindRocket                         // on its way, as a grenade
	KindGrenade
)

// Entity is a place that the level marks for something of the game's, as level.Entity:
// "ball", "football" and "crate" are bodies there, "health" is a health pack, "goal" the
// inside of a goal of Team's, "pitch" where the football belongs. Other words mean
// nothing.
type Entity struct {
	Kind     string
	Position geom.Vec3 // metres
	Yaw      float64   // radians
	Half     geom.Vec3 // half the size along its own axes, metres
	Team     int
}

// within reports whether a point is in the thing's box.
func (t *Entity) within(p geom.Vec3) bool {
	d := geom.YawQuat(-t.Yaw).Rotate(p.Sub(t.Position))
	return geom.AABB{Min: t.Half.Neg(), Max: t.Half}.Contains(d)
}

// kindOf is the kind of body that a word of the level's means, 0 for none.
func kindOf(word string) track.Kind {
	switch word {
	case "ball":
		return KindBall
	case "football":
		return KindFootball
	case "crate":
		return KindCrate
	}
	return 0
}

// Loose is the rigid body that things of a kind are, on both ends; false for those that
// are none.
func Loose(kind track.Kind) (body.Body, bool) {
	switch kind {
	case KindBall:
		b := body.NewBall(.25, 1)
		b.Restitution, b.Rolling = .4, .05
		return b, true
	case KindFootball:
		b := body.NewBall(.25, .6)
		b.LinearDamping, b.Rolling = .15, .03
		return b, true
	case KindCrate:
		return body.NewBox(geom.V(.4, .4, .4), 30), true
	}
	return body.Body{}, false
}

// PushBounce is how bouncy heroes are to balls: body.Pusher.Bounce.
const PushBounce = 0.3

// Where bodies belong, and for how long they may lie elsewhere: it is counted from when
// they came to rest.
const (
	strayed   = 9.0 // metres from where it began
	strayedAt = 15 * clock.Second
)

// loose is one body of the match.
type loose struct {
	id      track.ID
	in      body.ID
	kind    track.Kind
	home    body.Motion
	told    body.Motion // as it was Put last
	strayed clock.Micros
}

// playground is what the match simulates beside its players.
type playground struct {
	world   *body.World
	loose   []loose
	pitch   pitch
	packs   []pack
	at      clock.Micros
	pushers []body.Pusher
	feet    [session.MaxPlayers + 1]geom.Vec3 // where the players stood a tick ago
	lives   [session.MaxPlayers + 1]uint8     // and in which life; 0: they did not
}

// furnish puts what the level marks into the match.
func (m *Match) furnish() {
	g := &m.ground
	g.world = body.New(m.config.World, body.Config{})
	for i := range m.config.Entities {
		t := &m.config.Entities[i]
		switch t.Kind {
		case "goal":
			g.pitch.goals = append(g.pitch.goals, *t)
		case "pitch":
			g.pitch.field = *t
		case "health":
			g.packs = append(g.packs, pack{at: t.Position})
		}
		m.drop(t)
	}
}

// drop puts a body into the match.
func (m *Match) drop(t *Entity) {
	kind := kindOf(t.Kind)
	b, ok := Loose(kind)
	if !ok {
		return
	}
	id := m.Server.Spawn(kind)
	if id == 0 {
		return
	}
	b.Position, b.Rotation = t.Position, geom.YawQuat(t.Yaw)
	l := loose{id: id, kind: kind, home: b.Motion, in: m.ground.world.Add(b)}
	if kind == KindFootball {
		m.ground.pitch.ball = len(m.ground.loose) + 1
	}
	m.ground.loose = append(m.ground.loose, l)
	m.put(&m.ground.loose[len(m.ground.loose)-1])
}

// simulate moves on what there is beside players: session.ServerConfig.Simulate.
func (m *Match) simulate(now clock.Micros) {
	g := &m.ground
	d := now - g.at
	g.push(m, d)
	g.world.Step(d, g.at, g.pushers)
	g.at = now
	m.referee(now)
	m.heal(now)
	for i := range g.loose {
		l := &g.loose[i]
		m.strays(l, now)
		if g.world.Motion(l.in) != l.told {
			m.put(l)
		}
	}
}

// Bodies appends every rigid body of the match as it stands, by ascending id: what clients
// are told of it, and its stamp.
func (m *Match) Bodies(into []track.Entity) []track.Entity {
	for i := range m.ground.loose {
		l := &m.ground.loose[i]
		s := sampleOf(m.ground.world.Motion(l.in))
		s.At, s.Kind = m.ground.at, l.kind
		into = append(into, track.Entity{ID: l.id, Sample: s})
	}
	return into
}

// Impulse pushes a body of the match in its middle, by an impulse in kg·m/s.
func (m *Match) Impulse(id track.ID, impulse geom.Vec3) {
	for i := range m.ground.loose {
		if l := &m.ground.loose[i]; l.id == id {
			m.ground.world.Impulse(l.in, m.ground.world.Motion(l.in).Position, impulse)
		}
	}
}

// sampleOf is how a body is told of.
func sampleOf(m body.Motion) track.Sample {
	return track.Sample{Position: m.Position, Velocity: m.Velocity, Rotation: m.Rotation, AngularVelocity: m.AngularVelocity, Asleep: m.Asleep}
}

// put tells how a body stands.
func (m *Match) put(l *loose) {
	l.told = m.ground.world.Motion(l.in)
	m.Server.UpdateEntity(l.id, sampleOf(l.told))
}

// strays sends home what fell off the world, and what has lain elsewhere for long.
func (m *Match) strays(l *loose, now clock.Micros) {
	is := m.ground.world.Motion(l.in)
	far := is.Asleep && is.Position.Dist(l.home.Position) > strayed && l.kind != KindFootball
	if !far || l.strayed == 0 {
		l.strayed = now
	}
	if is.Position.Y < m.config.KillHeight || far && now-l.strayed > strayedAt {
		m.home(l)
	}
}

// home puts a body back where it began.
func (m *Match) home(l *loose) {
	m.ground.world.Set(l.in, l.home)
	m.Server.TeleportEntity(l.id)
	l.strayed = 0
}

// jumped is how far in metres somebody who did not walk there has got in a tick.
const jumped = 2.5

// push makes pushers of the living: from where they stood to where they stand. Moves that
// came late and at once make nobody push harder than they run.
func (g *playground) push(m *Match, d clock.Micros) {
	g.pushers = g.pushers[:0]
	for id := 1; id < len(m.fighters); id++ {
		h, ok := Hero{}, false
		if f := &m.fighters[id]; f.score.Here && !f.watches {
			h, ok = m.Server.State(session.PlayerID(id))
		}
		if !ok || h.Dead || h.Watching {
			g.lives[id] = 0
			continue
		}
		moved := h.Position.Sub(g.feet[id])
		if g.lives[id] != h.Life || moved.LenSq() > jumped*jumped {
			moved = geom.Vec3{}
		}
		g.feet[id], g.lives[id] = h.Position, h.Life
		p := Pusher(m.game, &h, moved, d)
		p.ID = uint16(id)
		g.pushers = append(g.pushers, p)
	}
}

// Pusher is how a hero pushes bodies who has moved in the last d.
func Pusher(game *Game, h *Hero, moved geom.Vec3, d clock.Micros) body.Pusher {
	v := geom.Vec3{}
	if d > 0 {
		v = moved.Div(d.Seconds()).ClampLen(max(h.Velocity.Len(), 1) + rides(h))
	}
	c := game.model.Capsule(&h.State)
	return body.Pusher{Capsule: c.Moved(v.Mul(-d.Seconds())), Velocity: v, Bounce: PushBounce}
}

// rides is how fast in m/s what a hero stands on may be.
func rides(h *Hero) float64 {
	if h.Base.Body != collide.Static {
		return 10
	}
	return 0
}

// shotPush is the impulse of a round in kg·m/s.
const shotPush = 4

// strikes lets a shot push the bodies that it meets, as the server has bodies now: which
// is for the eye.
func (m *Match) strikes(r *shot.Receipt) {
	w := m.weapon(r.Weapon)
	if w == nil || len(m.ground.loose) == 0 || r.Verdict != shot.Hit && r.Verdict != shot.Miss {
		return
	}
	switch w.Kind {
	case shot.Projectile:
		m.scatter(r)
	case shot.Rays:
		if h, ok := m.Server.State(r.Shooter); ok {
			m.strike(m.game.Eye(&h), r.Outcome.Point)
		}
	}
}

// strike pushes what stands between a shot's muzzle and where it ended.
func (m *Match) strike(from, to geom.Vec3) {
	g := &m.ground
	way := to.Sub(from)
	reach := way.Len()
	dir := way.Unit()
	first, at := -1, reach
	for i := range g.loose {
		b := g.world.Body(g.loose[i].in)
		if t, ok := rayBall(b.Position.Sub(from), dir, b.Half.X); ok && t < at {
			first, at = i, t
		}
	}
	if first >= 0 {
		g.world.Impulse(g.loose[first].in, from.MulAdd(dir, at), dir.Mul(shotPush))
	}
}

// rayBall returns how far along a unit vector a ray from the origin meets a ball.
func rayBall(centre, dir geom.Vec3, radius float64) (float64, bool) {
	along := centre.Dot(dir)
	off := centre.MulAdd(dir, -along).LenSq()
	if off > float64(radius*radius) || along <= 0 {
		return 0, false
	}
	return max(along-radius, 0), true
}
