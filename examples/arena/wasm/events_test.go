package main

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

func TestThePageJoinsWalksAndShoots(t *testing.T) {
	p := newPage(t)
	p.hello()
	p.run(2 * clock.Second)
	if exported.Phase != session.Playing || exported.ID == 0 {
		t.Fatalf("after 2 s: phase %v, player %v, want playing and a number", exported.Phase, exported.ID)
	}
	if got := block.Player.Status.Health; got != 100 {
		t.Errorf("health: got %v, want 100", got)
	}
	controls.Forward = 1
	p.run(clock.Second)
	controls.Forward = 0
	h, _ := p.match.State(exported.ID)
	if h.Position.Z > 3 || math.Abs(h.Position.Z-exported.Position.Z) > 0.2 {
		t.Errorf("a second forward from z = 5: the server has %.2f, the page draws %.2f", h.Position.Z, exported.Position.Z)
	}
	controls.Fire = true
	p.run(clock.Second / 10)
	controls.Fire = false
	p.run(clock.Second / 2)
	spent := exported.Weapons[held()].Magazine - exported.Self.Loadout.Ammo[held()].Rounds
	if spent < 1 || len(p.tracers) == 0 {
		t.Errorf("fired: got %v rounds and %d shots drawn, want one or more of each", spent, len(p.tracers))
	}
	if s := exported.Stats; s.Agreed < 1 || s.Disagreed != 0 || s.Bad != 0 {
		t.Errorf("judged as seen %v, otherwise %v, bad packets %v; want one or more, 0, 0", s.Agreed, s.Disagreed, s.Bad)
	}
}

func TestAFrameOfTheArenaDoesNotAllocate(t *testing.T) {
	p := newPage(t)
	p.join()
	controls.Forward, debugs.Shown, controls.DebugShots = 1, true, true
	p.run(clock.Second)
	if got := testing.AllocsPerRun(100, func() {
		p.now += clock.Second / 60
		p.Frame(p.now)
	}); got != 0 {
		t.Errorf("got %v allocations a frame, want 0", got)
	}
}

// The page learns of each hit: how much, from where, by which player and weapon. The damage
// sums up to the health that was lost; then come the kill, the time until the respawn, and
// the respawn.
func TestThePageSeesItsPlayerShotDeadAndRespawn(t *testing.T) {
	p := newPage(t)
	o := p.join()
	p.apart(6)
	p.happened = happened{}
	p.shotAt(clock.Second)
	other, lost := o.player.ID(), 0
	for _, h := range p.hurts {
		lost += int(h.Damage)
		if h.By != other || h.Weapon != 0 || h.HitGroup < rig.Body || h.HitGroup > rig.Leg || h.Ago < 0 || h.Ago > 200*clock.Millisecond {
			t.Errorf("%+v; want player %d with the rifle just now", h, other)
		}
		if d := h.From.Sub(geom.V(0, 1.52, -6)).Len(); d > .3 {
			t.Errorf("fired from %v, %.2f m from the shooter's eye", h.From, d)
		}
	}
	if lost != 100 || !exported.Self.Dead || block.Player.Status.Health != 0 {
		t.Fatalf("%d damage, dead %v, health %v; want 100, dead, 0", lost, exported.Self.Dead, block.Player.Status.Health)
	}
	if len(p.kills) != 1 {
		t.Fatalf("%d kills, want 1", len(p.kills))
	}
	if k := p.kills[0]; k.Killer != uint16(other) || k.Victim != uint16(exported.ID) || k.Weapon != 1 {
		t.Errorf("player %d killed %d with weapon %d, want %d, %d, 1", k.Killer, k.Victim, k.Weapon, other, exported.ID)
	}
	if left := block.Respawn.Seconds(); left <= 1.5 || left > 3 {
		t.Errorf("%v s until the respawn, want up to 3", left)
	}
	if own, killer := block.Player.Score(exported.ID), block.Player.Score(other); own.Deaths != 1 || killer.Kills != 1 {
		t.Errorf("%v deaths, the other has %v kills; want 1 and 1", own.Deaths, killer.Kills)
	}
	p.run(3 * clock.Second)
	if p.spawns != 1 || exported.Self.Dead || block.Player.Status.Health != 100 || block.Respawn != 0 {
		t.Fatalf("%d respawns, dead %v, health %v, %v left; want one whole life", p.spawns, exported.Self.Dead, block.Player.Status.Health, block.Respawn)
	}
}

// Damage without an attacker, such as a fall below the level, is reported too, once, and
// the world is the killer.
func TestDamageWithoutAnAttackerIsReported(t *testing.T) {
	p := newPage(t)
	p.hello()
	p.run(2 * clock.Second)
	p.hurts = nil
	p.place(exported.ID, geom.V(0, -60, 0))
	p.run(clock.Second)
	if len(p.hurts) != 1 || p.hurts[0].By != 0 {
		t.Fatalf("hurt: %+v, want once by the world", p.hurts)
	}
	if len(p.kills) != 1 || p.kills[0].Killer != p.kills[0].Victim || p.kills[0].Victim != uint16(exported.ID) {
		t.Errorf("kills: %+v, want the player alone", p.kills)
	}
}

// A shot of another player is drawn from its eye to where it ended, and looks like a hit if
// it ended in a drawn player. Names and joins are reported before.
func TestThePageDrawsTheShotsOfOthers(t *testing.T) {
	p := newPage(t)
	o := p.join()
	names := map[track.ID]string{}
	for _, j := range p.joins {
		if j.Bot || j.Team != 0 {
			t.Errorf("%+v: want neither bot nor team", j)
		}
		names[j.Player] = j.Name
	}
	if len(names) != 2 || names[o.player.ID()] != "Bob" || names[exported.ID] != "Ann" {
		t.Errorf("joined: %v, want Ann and Bob", names)
	}
	p.apart(6)
	p.tracers = nil
	o.in.Yaw, o.in.Pitch, o.in.Fire = 0, -.3, true // into the floor, away from the page's player
	p.run(clock.Second / 60)
	o.in.Fire = false
	p.run(clock.Second / 2)
	if len(p.tracers) != 1 {
		t.Fatalf("%d shots, want 1", len(p.tracers))
	}
	s := p.tracers[0]
	if s.Shooter != o.player.ID() || s.Weapon != 0 || s.Hit || len(s.Ends) != 0 || math.Abs(s.To.Y) > .05 || s.To.Z > s.From.Z ||
		s.From.Sub(geom.V(0, 1.52, -6)).Len() > .3 {
		t.Errorf("%+v; want player %d into the floor ahead", s, o.player.ID())
	}
}

// A player becomes a spectator, which flies through everything, and a player again no
// sooner than after a death.
func TestThePageSpectatesAndPlaysAgain(t *testing.T) {
	p := newPage(t)
	spectate(1) // without a session: nothing
	p.hello()
	spectate(1) // not playing yet: nothing
	p.run(2 * clock.Second)
	if exported.Self.Spectating {
		t.Fatal("a spectator from the beginning")
	}
	spectate(1)
	p.run(clock.Second)
	if s := &exported.Self; !s.Spectating || s.Mode != movement.Flying {
		t.Errorf("spectating %v, mode %v; want a flying spectator", s.Spectating, s.Mode)
	}
	spectate(0)
	p.run(4 * clock.Second)
	if s := &exported.Self; s.Spectating || s.Mode != movement.Walking || block.Player.Status.Health != 100 {
		t.Errorf("spectating %v, mode %v, health %v; want a walking player", s.Spectating, s.Mode, block.Player.Status.Health)
	}
}

// A player that leaves is reported, and its figure is gone.
func TestAPlayerThatLeavesIsReported(t *testing.T) {
	p := newPage(t)
	o := p.join()
	o.player.Leave()
	p.run(clock.Second)
	if len(p.leaves) != 1 || p.leaves[0] != o.player.ID() || len(exported.Remotes) != 0 || len(block.Figures) != 0 {
		t.Errorf("left: %v, %d remotes, %d figures; want player %d gone", p.leaves, len(exported.Remotes), len(block.Figures), o.player.ID())
	}
}

// After a lost connection the block begins anew, and everybody has joined again.
func TestANewSessionBeginsAnew(t *testing.T) {
	p := newPage(t)
	o := p.join()
	player := block.Player
	p.Lost()
	p.match.Disconnect(p.peer)
	p.peer, p.happened = 2, happened{}
	if err := p.Hello("Ann", exported.ResumeKey, "floor", p.now); err != nil {
		t.Fatal(err)
	}
	p.run(2 * clock.Second)
	if block.Player == player || len(p.joins) != 2 || len(exported.Remotes) != 1 || exported.Remotes[0].ID != o.player.ID() {
		t.Errorf("the same player object %v, joins %+v, %d remotes; want a new one, both players, one", block.Player == player, p.joins, len(exported.Remotes))
	}
}

// A remote's hook is drawn where it holds, estimated from where the remote looked, and is
// gone when it lets go.
func TestTheHookOfARemoteIsDrawn(t *testing.T) {
	p := newPage(t)
	o := p.join()
	p.apart(6)
	o.in.Yaw, o.in.Pitch = 0, -.3
	p.run(clock.Second / 4)
	o.in.Hook = true
	p.run(clock.Second / 4)
	if len(block.Hooks) != 1 || block.Hooks[0].Player != o.player.ID() {
		t.Fatalf("hooks: %+v, want one of player %d", block.Hooks, o.player.ID())
	}
	h, _ := p.match.State(o.player.ID())
	if at := block.Hooks[0].At; at.Dist(h.Hook.Anchor) > 1 {
		t.Errorf("the hook is drawn at %v, %.2f m from %v", at, at.Dist(h.Hook.Anchor), h.Hook.Anchor)
	}
	o.in.Hook = false
	p.run(clock.Second / 2)
	if len(block.Hooks) != 0 || hookPoints[o.player.ID()] != (geom.Vec3{}) {
		t.Errorf("released: %+v, want none", block.Hooks)
	}
}
