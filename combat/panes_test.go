package combat

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// brittle is the kind of entities that stand for the pane of paneMatch.
const brittle track.Kind = 9

// paneMatch is a match with a pane across the way, 3 m before player 1, which is broken or not.
func paneMatch(t *testing.T, broken bool) *match {
	m := newMatch(t)
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 2.5, -3.6), geom.V(5, 2.5, .5), geom.IdentityQuat, collide.Surface{}) // a wall right behind the pane
	b.Mover("pane", collide.Path{Keys: []collide.Key{{}}}, func(b *collide.Builder) {
		b.Box(geom.V(0, 1.5, -2.9), geom.V(2, 1.5, .15), geom.IdentityQuat, collide.Surface{})
	})
	m.World = b.MustBake()
	m.view.World = m.World
	m.flightScene.Blockers = rewind.Blockers{Breaks: brittle}
	m.Start(nil, shot.Limits{})
	id := m.Spawn(brittle)
	pane := track.Sample{Pose: track.Pose{Position: geom.V(0, 0, -2.9)}, GameData: track.GameData{UserData: 1, Dead: broken}}
	for range 30 {
		m.SetPose(id, pane, m.now()+clock.Second/60)
		m.run(1)
	}
	return m
}

// A rocket flies through a broken pane and explodes on the wall right behind it: the pane does not spare the
// shooter, on neither end. One that stands is what the rocket hits, and the shooter is hurt as well. [GAP-46, HIT-09]
func TestABrokenPaneSparesNobodyFromABlast(t *testing.T) {
	for _, broken := range []bool{false, true} {
		m := paneMatch(t, broken)
		s := &screen{m: m, others: remote.New(clock.Second / 60)}
		s.Client = NewClient(&s.clientEvents, func() *rewind.Scene {
			scene := rewind.NewScene(nil)
			scene.Blockers = m.flightScene.Blockers
			return scene
		})
		s.Join(1, 2, s.others, 0)
		s.run(30)
		m.Weapons[rocket].Blast.Radius = 5
		out := s.shoot(rocket, geom.V(0, 1.5, -5))
		m.Fire(&out)
		s.run(60)
		r := m.verdicts[len(m.verdicts)-1].receipt
		here := s.projectiles.landings[0].receipt
		hurt := func(r *shot.Receipt) bool { return r.EventCount == 1 && r.Events[0].Target == 1 && r.Damage > 0 }
		if broken != (r.Outcome.Point.Z < -3.05) || !hurt(&r) || !hurt(&here) {
			t.Errorf("broken %v: got %+v of the server and %+v of the client, want both to hurt player 1", broken, r, here)
		}
	}
}

// A direct hit behind a curtain, which stops no shot, is a hit also where a match protects targets behind cover: the
// curtain is no cover from a projectile, as it is none from a ray. [GAP-46, HIT-12]
func TestACurtainIsNoCoverFromAProjectile(t *testing.T) {
	for _, weapon := range []uint8{rifle, rocket} {
		m := newMatch(t)
		var b collide.Builder
		b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
		b.Mover("curtain", collide.Path{Keys: []collide.Key{{}}}, func(b *collide.Builder) {
			b.Box(geom.V(0, 2, -9.55), geom.V(8, 2, .02), geom.IdentityQuat, collide.Surface{}) // a hand before player 2
		})
		m.World = b.MustBake()
		m.view.World = m.World
		m.Weapons[rocket].Flight.Radius, m.Weapons[rocket].Blast = 0.3, shot.Blast{}
		m.flightScene.Blockers = rewind.Blockers{Rules: []rewind.Blocker{rewind.Ignored}}
		m.Start(nil, shot.Limits{Cover: 50 * ms})
		m.run(30)
		m.fire(m.shoot(1, weapon, m.body(2)))
		m.run(60)
		r := m.verdicts[len(m.verdicts)-1].receipt
		if r.Verdict != shot.Hit || r.Outcome.Target != 2 || r.Outcome.HitGroup != rig.Body || r.Events[0].Reason != shot.NoReason || r.Damage == 0 {
			t.Errorf("weapon %d: got %+v, want a hit of player 2 that does damage", weapon, r)
		}
	}
}
