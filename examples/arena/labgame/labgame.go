// Package labgame adapts the arena to package lab, which plays scenarios with it. Start at
// New. Only the lab's program and tests import it, not clients.
package labgame

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/rootmotion"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Game is the arena as a lab.Game. It is safe for concurrent use.
type Game struct {
	// Entities are in every match, in addition to those of the scenario.
	Entities []arena.Entity

	mu        sync.Mutex
	meshes    map[meshKey]*nav.Mesh // of bots
	navMeshes map[meshKey]*nav.Mesh // of players that walk on the navigation mesh
}

var _ lab.Game = (*Game)(nil)

// New returns the arena as a game for the lab.
func New() *Game {
	return &Game{meshes: map[meshKey]*nav.Mesh{}, navMeshes: map[meshKey]*nav.Mesh{}}
}

// Words returns the arena's tunables, weapons and buttons.
func (g *Game) Words() scenario.Options {
	return scenario.Options{
		Tunables: movement.TunableNames(), Switches: switches, Weapons: weapons(), Buttons: []string{dash, hook, spectate, shield, sights},
	}
}

// switches are the tunables that are true or false.
var switches = []string{"separate_braking_friction", "maintain_horizontal", "walk_off_ledges", "keep_base_velocity", "keep_base_lift", "ride_turn"}

// Levels returns the level that `backstep serve` opens, by the name "arena".
func (g *Game) Levels() map[string][]byte { return map[string][]byte{"arena": assets.Arena} }

// weapons returns the names of the arena's weapons.
func weapons() []string {
	var names []string
	for _, w := range arena.Weapons() {
		names = append(names, w.Name)
	}
	return names
}

// Match begins a match with the params set in its Model.
func (g *Game) Match(s lab.Setup) (lab.Match, error) {
	m := &match{setup: s}
	m.model = movement.DefaultModel()
	m.model.Paths = s.Paths
	for _, p := range s.Params {
		if err := setTunable(&m.model, p); err != nil {
			return nil, err
		}
	}
	if err := m.model.Check(); err != nil {
		return nil, err
	}
	if s.NavWalks {
		mesh, err := g.navMesh(&s, &m.model)
		if err != nil {
			return nil, err
		}
		m.navMesh = mesh
	}
	m.weapons = weaponsFor(&s)
	m.shared = g
	m.Match = m.newMatch(nil)
	return m, nil
}

// newMatch returns a new match of the setup, with a game of its own, and with the players of an earlier one if there is
// one.
func (m *match) newMatch(earlier *arena.Match) *arena.Match {
	s := &m.setup
	m.game = m.newGame()
	m.game.StepEvents = &m.events
	config := arena.MatchConfig{
		ServerConfig: s.ServerConfig, Assigned: true, Game: m.game, Weapons: m.weapons,
		KillHeight: s.KillHeight, Peaceful: !s.Damage, Immortal: s.Recorded, Seed: s.Seed, Entities: slices.Clone(m.shared.Entities), Earlier: earlier,
	}
	for _, p := range s.Entities {
		config.Entities = append(config.Entities, arena.Entity{Kind: p.Kind, Position: p.Position, Yaw: p.Yaw, Half: p.Half, Team: p.Team})
	}
	for _, at := range s.Spawns {
		config.Spawns = append(config.Spawns, arena.Spawn{Position: at.At, Yaw: at.Yaw})
	}
	return arena.NewMatch(config)
}

// Observe lets o watch the match, also after a Restart and a NextLevel.
func (m *match) Observe(o session.Observer) {
	m.observer = o
	m.Match.Observe(o)
}

// Restart ends the match and lets a new one go on from its checkpoint.
func (m *match) Restart() error {
	var out, in bits.Packer
	out.Write(make([]byte, maxCheckpoint))
	m.Checkpoint(&out)
	if out.Err() != nil {
		return out.Err()
	}
	next := m.newMatch(nil)
	in.Read(out.Bytes())
	next.Checkpoint(&in)
	if in.Err() != nil {
		return in.Err()
	}
	m.Match = next
	next.Observe(m.observer)
	return nil
}

// NextLevel lets a new match go on with the players.
func (m *match) NextLevel() {
	m.Match = m.newMatch(m.Match)
	m.Match.Observe(m.observer)
}

// maxCheckpoint is more than the checkpoint of a match takes, in bytes.
const maxCheckpoint = 4 << 20

// vitalsOf returns the vitals of a hero.
func vitalsOf(h *arena.Hero, health, armour int) lab.Vitals {
	v := lab.Vitals{Life: h.Life, Dead: h.Dead, Health: health, Armour: armour, Held: int(h.Loadout.Held)}
	for i := range h.Loadout.Ammo {
		v.Rounds[i], v.Reloading[i] = int(h.Loadout.Ammo[i].Rounds), h.Loadout.Ammo[i].Reload > 0
	}
	return v
}

// Vitals returns the vitals of a player.
func (m *match) Vitals(id session.PlayerID) (lab.Vitals, bool) {
	h, ok := m.State(id)
	return vitalsOf(&h, int(m.Number(track.ID(id), "health")), int(m.Number(track.ID(id), "armour"))), ok
}

// OwnVitals returns the vitals that the player sees.
func (a *actor) OwnVitals() (lab.Vitals, bool) {
	h := a.Self()
	if h == nil {
		return lab.Vitals{}, false
	}
	return vitalsOf(h, int(a.Status.Health), int(a.Status.Armour)), true
}

// weaponsFor returns a match's weapons: the arena's own, with the timeline that projectiles
// use, and without push in matches without damage.
func weaponsFor(s *lab.Setup) shot.Table {
	list := arena.Weapons()
	for i := range list {
		if s.FlightTimeline != nil {
			list[i].LagCompensation.Flight = *s.FlightTimeline
		}
		if !s.Damage {
			list[i].Blast.Push = 0
		}
	}
	return list
}

// setTunable sets a tunable to a file's value: files have gravity as an acceleration along
// +Y, the Model as one along −Y.
func setTunable(m *movement.Model, p scenario.Param) error {
	v := p.Value
	if p.Name == "gravity" {
		v = -v
	}
	if err := m.Set(p.Name, v); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

// meshKey identifies a scenario's level, spawn points and tunables: runs that differ only
// in their seed share the baked meshes.
type meshKey [sha256.Size]byte

func meshKeyOf(s *lab.Setup) meshKey {
	h := sha256.New()
	h.Write(s.World.AppendBinary(nil))
	fmt.Fprint(h, s.Spawns, s.Params)
	return meshKey(h.Sum(nil))
}

// mesh returns the bots' navigation mesh of a world, baked at the first call. If the world
// is too large for one, bots walk blindly.
func (g *Game) mesh(s *lab.Setup) *nav.Mesh {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := meshKeyOf(s)
	if g.meshes[at] == nil {
		var feet []geom.Vec3
		for _, spawn := range s.Spawns {
			feet = append(feet, spawn.At)
		}
		m, err := arena.Mesh(s.World, feet...)
		if err != nil {
			m = &nav.Mesh{}
		}
		g.meshes[at] = m
	}
	return g.meshes[at]
}

// navMeshReach is how far around the spawn points the navigation mesh extends, in metres.
const navMeshReach = 30

// navMesh returns the navigation mesh of a scenario's world for walking players.
func (g *Game) navMesh(s *lab.Setup, m *movement.Model) (*nav.Mesh, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := meshKeyOf(s)
	if mesh := g.navMeshes[at]; mesh != nil {
		return mesh, nil
	}
	p := nav.Params{
		Radius: m.Radius, Height: 2 * m.HalfHeight, CrouchedHeight: 2 * m.CrouchedHalfHeight,
		StepHeight: m.StepHeight, WalkableSlope: m.WalkableSlope, Bounds: geom.EmptyAABB(),
	}
	for _, spawn := range s.Spawns {
		p.Bounds = p.Bounds.Include(spawn.At)
	}
	p.Bounds = p.Bounds.Grow(navMeshReach)
	mesh, err := nav.Bake(s.World, p)
	if err == nil {
		g.navMeshes[at] = mesh
	}
	return mesh, err
}

// match is a match of the arena as the lab plays it.
type match struct {
	*arena.Match
	setup  lab.Setup
	game   *arena.Game // the server's
	model  movement.Model
	shared *Game // keeps the navigation meshes of all matches
	// weapons are the match's, nil for the arena's own.
	weapons shot.Table
	navMesh *nav.Mesh // nil if no player walks on it

	observer session.Observer
	events   []movement.Event // of the server's last move
}

// newGame returns the arena's rules with the match's tunables.
func (m *match) newGame() *arena.Game {
	g := arena.NewGame()
	g.Exact = m.setup.Recorded
	*g.Model() = m.model
	if m.navMesh != nil {
		g.Mesh = m.navMesh
	}
	for _, motion := range m.setup.Motions {
		g.Abilities = append(g.Abilities, source(motion))
	}
	return g
}

// Events returns the events of the server's last move.
func (m *match) Events() []movement.Event { return m.events }

// Weapons returns the match's table.
func (m *match) Weapons() shot.Table { return m.game.Weapons() }

// Hitboxes returns the hitboxes of the arena's players.
func (m *match) Hitboxes() rewind.HitboxProvider { return m.game.Hitboxes() }

// BodyCapsule returns the bodies of the arena's players.
func (m *match) BodyCapsule(pose *track.Sample) (geom.Capsule, bool) {
	return m.game.BodyCapsule(pose)
}

// Push launches a hero.
func (m *match) Push(id session.PlayerID, velocity geom.Vec3) {
	m.Modify(id, func(h *arena.Hero) { h.LaunchAt(velocity) })
}

// SetMode puts a hero into a mode.
func (m *match) SetMode(id session.PlayerID, mode string, path int) {
	to := movement.None
	for to.String() != mode {
		to++
	}
	m.Modify(id, func(h *arena.Hero) {
		h.Mode, h.Floor, h.ForceFloor, h.Rail = to, movement.Floor{}, true, movement.Rail{}
		if to == movement.OnPath {
			h.Rail = movement.Rail{Path: uint16(path + 1), Start: m.Now()}
		}
	})
}

// Move starts a root motion of a hero's.
func (m *match) Move(id session.PlayerID, motion *scenario.RootMotion) {
	m.Modify(id, func(h *arena.Hero) {
		s := source(motion)
		if s.Kind == rootmotion.KindMoveTo {
			s.Point = h.Position
		}
		h.Motion.Apply(s, m.Now())
	})
}

// Restore sets a hero to a recorded state.
func (m *match) Restore(id session.PlayerID, packed []byte) error {
	var p bits.Packer
	var h arena.Hero
	p.Read(packed)
	h.Pack(&p)
	p.End()
	if p.Err() == nil {
		m.SetState(id, h)
	}
	return p.Err()
}

// Join makes a player's end and sends its hello.
func (m *match) Join(joining lab.Participant) lab.Actor {
	game := m.newGame()
	a := &actor{Player: arena.NewPlayerOf(game, joining.ClientConfig), game: game, world: m.setup.World, cheat: joining.Cheat, cheatParams: joining.CheatParams}
	a.Tamper = a.tamper
	if skill, ok := skills[joining.Bot]; ok {
		a.bot = arena.NewBot(skill, joining.Seed)
		a.bot.Mesh = m.shared.mesh(&m.setup)
	}
	a.Hello(joining.Name, session.Key{})
	return a
}

// skills are the bots of scenarios; a wandering bot sees no player.
var skills = map[string]arena.Skill{
	"wander": withoutSight(arena.Veteran),
	"hunter": arena.Veteran,
}

func withoutSight(s arena.Skill) arena.Skill {
	s.SightRange = 0
	return s
}

// actor is a player's end. Its cheats act only in the client, as in a modified program.
type actor struct {
	*arena.Player
	world        *collide.World
	bot          *arena.Bot
	cheat        string
	cheatParams  scenario.CheatParams
	controls     *lab.Controls
	lastTeleport clock.Micros // local time of the last teleport cheat
	started      bool
	// watches is whether it has requested to be a spectator.
	watches bool
	buttons [2]string // scratch of Think
	game    *arena.Game
	forgery forgery
	packer  bits.Packer   // scratch of repeat
	exact   arena.Command // scratch of replayCommand
}

// The arena's buttons, by their names in scenarios.
const (
	dash     = "dash"
	hook     = "hook"
	spectate = "spectate" // held: a spectator
	// Held: the shield is up; aim down the sights.
	shield = "shield"
	sights = "sights"
)

// The parameters of the teleport cheat.
const (
	teleportInterval = clock.Second
	teleportDistance = 10.0 // metres
)

// Act is one frame.
func (a *actor) Act(local clock.Micros, h *lab.Controls) {
	a.controls = h
	in := arena.Input{
		Select: a.selection(h.Weapon), Shield: slices.Contains(h.Buttons, shield), Aim: slices.Contains(h.Buttons, sights),
		Forward: h.Forward, Right: h.Right, Yaw: h.Yaw, Pitch: h.Pitch,
		Jump: h.Jump, Crouch: h.Crouch, Reload: h.Reload, Fire: h.Fire,
		Dash: slices.Contains(h.Buttons, dash), Hook: slices.Contains(h.Buttons, hook),
	}
	if to := slices.Contains(h.Buttons, spectate); to != a.watches {
		a.watches = to
		a.Spectate(to)
	}
	if h.Fire {
		in.Shot = &[2]float64{h.Aim.Yaw, h.Aim.Pitch}
	}
	if a.cheat == "teleport" {
		a.teleport(local, h.Yaw)
	}
	a.Play(local, in)
	for _, e := range a.Notices {
		if e.Kind == session.Welcomed {
			a.Enter(a.world)
		}
	}
}

// selection returns the number, from 1, of a weapon to select; 0 if it is held or being
// selected.
func (a *actor) selection(name string) uint8 {
	self := a.Self()
	if name == "" || self == nil {
		return 0
	}
	for i, w := range a.game.Weapons() {
		if held := int(self.Loadout.Held); w.Name == name && i != held && i+1 != int(self.Loadout.Next) {
			return uint8(i) + 1
		}
	}
	return 0
}

// Think is what the bot does.
func (a *actor) Think(local clock.Micros) lab.Controls {
	in := a.bot.Think(a.Player, local)
	buttons, weapon := a.buttons[:0], ""
	if table := a.game.Weapons(); in.Select > 0 && int(in.Select) <= len(table) {
		weapon = table[in.Select-1].Name
	}
	if in.Dash {
		buttons = append(buttons, dash)
	}
	if in.Hook {
		buttons = append(buttons, hook)
	}
	return lab.Controls{
		Buttons: buttons, Weapon: weapon,
		Forward: in.Forward, Right: in.Right, Yaw: in.Yaw, Pitch: in.Pitch,
		Jump: in.Jump, Crouch: in.Crouch, Reload: in.Reload, Fire: in.Fire,
		Aim: lab.Aim{Yaw: in.Yaw, Pitch: in.Pitch},
	}
}

// FrameEvents returns the events of the last frame.
func (a *actor) FrameEvents() []session.Event { return a.Notices }

// teleport moves the client's own position once per second.
func (a *actor) teleport(local clock.Micros, yaw float64) {
	if a.Self() == nil || a.Phase() != session.Playing {
		return
	}
	if !a.started {
		a.started, a.lastTeleport = true, local
	}
	if local-a.lastTeleport < teleportInterval {
		return
	}
	a.lastTeleport += teleportInterval
	a.ApplyCorrection()
	self := a.Self()
	self.Teleport(self.Position.MulAdd(geom.Forward(yaw), teleportDistance))
}

// tamper adds to a command what arena.Input does not have, and changes it as the cheat
// does.
func (a *actor) tamper(c *arena.Command) {
	h := a.controls
	if h.Exact != nil {
		a.replayCommand(c, h.Exact)
		return
	}
	if c.Ability = uint8(h.Motion); h.Up != 0 {
		c.Move.Up = h.Up
	}
	c.Move.Quantise()
	a.forgery.tamper(a, c)
	switch a.cheat {
	case "nocooldown":
		if h.Fire && !c.Shot.Fire && a.Phase() == session.Playing {
			c.Shot = shot.Claim{Yaw: h.Aim.Yaw, Pitch: h.Aim.Pitch}
			a.Aim(&c.Shot)
		}
	case "backdate", "withhold":
		if c.Shot.Fire {
			c.Shot.View.At = max(c.Shot.View.At-a.cheatParams.Hold, 0)
		}
	case "aimthrough":
		if c.Shot.Fire && h.Aim.Target != 0 {
			c.Shot.SeenHit = rewind.HitTarget{Kind: rewind.Player, Target: h.Aim.Target, Hitbox: 1, HitGroup: h.Aim.HitGroup}
		}
	}
}

// replayCommand replaces c by a recorded command. Its shot is claimed anew, at the same
// angles, in this client's view. A malformed command becomes the zero command.
func (a *actor) replayCommand(c *arena.Command, packed []byte) {
	var none arena.Command
	a.packer.Read(packed)
	a.exact = none
	a.game.PackCommand(&a.packer, &a.exact, &none)
	if *c = a.exact; a.packer.Err() != nil {
		*c = none
	}
	if c.Shot.Fire && a.Phase() == session.Playing {
		c.Shot = shot.Claim{Weapon: c.Shot.Weapon, Yaw: c.Shot.Yaw, Pitch: c.Shot.Pitch}
		a.Aim(&c.Shot)
	}
}
