// Package trial puts the arena on trial: it is what package lab plays scenarios
// with. Start at New. Only the lab's own program and tests import it; a client does
// not.
package trial

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

// Trial is the arena as a lab.Game. It may be used by several goroutines.
type Trial struct {
	// Things are what every match has to play with beside what its scenario says.
	Things []arena.Entity

	mu     sync.Mutex
	meshes map[ground]*nav.Mesh // that bots find their way by
	nets   map[ground]*nav.Mesh // of those who walk on one
}

var _ lab.Game = (*Trial)(nil)

// New returns the arena as a game for the lab.
func New() *Trial {
	return &Trial{meshes: map[ground]*nav.Mesh{}, nets: map[ground]*nav.Mesh{}}
}

// Words are the arena's own: all tunables of its movement, and its weapons.
func (t *Trial) Words() scenario.Options {
	return scenario.Options{
		Tunables: movement.TunableNames(), Weapons: weapons(), Buttons: []string{dash, hook, watch, shield, sights},
	}
}

// Levels are the level that `backstep serve` opens, by the name "arena".
func (t *Trial) Levels() map[string][]byte { return map[string][]byte{"arena": assets.Arena} }

// weapons are the names of the arena's own.
func weapons() []string {
	var names []string
	for _, w := range arena.Weapons() {
		names = append(names, w.Name)
	}
	return names
}

// Features are what the arena can do so far.
func (t *Trial) Features() scenario.Features {
	return scenario.Features{
		scenario.UseParam:  movement.TunableNames(),
		scenario.UsePart:   scenario.Parts(),
		scenario.UseWeapon: weapons(),
	}
}

// Match begins a match with a Model that has the params.
func (t *Trial) Match(s lab.Setup) (lab.Match, error) {
	m := &match{setup: s}
	m.model = movement.DefaultModel()
	m.model.Paths = s.Paths
	for _, p := range s.Params {
		if err := set(&m.model, p); err != nil {
			return nil, err
		}
	}
	if err := m.model.Check(); err != nil {
		return nil, err
	}
	if s.NavWalks {
		mesh, err := t.net(&s, &m.model)
		if err != nil {
			return nil, err
		}
		m.net = mesh
	}
	m.weapons = armed(&s)
	m.game = m.newGame()
	config := arena.MatchConfig{
		ServerConfig: s.ServerConfig, Assigned: true, Game: m.game, Weapons: m.weapons,
		KillHeight: s.KillHeight, Peaceful: !s.Damage, Immortal: s.Recorded, Seed: s.Seed, Entities: slices.Clone(t.Things),
	}
	for _, p := range s.Things {
		config.Entities = append(config.Entities, arena.Entity{Kind: p.Kind, Position: p.Position, Yaw: p.Yaw, Half: p.Half, Team: p.Team})
	}
	for _, at := range s.Spawns {
		config.Spawns = append(config.Spawns, arena.Spawn{Position: at.At, Yaw: at.Yaw})
	}
	m.Match = arena.NewMatch(config)
	m.trial = t
	return m, nil
}

// armed are a match's weapons: the arena's own, but for the past that projectiles fly
// through, and nobody is pushed where nobody is hurt.
func armed(s *lab.Setup) shot.Table {
	list := arena.Weapons()
	for i := range list {
		if s.Favour != nil {
			list[i].LagCompensation.Flight = *s.Favour
		}
		if !s.Damage {
			list[i].Blast.Push = 0
		}
	}
	return list
}

// set sets a tunable to what a file says: files have gravity as an acceleration
// along +Y, and the Model as one along −Y.
func set(m *movement.Model, p scenario.Param) error {
	v := p.Value
	if p.Name == "gravity" {
		v = -v
	}
	if err := m.Set(p.Name, v); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

// ground names a scenario's level, its players' first places and their tunables:
// runs that differ in their seed alone share what is baked of it.
type ground [sha256.Size]byte

func groundOf(s *lab.Setup) ground {
	h := sha256.New()
	h.Write(s.World.AppendBinary(nil))
	fmt.Fprint(h, s.Spawns, s.Params)
	return ground(h.Sum(nil))
}

// mesh is what all bots of a world find their way by, baked for the first of them.
// They walk off blindly where it is too large for one.
func (t *Trial) mesh(s *lab.Setup) *nav.Mesh {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := groundOf(s)
	if t.meshes[at] == nil {
		var feet []geom.Vec3
		for _, spawn := range s.Spawns {
			feet = append(feet, spawn.At)
		}
		m, err := arena.Mesh(s.World, feet...)
		if err != nil {
			m = &nav.Mesh{}
		}
		t.meshes[at] = m
	}
	return t.meshes[at]
}

// netReach is how far around the players' first places the navigation mesh reaches,
// in metres.
const netReach = 30

// net is the navigation mesh of a scenario's world.
func (t *Trial) net(s *lab.Setup, m *movement.Model) (*nav.Mesh, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := groundOf(s)
	if mesh := t.nets[at]; mesh != nil {
		return mesh, nil
	}
	p := nav.Params{
		Radius: m.Radius, Height: 2 * m.HalfHeight, LowHeight: 2 * m.CrouchedHalfHeight,
		StepHeight: m.StepHeight, WalkableSlope: m.WalkableSlope, Within: geom.EmptyAABB(),
	}
	for _, spawn := range s.Spawns {
		p.Within = p.Within.Include(spawn.At)
	}
	p.Within = p.Within.Grow(netReach)
	mesh, err := nav.Bake(s.World, p)
	if err == nil {
		t.nets[at] = mesh
	}
	return mesh, err
}

// match is a match of the arena as the lab plays it.
type match struct {
	*arena.Match
	setup lab.Setup
	game  *arena.Game // the server's
	model movement.Model
	trial *Trial
	// weapons are the match's, nil for the arena's own.
	weapons shot.Table
	net     *nav.Mesh // nil where nobody walks on it
}

// newGame returns the arena's rules with the match's tunables.
func (m *match) newGame() *arena.Game {
	g := arena.NewGame()
	g.Exact = m.setup.Recorded
	*g.Model() = m.model
	if m.net != nil {
		g.Mesh = m.net
	}
	for _, motion := range m.setup.Motions {
		g.Abilities = append(g.Abilities, source(motion))
	}
	return g
}

// Events is what happened in the server's last move.
func (m *match) Events() []movement.Event { return m.game.Events() }

// Weapons are the match's table.
func (m *match) Weapons() []shot.Weapon { return m.game.Weapons() }

// Hitboxes is for session.HitboxGame: how everybody looks to shots.
func (m *match) Hitboxes() rewind.HitboxProvider { return m.game.Hitboxes() }

// SetBodyShape is for session.BodyShape: the bodies of players.
func (m *match) SetBodyShape(pose *track.Sample) (geom.Capsule, bool) {
	return m.game.SetBodyShape(pose)
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

// Restore gives a hero the state that a recording has.
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

// Join says hello for a player.
func (m *match) Join(who lab.Participant) lab.Actor {
	game := m.newGame()
	a := &actor{Player: arena.NewPlayerOf(game, who.ClientConfig), game: game, world: m.setup.World, cheat: who.Cheat, foul: who.Foul}
	a.Tamper = a.tamper
	if skill, ok := skills[who.Bot]; ok {
		a.bot = arena.NewBot(skill, who.Seed)
		a.bot.Mesh = m.trial.mesh(&m.setup)
	}
	a.Hello(who.Name, session.Key{})
	return a
}

// skills are how the bots of scenarios play: one that wanders sees nobody.
var skills = map[string]arena.Skill{
	"wander": blind(arena.Veteran),
	"hunter": arena.Veteran,
}

func blind(s arena.Skill) arena.Skill {
	s.SightRange = 0
	return s
}

// actor is a player's end. Its cheats are what a dishonest program would do: the
// server treats it as any other.
type actor struct {
	*arena.Player
	world *collide.World
	bot   *arena.Bot
	cheat string
	foul  scenario.Foul // how much it cheats
	hands *lab.Hands
	leapt clock.Micros // when it last claimed to be elsewhere, by its own clock
	begun bool
	// watches is whether it has asked to be a spectator.
	watches bool
	buttons [2]string // scratch of Think
	game    *arena.Game
	forgery forgery
	packer  bits.Packer   // scratch of repeat
	exact   arena.Command // likewise
}

// The arena's own buttons, as scenarios call them.
const (
	dash  = "dash"
	hook  = "hook"
	watch = "watch" // held: a spectator
	// Held: the shield is up; the sights are aimed down.
	shield = "shield"
	sights = "sights"
)

// How much the cheats cheat.
const (
	leapEvery = clock.Second
	leap      = 10.0 // metres
)

// Act is one frame.
func (a *actor) Act(local clock.Micros, h *lab.Hands) {
	a.hands = h
	in := arena.Input{
		Select: a.selects(h.Weapon), Shield: slices.Contains(h.Buttons, shield), Aim: slices.Contains(h.Buttons, sights),
		Forward: h.Forward, Right: h.Right, Yaw: h.Yaw, Pitch: h.Pitch,
		Jump: h.Jump, Crouch: h.Crouch, Reload: h.Reload, Fire: h.Fire,
		Dash: slices.Contains(h.Buttons, dash), Hook: slices.Contains(h.Buttons, hook),
	}
	if to := slices.Contains(h.Buttons, watch); to != a.watches {
		a.watches = to
		a.Watch(to)
	}
	if h.Fire {
		in.Shot = &[2]float64{h.Aim.Yaw, h.Aim.Pitch}
	}
	if a.cheat == "teleport" {
		a.leap(local, h.Yaw)
	}
	a.Play(local, in)
	for _, e := range a.Notices {
		if e.Kind == session.Welcomed {
			a.Enter(a.world)
		}
	}
}

// selects is the number, from 1, of a weapon to take in hand; 0 where it is there already,
// or on its way there.
func (a *actor) selects(name string) uint8 {
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
func (a *actor) Think(local clock.Micros) lab.Hands {
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
	return lab.Hands{
		Buttons: buttons, Weapon: weapon,
		Forward: in.Forward, Right: in.Right, Yaw: in.Yaw, Pitch: in.Pitch,
		Jump: in.Jump, Crouch: in.Crouch, Reload: in.Reload, Fire: in.Fire,
		Aim: lab.Aim{Yaw: in.Yaw, Pitch: in.Pitch},
	}
}

// Heard are the events of the newest frame.
func (a *actor) Heard() []session.Event { return a.Notices }

// leap moves the client's own idea of where it is, once a second.
func (a *actor) leap(local clock.Micros, yaw float64) {
	if a.Self() == nil || a.Phase() != session.Playing {
		return
	}
	if !a.begun {
		a.begun, a.leapt = true, local
	}
	if local-a.leapt < leapEvery {
		return
	}
	a.leapt += leapEvery
	a.ApplyCorrection()
	self := a.Self()
	self.Teleport(self.Position.MulAdd(geom.Forward(yaw), leap))
}

// tamper puts into a command what the arena's own hands have no key for, and changes
// it as the cheat does.
func (a *actor) tamper(c *arena.Command) {
	h := a.hands
	if h.Exact != nil {
		a.repeat(c, h.Exact)
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
			c.Shot.View.At = max(c.Shot.View.At-a.foul.Hold, 0)
		}
	case "aimthrough":
		if c.Shot.Fire && h.Aim.Target != 0 {
			c.Shot.SeenHit = rewind.HitTarget{Kind: rewind.Player, Target: h.Aim.Target, Part: 1, Tag: h.Aim.Part}
		}
	}
}

// repeat makes a recorded command of c. Its shot is aimed anew, at the same angles, into
// the picture that this end shows. One that makes no sense is none.
func (a *actor) repeat(c *arena.Command, packed []byte) {
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
