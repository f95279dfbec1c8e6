package combat

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/visibility"
)

const ms = clock.Millisecond

// The weapons of the tests, by index.
const (
	rifle = iota
	rocket
	blade
	mine // burns down where it is launched
	weapons
)

func testWeapons() shot.Table {
	return shot.Table{
		shot.Rifle(),
		{Name: "rocket", Kind: shot.Projectile, Cooldown: ms, Damage: [rig.HitGroups]uint16{rig.Body: 30},
			Flight: shot.Ballistics{Speed: 20, Fuse: 5 * clock.Second, EntityKind: 5},
			Blast:  shot.Blast{Radius: 3, Inner: 1, Damage: 40, Min: 0.5, Self: 1}},
		{Name: "blade", Kind: shot.Melee, Range: 2, Cooldown: 500 * ms, Damage: [rig.HitGroups]uint16{rig.Body: 55},
			Swing: shot.Swing{Arc: 1.5, Begins: 100 * ms, Lasts: 200 * ms, Radius: 0.05}},
		{Name: "mine", Kind: shot.Projectile, Cooldown: ms,
			Flight: shot.Ballistics{Speed: 0.1, Gravity: 50, Radius: 0.1, Bounce: 0.1, Fuse: clock.Second, EntityKind: 6}},
	}
}

// standIn is one player of a match: it stands still.
type standIn struct {
	combat       Player
	connected    bool
	inWorld      bool
	feet         geom.Vec3
	dead         bool
	life         uint8
	log          *track.SentLog
	acknowledged track.Received
	shots        uint32 // commands so far
}

// placedEntity is an entity as the Server placed it last.
type placedEntity struct {
	kind   track.Kind
	sample track.Sample
	at     clock.Micros
}

// judged is one call of Match.Judged.
type judged struct {
	receipt  shot.Receipt
	reported bool
	tested   int
}

// match is a Match with players that stand on a floor around a wall, at 60 ticks a second.
// Player 1 stands at the origin and shoots, 2 stands 10 m before it, 3 stands 1 m beside 2, and 4
// behind a wall.
type match struct {
	*Server
	t        testing.TB
	players  []standIn // by id − 1
	entities map[track.ID]placedEntity
	nextID   track.ID // 0: there is no room
	verdicts []judged
	history  *rewind.History
	ticks    uint32
	onShot   func(*shot.Receipt)
}

func newMatch(t testing.TB) *match { return newMatchWith(t, nil) }

// newMatchWith is newMatch with rules of visibility.
func newMatchWith(t testing.TB, rules *visibility.Rules) *match {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 2.5, -21), geom.V(50, 2.5, 1), geom.IdentityQuat, collide.Surface{}) // a wall at Z = −20
	world := b.MustBake()
	m := &match{t: t, entities: map[track.ID]placedEntity{}, nextID: 200, history: rewind.NewHistory(60, clock.Second)}
	for _, feet := range []geom.Vec3{{}, geom.V(0, 0, -10), geom.V(1, 0, -10), geom.V(0, 0, -30)} {
		m.players = append(m.players, standIn{connected: true, inWorld: true, feet: feet, life: 1, log: track.NewSentLog(128)})
	}
	var filter *visibility.Filter
	if rules != nil {
		filter = visibility.New(*rules, world, nil)
	}
	m.Server = NewServer(m, Config{
		Players: len(m.players), TickRate: 60, World: world, History: m.history, Weapons: testWeapons(),
		Scene: func() *rewind.Scene { return rewind.NewScene(nil) }, Visible: filter,
		OnReceipt: func(r *shot.Receipt) {
			if m.onShot != nil {
				m.onShot(r)
			}
		},
	})
	m.Start(nil, shot.Limits{})
	m.run(60)
	return m
}

func (m *match) Player(id track.ID) (*Player, bool) {
	p := &m.players[id-1]
	return &p.combat, p.connected
}

func (m *match) Acknowledged(id track.ID) track.Received { return m.players[id-1].acknowledged }

func (m *match) SentLog(id track.ID) *track.SentLog { return m.players[id-1].log }

func (m *match) Eye(id track.ID) (geom.Vec3, bool) {
	p := &m.players[id-1]
	return p.feet.Add(geom.V(0, 1.5, 0)), p.inWorld
}

func (m *match) Alive(id track.ID, _ clock.Micros) (alive bool, life uint8) {
	if int(id) > len(m.players) {
		e, ok := m.entities[id]
		return ok, e.sample.Life
	}
	p := &m.players[id-1]
	return p.inWorld && !p.dead, p.life
}

func (m *match) Spawn(kind track.Kind) track.ID {
	if m.nextID == 0 {
		return 0
	}
	m.nextID++
	m.entities[m.nextID] = placedEntity{kind: kind}
	return m.nextID
}

func (m *match) SetPose(id track.ID, s track.Sample, at clock.Micros) {
	e, ok := m.entities[id]
	if !ok {
		m.t.Errorf("tick %d: entity %d is placed and does not exist", m.ticks, id)
	}
	e.sample, e.at = s, at
	m.entities[id] = e
}

func (m *match) Despawn(id track.ID) {
	if _, ok := m.entities[id]; !ok {
		m.t.Errorf("tick %d: entity %d is removed twice", m.ticks, id)
	}
	delete(m.entities, id)
}

func (m *match) Sends(uint32) bool { return true }

func (m *match) Judged(_ *shot.Shot, r *shot.Receipt, tested []track.Entity, reported bool) {
	m.verdicts = append(m.verdicts, judged{*r, reported, len(tested)})
}

// now is the match time of the newest tick.
func (m *match) now() clock.Micros { return clock.TickTime(int64(m.ticks), 60) }

// run plays n ticks: it records everything, as a match does after all moves, and resolves.
func (m *match) run(n int) {
	for range n {
		m.ticks++
		f := m.history.Record(m.ticks, m.now())
		for i := range m.players {
			p := &m.players[i]
			p.log.Begin(m.ticks)
			if p.inWorld {
				f.Add(track.ID(i+1), track.Sample{At: m.now(), Pose: track.Pose{Position: p.feet}, GameData: track.GameData{Life: p.life, Dead: p.dead}})
			}
		}
		for id := track.ID(100); id < 400; id++ {
			if e, ok := m.entities[id]; ok && e.at != 0 {
				s := e.sample
				s.At, s.Kind = e.at, e.kind
				f.Add(id, s)
			}
		}
		for i := range m.players {
			for k := range f.Len() {
				m.players[i].log.Add(m.ticks, f.ID(k))
			}
		}
		if v := m.Visible; v != nil {
			v.Begin(f)
			for i := range m.players {
				eye, _ := m.Eye(track.ID(i + 1))
				v.AddViewer(track.ID(i+1), eye)
			}
			v.Update()
		}
		m.Resolve(m.ticks, m.now(), m.ticks)
	}
}

// shoot returns an honest shot of a player at a point, for the next tick, with a view of 80 ms ago.
func (m *match) shoot(id track.ID, weapon uint8, at geom.Vec3) shot.Shot {
	p := &m.players[id-1]
	p.shots++
	eye, _ := m.Eye(id)
	d := at.Sub(eye).Unit()
	now := clock.TickTime(int64(m.ticks)+1, 60)
	claim := shot.Claim{Fire: true, Weapon: weapon, Yaw: math.Atan2(-d.X, -d.Z), Pitch: math.Asin(d.Y),
		View: track.View{At: now - 80*ms, Seen: track.Received{Newest: m.ticks, Mask: 1<<64 - 1}}}
	claim = claim.Quantise()
	claim.View.Platform = now - 20*ms
	return shot.Shot{
		Number: p.shots, Shooter: id, Sent: p.log, Claim: claim, Eye: eye, Alive: true,
		Result: shot.FireResult{Fired: true, Weapon: weapon}, Now: now,
		Age: shot.ViewAge{RoundTrip: 50 * ms, LinkDelay: 50 * ms, Delay: 20 * ms, DisplayTime: 17 * ms},
	}
}

// fire fires a shot, plays the tick, and returns the verdict of that.
func (m *match) fire(s shot.Shot) judged {
	m.t.Helper()
	n := len(m.verdicts)
	m.Fire(&s)
	m.run(1)
	if len(m.verdicts) == n {
		m.t.Fatal("the shot was not judged")
	}
	return m.verdicts[n]
}

// received returns the notices that wait for a player as its client reads them, and
// acknowledges them.
func (m *match) received(id track.ID) Notices {
	m.t.Helper()
	p := &m.players[id-1].combat
	var out, in Notices
	p.Fill(&out, 100_000, m.ticks+1)
	pack(m.t, func(p *bits.Packer) { out.Pack(p, m.now()) }, func(p *bits.Packer) { in.Pack(p, m.now()) })
	p.Acknowledge(m.ticks)
	return in
}

// pack writes and reads a message, and fails unless that takes all of its bits.
func pack(t testing.TB, write, read func(*bits.Packer)) {
	t.Helper()
	var p bits.Packer
	p.Write(make([]byte, 1<<16))
	write(&p)
	if p.Err() != nil {
		t.Fatalf("cannot be packed: %v", p.Err())
	}
	b := p.Bytes()
	p.Read(b)
	read(&p)
	if p.End(); p.Err() != nil {
		t.Fatalf("cannot be read: %v", p.Err())
	}
}

// body is a point of the body of a player.
func (m *match) body(id track.ID) geom.Vec3 { return m.players[id-1].feet.Add(geom.V(0, 1, 0)) }
