package arena

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/session"
)

// protectedDuel is a duel in which Bob has just respawned.
func protectedDuel(t *testing.T) (r *room, ann, bob *roomPlayer) {
	r, ann, bob = duel(t)
	r.match.config.SpawnProtection = 3 * clock.Second
	r.match.enter(uint16(bob.ID()))
	r.stand(bob, geom.V(0, 0.02, -10), math.Pi)
	return r, ann, bob
}

// Ann shoots Bob as soon as he appears: for 3 s her hits do nothing, and everybody sees why; then they do.
func TestANewLifeTakesNoDamageForThreeSeconds(t *testing.T) {
	r, ann, bob := protectedDuel(t)
	ann.input = shootAt(bob, bodyAt, 3)
	r.run(after(2))
	if bob.Status.Health != FullHealth || !ann.Score(bob.ID()).Protected || !bob.Score(bob.ID()).Protected {
		t.Errorf("after 2 s: health %d, Ann sees %+v; want 100 and protected", bob.Status.Health, ann.Score(bob.ID()))
	}
	if s := ann.Stats(); s.Hits != 3 {
		t.Errorf("the server counts %d hits, want 3: they hit, without damage", s.Hits)
	}
	ann.input = nil
	r.run(after(1.5))
	ann.input = shootAt(bob, bodyAt, 1)
	r.run(after(1))
	if bob.Status.Health != 75 || ann.Score(bob.ID()).Protected {
		t.Errorf("after 3.5 s: health %d, Ann sees %+v; want 75, not protected", bob.Status.Health, ann.Score(bob.ID()))
	}
}

// Bob fires once within his protection: it is over at once.
func TestProtectionEndsWithTheFirstShot(t *testing.T) {
	r, ann, bob := protectedDuel(t)
	bob.input = shootAt(ann, 3, 1)
	r.run(after(0.3))
	ann.input = shootAt(bob, bodyAt, 1)
	r.run(after(0.5))
	if bob.Status.Health != 75 || ann.Score(bob.ID()).Protected {
		t.Errorf("health %d, Ann sees %+v; want 75, not protected", bob.Status.Health, ann.Score(bob.ID()))
	}
}

// A sword needs no round: the strike ends the protection too.
func TestProtectionEndsWithAStrike(t *testing.T) {
	r, _, bob := protectedDuel(t)
	bob.input = func(*Player, clock.Micros) Input { return Input{Melee: true} }
	r.run(after(1.5))
	if r.match.Score(bob.ID()).Protected {
		t.Error("Bob struck and is still protected")
	}
}

// Of two spawn points equally far from Ann, a wall hides one: Bob always enters there.
func TestASpawnPointOutOfAnEnemysViewIsChosen(t *testing.T) {
	for seed := range uint64(20) {
		r := newRoom(t)
		r.match.config.World = walled(t)
		r.match.config.Spawns = []Spawn{{Position: geom.V(0, 0.02, -20)}, {Position: geom.V(0, 0.02, 20)}}
		r.match.config.SafeSpawns, r.match.random = true, seed
		ann := r.join("Ann", session.Key{})
		r.stand(ann, geom.V(0, 0.02, 0), 0)
		if s := r.match.spawnFor(2); s.Position.Z < 0 {
			t.Fatalf("seed %d: Bob enters at %v in Ann's view, want behind the wall at +20", seed, s.Position)
		}
	}
}

// walled is a court with a wall at z = 10.
func walled(t *testing.T) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(40, 1, 40), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 2, 10), geom.V(40, 2, 0.5), geom.IdentityQuat, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A spawn point 2 m before a wall that looks at it turns round; one that looks into the open stays as the level has it.
func TestASpawnPointThatLooksAtAWallTurnsToTheOpen(t *testing.T) {
	w := walled(t)
	at := geom.V(0, 0.02, 7.5)
	got := facingOpenSpace(w, []Spawn{{Position: at, Yaw: math.Pi}, {Position: at, Yaw: 0.7}, {Position: geom.V(0, 0.02, -20), Yaw: 2}})
	if free := freeView(w, at, got[0].Yaw); free < openView {
		t.Errorf("turned to %.2f with %.1f m of view, want %g", got[0].Yaw, free, openView)
	}
	if got[1].Yaw != 0.7 || got[2].Yaw != 2 {
		t.Errorf("turned %.2f and %.2f, want 0.7 and 2 as they were", got[1].Yaw, got[2].Yaw)
	}
}

// In the arena's own levels every spawn point has a free view after all.
func TestEverySpawnPointOfTheArenaLooksIntoTheOpen(t *testing.T) {
	l, err := level.Read(assets.Arena)
	if err != nil {
		t.Fatal(err)
	}
	var spawns []Spawn
	for _, s := range l.Spawns {
		spawns = append(spawns, Spawn{Position: s.Position, Yaw: s.Yaw})
	}
	turned := 0
	for i, s := range facingOpenSpace(l.World, spawns) {
		if s.Yaw != spawns[i].Yaw {
			turned++
		}
		if free := freeView(l.World, s.Position, s.Yaw); free < blockedView {
			t.Errorf("spawn point %d at %v sees %.1f m, want %g", i, s.Position, free, blockedView)
		}
	}
	t.Logf("%d of %d spawn points were turned", turned, len(spawns))
}

// after returns so many seconds.
func after(seconds float64) clock.Micros { return clock.Micros(seconds * 1e6) }
