package arena

import (
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
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

// PushBounce is the restitution between heroes and bodies.
const PushBounce = 0.3

// rigidBodies is the arena's rigid bodies, the same on both ends.
var rigidBodies = bodies.Config{
	Kinds: map[track.Kind]body.Body{KindBall: ball(), KindFootball: football(), KindCrate: crate()},
	// A ball that is played is corrected faster than one that is watched.
	Follow: remote.BodyRules{Time: 200 * clock.Millisecond},
}

// BodyOfKind returns the rigid body of a kind; false for kinds that are not bodies.
func BodyOfKind(kind track.Kind) (body.Body, bool) { return rigidBodies.Body(kind) }

func ball() body.Body {
	b := body.NewBall(.25, 1)
	b.Restitution, b.Rolling, b.Kick = .4, .05, PushBounce
	return b
}

func football() body.Body {
	b := body.NewBall(.25, .6)
	b.LinearDamping, b.Rolling, b.Kick = .15, .03, PushBounce
	return b
}

func crate() body.Body {
	b := body.NewBox(geom.V(.4, .4, .4), 30)
	b.Kick = PushBounce
	return b
}

// A body that has come to rest elsewhere returns to its place after a time.
const (
	strayDistance = 9.0 // metres from its place
	strayTime     = 15 * clock.Second
)

// looseBody is one rigid body of the match.
type looseBody struct {
	id        track.ID
	kind      track.Kind
	home      body.Motion
	strayedAt clock.Micros
}

// worldEntities is what the match simulates besides its players.
type worldEntities struct {
	*bodies.Server
	loose []looseBody
	pitch pitch
	packs []pack
}

// addEntities adds the level's entities to the match.
func (m *Match) addEntities() {
	g := &m.entities
	g.Server = rigidBodies.Serve(m.Server, m.config.World)
	for i := range m.config.Entities {
		t := &m.config.Entities[i]
		switch t.Kind {
		case "goal":
			g.pitch.goals = append(g.pitch.goals, goal{g.AddZone(zoneOf(t)), t.Team})
		case "pitch":
			g.pitch.bounded, g.pitch.field = true, g.AddZone(zoneOf(t))
		case "health":
			g.packs = append(g.packs, pack{at: t.Position})
		}
		m.addBody(t)
	}
}

// zoneOf returns the box of an entity.
func zoneOf(t *Entity) bodies.Zone {
	return bodies.Zone{Position: t.Position, Yaw: t.Yaw, Half: t.Half}
}

// addBody adds a rigid body to the match.
func (m *Match) addBody(t *Entity) {
	kind := kindOf(t.Kind)
	if kind == 0 {
		return
	}
	id := m.entities.SpawnTurned(kind, t.Position, geom.YawQuat(t.Yaw))
	if id == 0 {
		return
	}
	if kind == KindFootball {
		m.entities.pitch.ball = len(m.entities.loose) + 1
	}
	m.entities.loose = append(m.entities.loose, looseBody{id: id, kind: kind, home: m.entities.Motion(id)})
}

// simulate advances everything but the players: session.ServerConfig.Simulate.
func (m *Match) simulate(now clock.Micros) {
	m.entities.Step(now)
	m.updatePitch(now)
	m.updatePacks(now)
	for i := range m.entities.loose {
		m.returnStray(&m.entities.loose[i], now)
	}
}

// Bodies appends every rigid body of the match by ascending id, as it is sent to clients,
// with its stamp.
func (m *Match) Bodies(into []track.Entity) []track.Entity {
	if m.entities.Server == nil {
		return into
	}
	return m.entities.Bodies(into)
}

// returnStray resets a body that fell off the world or has rested elsewhere for long.
func (m *Match) returnStray(l *looseBody, now clock.Micros) {
	is := m.entities.Motion(l.id)
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
	m.entities.Teleport(l.id, l.home)
	l.strayedAt = 0
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
	case shot.Hitscan:
		if h, ok := m.Server.State(r.Shooter); ok {
			m.pushAlong(m.game.Eye(&h), r.Outcome.Point)
		}
	}
}

// pushAlong pushes what is between a shot's muzzle and its end.
func (m *Match) pushAlong(from, to geom.Vec3) {
	if id, at, ok := m.entities.Ray(from, to); ok {
		m.entities.ImpulseAt(id, at, to.Sub(from).Unit().Mul(shotPush))
	}
}
