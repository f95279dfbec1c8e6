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

// The kinds of entities that are not players.
const (
	KindBall     track.Kind = 1 + iota // of the pit
	KindFootball                       // on the pitch
	KindCrate                          // loose
	KindHealth                         // a health pack; UserData is the health it gives
	KindRocket                         // in flight, as a grenade
	KindGrenade
)

// Entity is a place that the level marks for the game, as level.Entity.
type Entity struct {
	// Kind is "ball", "football" or "crate" for a body, "health" for a health pack, "goal"
	// for the inside of Team's goal, "pitch" for the playing field. Other kinds are ignored.
	Kind     string
	Position geom.Vec3 // metres
	Yaw      float64   // radians
	Half     geom.Vec3 // half the size along its own axes, metres
	Team     int       // of a goal, the team that defends it: Red or Blue
}

// within reports whether a point is in the entity's box.
func (t *Entity) within(p geom.Vec3) bool {
	d := geom.YawQuat(-t.Yaw).Rotate(p.Sub(t.Position))
	return geom.AABB{Min: t.Half.Neg(), Max: t.Half}.Contains(d)
}

// kindOf returns the body kind for a level's word, 0 for none.
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

// BodyOfKind returns the rigid body of a kind, the same on both ends; false for kinds that
// are not bodies.
func BodyOfKind(kind track.Kind) (body.Body, bool) {
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

// PushBounce is the restitution between heroes and balls: body.Pusher.Bounce.
const PushBounce = 0.3

// A body that has come to rest elsewhere returns to its place after a time.
const (
	strayDistance = 9.0 // metres from its place
	strayTime     = 15 * clock.Second
)

// looseBody is one rigid body of the match.
type looseBody struct {
	id        track.ID
	in        body.ID
	kind      track.Kind
	home      body.Motion
	sent      body.Motion // as last put into the record
	strayedAt clock.Micros
}

// worldEntities is what the match simulates besides its players.
type worldEntities struct {
	world    *body.World
	loose    []looseBody
	pitch    pitch
	packs    []pack
	at       clock.Micros
	pushers  []body.Pusher
	lastFeet [session.MaxPlayers + 1]geom.Vec3 // the players' feet a tick ago
	lives    [session.MaxPlayers + 1]uint8     // and their lives; 0: not alive
}

// addEntities adds the level's entities to the match.
func (m *Match) addEntities() {
	g := &m.entities
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
		m.addBody(t)
	}
}

// addBody adds a rigid body to the match.
func (m *Match) addBody(t *Entity) {
	kind := kindOf(t.Kind)
	b, ok := BodyOfKind(kind)
	if !ok {
		return
	}
	id := m.Server.Spawn(kind)
	if id == 0 {
		return
	}
	b.Position, b.Rotation = t.Position, geom.YawQuat(t.Yaw)
	l := looseBody{id: id, kind: kind, home: b.Motion, in: m.entities.world.Add(b)}
	if kind == KindFootball {
		m.entities.pitch.ball = len(m.entities.loose) + 1
	}
	m.entities.loose = append(m.entities.loose, l)
	m.record(&m.entities.loose[len(m.entities.loose)-1])
}

// simulate advances everything but the players: session.ServerConfig.Simulate.
func (m *Match) simulate(now clock.Micros) {
	g := &m.entities
	d := now - g.at
	g.push(m, d)
	g.world.Step(d, g.at, g.pushers)
	g.at = now
	m.updatePitch(now)
	m.updatePacks(now)
	for i := range g.loose {
		l := &g.loose[i]
		m.returnStray(l, now)
		if g.world.Motion(l.in) != l.sent {
			m.record(l)
		}
	}
}

// Bodies appends every rigid body of the match by ascending id, as it is sent to clients,
// with its stamp.
func (m *Match) Bodies(into []track.Entity) []track.Entity {
	for i := range m.entities.loose {
		l := &m.entities.loose[i]
		s := sampleOf(m.entities.world.Motion(l.in))
		s.At, s.Kind = m.entities.at, l.kind
		into = append(into, track.Entity{ID: l.id, Sample: s})
	}
	return into
}

// Impulse applies an impulse in kg·m/s to the centre of a body.
func (m *Match) Impulse(id track.ID, impulse geom.Vec3) {
	for i := range m.entities.loose {
		if l := &m.entities.loose[i]; l.id == id {
			m.entities.world.Impulse(l.in, m.entities.world.Motion(l.in).Position, impulse)
		}
	}
}

// sampleOf returns the sample of a body.
func sampleOf(m body.Motion) track.Sample {
	return track.Sample{
		Pose: track.Pose{
			Position: m.Position, Velocity: m.Velocity, Rotation: m.Rotation, AngularVelocity: m.AngularVelocity,
			Asleep: m.Asleep,
		},
	}
}

// record records the motion of a body in the snapshot.
func (m *Match) record(l *looseBody) {
	l.sent = m.entities.world.Motion(l.in)
	m.Server.UpdateEntity(l.id, sampleOf(l.sent))
}

// returnStray resets a body that fell off the world or has rested elsewhere for long.
func (m *Match) returnStray(l *looseBody, now clock.Micros) {
	is := m.entities.world.Motion(l.in)
	far := is.Asleep && is.Position.Dist(l.home.Position) > strayDistance && l.kind != KindFootball
	if !far || l.strayedAt == 0 {
		l.strayedAt = now
	}
	if is.Position.Y < m.config.KillHeight || far && now-l.strayedAt > strayTime {
		m.reset(l)
	}
}

// reset puts a body back to its place.
func (m *Match) reset(l *looseBody) {
	m.entities.world.Set(l.in, l.home)
	m.Server.TeleportEntity(l.id)
	l.strayedAt = 0
}

// maxTickDistance is the distance in metres beyond which a player did not walk there within
// a tick.
const maxTickDistance = 2.5

// push makes pushers of the living players, from their last to their current feet. Late
// moves that arrive together do not push harder than a running player.
func (g *worldEntities) push(m *Match, d clock.Micros) {
	g.pushers = g.pushers[:0]
	for id := 1; id < len(m.fighters); id++ {
		h, ok := Hero{}, false
		if f := &m.fighters[id]; f.score.Connected && !f.spectates {
			h, ok = m.Server.State(session.PlayerID(id))
		}
		if !ok || h.Dead || h.Spectating {
			g.lives[id] = 0
			continue
		}
		moved := h.Position.Sub(g.lastFeet[id])
		if g.lives[id] != h.Life || moved.LenSq() > maxTickDistance*maxTickDistance {
			moved = geom.Vec3{}
		}
		g.lastFeet[id], g.lives[id] = h.Position, h.Life
		p := Pusher(m.game, &h, moved, d)
		p.ID = uint16(id)
		g.pushers = append(g.pushers, p)
	}
}

// Pusher returns how a hero that has moved in the last d pushes bodies.
func Pusher(game *Game, h *Hero, moved geom.Vec3, d clock.Micros) body.Pusher {
	v := geom.Vec3{}
	if d > 0 {
		v = moved.Div(d.Seconds()).ClampLen(max(h.Velocity.Len(), 1) + baseSpeed(h))
	}
	c := game.model.Capsule(&h.State)
	return body.Pusher{Capsule: c.Moved(v.Mul(-d.Seconds())), Velocity: v, Bounce: PushBounce}
}

// baseSpeed returns the largest speed of a hero's base in m/s.
func baseSpeed(h *Hero) float64 {
	if h.Base.Body != collide.Static {
		return 10
	}
	return 0
}

// shotPush is the impulse of a round in kg·m/s.
const shotPush = 4

// pushHit pushes the bodies in the way of a shot, at their current places on the server. It
// is cosmetic.
func (m *Match) pushHit(r *shot.Receipt) {
	w := m.weapon(r.Weapon)
	if w == nil || len(m.entities.loose) == 0 || r.Verdict != shot.Hit && r.Verdict != shot.Miss {
		return
	}
	switch w.Kind {
	case shot.Projectile:
		m.pushBodies(r)
	case shot.Rays:
		if h, ok := m.Server.State(r.Shooter); ok {
			m.pushAlong(m.game.Eye(&h), r.Outcome.Point)
		}
	}
}

// pushAlong pushes what is between a shot's muzzle and its end.
func (m *Match) pushAlong(from, to geom.Vec3) {
	g := &m.entities
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

// rayBall returns the distance along a unit vector at which a ray from the origin hits a
// ball.
func rayBall(centre, dir geom.Vec3, radius float64) (float64, bool) {
	along := centre.Dot(dir)
	off := centre.MulAdd(dir, -along).LenSq()
	if off > float64(radius*radius) || along <= 0 {
		return 0, false
	}
	return max(along-radius, 0), true
}
