package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// The weapons of the armed toy, and the kinds of its projectiles.
const (
	armRifle = iota
	armShotgun
	armSword
	armRocket
	armGrenade

	rocketKind  track.Kind = 7
	grenadeKind track.Kind = 8
)

// armory is a weapon of every kind.
func armory() shot.Table {
	body := [rig.HitGroups]uint16{rig.Body: 25, rig.Head: 60, rig.Arm: 20, rig.Leg: 20}
	t := shot.Table{
		armRifle: shot.Rifle(),
		armShotgun: {Name: "shotgun", Range: 40, Cooldown: 600 * clock.Millisecond, Reload: clock.Second, Magazine: 200, Damage: body,
			Pellets: 8, Spread: shot.Spread{Cone: 0.06}},
		armSword: {Name: "sword", Kind: shot.Melee, Range: 2.2, Cooldown: 500 * clock.Millisecond, Damage: body,
			Swing: shot.Swing{Arc: 1.6, Begins: 50 * clock.Millisecond, Lasts: 150 * clock.Millisecond, Radius: 0.1}},
		armRocket: {Name: "rocket", Kind: shot.Projectile, Range: 200, Cooldown: 300 * clock.Millisecond, Reload: clock.Second, Magazine: 200, Damage: body,
			Flight: shot.Ballistics{Speed: 25, Radius: 0.1, Fuse: 3 * clock.Second, EntityKind: rocketKind},
			Blast:  shot.Blast{Radius: 3, Inner: 0.5, Damage: 80, Min: 0.2}},
		armGrenade: {Name: "grenade", Kind: shot.Projectile, Range: 200, Cooldown: 300 * clock.Millisecond, Reload: clock.Second, Magazine: 200,
			Flight: shot.Ballistics{Speed: 12, Gravity: 9.8, Radius: 0.1, Bounce: 0.4, Fuse: 1200 * clock.Millisecond, EntityKind: grenadeKind},
			Blast:  shot.Blast{Radius: 4, Inner: 0.5, Damage: 100, Min: 0.1, Self: 0.5}},
	}
	t[armRifle].Magazine = 200
	return t
}

// arsenal is the toy with a shot.Loadout.
type arsenal struct {
	*toy
	table shot.Table
}

func newArsenal() toyGame { return &arsenal{newToy(), armory()} }

func (g *arsenal) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	if s.Dead {
		return
	}
	g.toy.Step(w, s, c, d)
	s.Loadout.Step(g.table, shot.WeaponInput{Fire: c.Shot.Fire, Select: c.Select}, d)
}

func (g *arsenal) ClearOneTime(c *toyCommand) { c.Shot, c.Select = shot.Claim{}, 0 }

func (g *arsenal) PackCommand(p *bits.Packer, c, before *toyCommand) {
	g.toy.PackCommand(p, c, before)
	n := int(c.Select)
	p.Ranged(&n, 0, shot.MaxWeapons)
	c.Select = uint8(n)
}

func (g *arsenal) PackState(p *bits.Packer, s *toyState) {
	g.toy.PackState(p, s)
	s.Loadout.Pack(p)
}

func (g *arsenal) Digest(s *toyState) uint16 { return g.toy.Digest(s) ^ s.Loadout.Digest() }

func (g *arsenal) Weapons() []shot.Weapon { return g.table }

func (g *arsenal) Fired(before *toyState, c *toyCommand, after *toyState) shot.FireResult {
	u := shot.DeriveFireResult(g.table, &before.Loadout, &after.Loadout, shot.WeaponInput{Fire: c.Shot.Fire, Select: c.Select})
	u.Fired = u.Fired && !before.Dead
	return u
}

// arm puts a weapon into every player's hands.
func (r *simulation) arm(weapon uint8) {
	for _, g := range r.clients {
		if s, ok := r.m.State(g.ID()); ok {
			s.Loadout = armory().Loadout()
			s.Loadout.Held = weapon
			r.m.SetState(g.ID(), s)
		}
	}
	r.run(30)
}

// skirmish is a simulation of armed players that hold a weapon.
func skirmish(t testing.TB, config session.ServerConfig, players int, weapon uint8) *simulation {
	r := newSimulationOf(t, config, newArsenal)
	r.playing(players)
	r.arm(weapon)
	return r
}

// claims is a command that shoots at a point with what is in hand, where it may.
func (g *testClient) claims(c toyCommand, at geom.Vec3) toyCommand {
	g.ApplyCorrection()
	self := g.Self()
	if self.Dead || g.Waiting() || !self.Loadout.Claims(armory(), true) {
		return c
	}
	c.Shot = aimAt(g.Eye(), at)
	c.Shot.Weapon = self.Loadout.Held
	g.Aim(&c.Shot)
	return c
}

// other returns another player as drawn, nil for no player.
func (g *testClient) other(id session.PlayerID) *track.Sample {
	for i := range g.Remotes() {
		if e := &g.Remotes()[i]; e.ID == id {
			return &e.Sample
		}
	}
	return nil
}

// of returns the events of a kind.
func (g *testClient) of(kind session.EventKind) (list []session.Event) {
	for _, e := range g.events {
		if e.Kind == kind {
			list = append(list, e)
		}
	}
	return list
}

// verdicts returns the match's receipts.
func (m *match) verdicts() (list []shot.Receipt) {
	for _, e := range m.events {
		if e.Kind == session.Shot {
			list = append(list, e.Receipt)
		}
	}
	return list
}
