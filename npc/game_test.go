package npc_test

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/npc"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// guard is the kind of the characters.
const guard track.Kind = 5

// maxID is the largest id of a character here: players have those up to 128. A ledger of all ids would have a megabyte,
// which FuzzCheckpoint would reset with each input.
const maxID = 512

// hero and command are a shooter's.
type hero struct {
	movement.State
	shot.Loadout
}

type command struct {
	movement.Command
	shot.Trigger
}

var (
	model   = movement.DefaultModel()
	weapons = shot.Table{rifle()}
)

// rifle is a rifle that needs no rounds.
func rifle() shot.Weapon {
	w := shot.Rifle()
	w.Magazine = 0
	return w
}

// shooter is a game of people with rifles, among guards.
func shooter() session.Game[hero, command] {
	g := session.Game[hero, command]{
		Step: func(m *session.Move, h *hero, c *command) {
			h.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
			m.Walk(&model, &h.State, &c.Command)
		},
		PackState:   func(p *bits.Packer, h *hero) { h.State.Pack(p); h.Loadout.Pack(p) },
		PackCommand: func(p *bits.Packer, c, before *command) { c.Command.Pack(p, &before.Command); c.Trigger.Pack(p) },
		IsCharacter: func(k track.Kind) bool { return k == guard },
	}
	character.Arm(&g, weapons, nil)
	character.Fill(&g, &model)
	return g
}

// fortress is a floor of 50 by 50 m with four rooms, whose walls have doors, and stairs to a platform.
var fortress = once(func(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(25, 1, 25), geom.IdentityQuat, collide.Surface{})
	for _, side := range []float64{-1, 1} {
		b.Box(geom.V(25.5*side, 2, 0), geom.V(.5, 3, 26), geom.IdentityQuat, collide.Surface{})
		b.Box(geom.V(0, 2, 25.5*side), geom.V(26, 3, .5), geom.IdentityQuat, collide.Surface{})
		// Walls along the axes, with a door of 3 m in the middle of each.
		for _, part := range []float64{5.5, 19.5} {
			b.Box(geom.V(part*side, 1.5, 0), geom.V(5.5, 1.5, .2), geom.IdentityQuat, collide.Surface{})
			b.Box(geom.V(0, 1.5, part*side), geom.V(.2, 1.5, 5.5), geom.IdentityQuat, collide.Surface{})
		}
	}
	// A platform of 2 m, with stairs of 8 steps.
	b.Box(geom.V(16, 1, 16), geom.V(4, 1, 4), geom.IdentityQuat, collide.Surface{})
	b.Stairs(geom.V(16, 0, 9), 3, .25, .375, 8, 3.14159265, collide.Surface{})
	return b.MustBake()
})

// fortressMesh is its mesh for the model.
var fortressMesh = once(func(t testing.TB) *nav.Mesh {
	t.Helper()
	m, err := nav.Bake(fortress(t), nav.Params{
		Radius: model.Radius, Height: 2 * model.HalfHeight, StepHeight: model.StepHeight, WalkableSlope: model.WalkableSlope,
		Bounds: geom.AABB{Min: geom.V(-25, -2, -25), Max: geom.V(25, 2.8, 25)}, Cell: .2, Seeds: []geom.Vec3{geom.V(-3, 0, -3)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
})

// once returns a function that makes something the first time, and returns the same afterwards.
func once[T any](make func(testing.TB) T) func(testing.TB) T {
	var made T
	done := false
	return func(t testing.TB) T {
		t.Helper()
		if !done {
			made, done = make(t), true
		}
		return made
	}
}

// match is a match of players and guards that walk from place to place.
type match struct {
	*session.Server[hero, command]
	npcs   *npc.Crowd
	ledger *damage.Ledger
	mesh   *nav.Mesh
	random uint64
	keys   byte      // that were drawn
	spawn  geom.Vec3 // of players
	still  bool      // guards get no new goals

	arrived, unreachable, died int
	results                    []damage.Result
	ids                        []track.ID
}

// newMatch returns a match with so many guards, strewn over the mesh.
func newMatch(t testing.TB, level *collide.World, guards int, kind npc.Kind, config session.ServerConfig) *match {
	t.Helper()
	m := &match{random: 1, mesh: fortressMesh(t), ledger: damage.NewLedger(damage.Rules{}, maxID+1)}
	config.World, config.LevelHash = level, "fortress"
	config.NewKey = func() session.Key { m.keys++; return session.Key{m.keys} }
	config.Simulate = m.simulate
	m.Server = session.NewServer(shooter(), config)
	m.npcs = npc.New(npc.Config{Match: m.Server, World: level, Mesh: m.mesh, Kinds: map[track.Kind]npc.Kind{guard: kind}, Ledger: m.ledger})
	for range guards {
		id := m.npcs.Spawn(guard, m.place(), 0)
		m.npcs.Steer(id, m.place())
	}
	return m
}

// place draws a place on the mesh, one in eight on the platform.
func (m *match) place() geom.Vec3 {
	for {
		if m.draw() < .125 {
			return geom.V(14+4*m.draw(), 2, 14+4*m.draw())
		}
		at := geom.V(48*m.draw()-24, 3*m.draw()-.5, 48*m.draw()-24)
		if _, on, ok := m.mesh.Nearest(at, 1); ok {
			return on
		}
	}
}

// draw returns a number of 0 … 1 (Knuth's generator).
func (m *match) draw() float64 {
	m.random = m.random*6364136223846793005 + 1442695040888963407
	return float64(m.random>>11) / (1 << 53)
}

// simulate is the server's Simulate.
func (m *match) simulate(now clock.Micros) {
	m.npcs.Step(now)
	for _, e := range m.npcs.Events() {
		switch e.Kind {
		case npc.Arrived:
			m.arrived++
			if !m.still {
				m.npcs.Steer(e.ID, m.place())
			}
		case npc.Unreachable:
			m.unreachable++
		case npc.Died: // another takes its place
			m.died++
			m.npcs.Steer(m.npcs.Spawn(guard, m.place(), 0), m.place())
		}
	}
}

// Tick runs a tick and settles its hits.
func (m *match) Tick(now clock.Micros) {
	m.Server.Tick(now)
	for _, e := range m.Server.Events() {
		switch e.Kind {
		case session.Joined:
			m.ledger.Join(e.Player, e.Reconnected)
			m.ledger.Spawn(e.Player, m.Respawn(e.Player, hero{State: movement.Spawn(m.spawn, 0), Loadout: weapons.Loadout()}), 0)
		case session.Shot:
			m.ledger.QueueReceipt(&e.Receipt, 0)
		}
	}
	m.results = m.ledger.ApplyQueued(now, m.results[:0])
	m.Send()
}
