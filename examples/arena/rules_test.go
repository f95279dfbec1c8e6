package arena

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
)

// The heights above the feet at which a shot meets the head and the body.
const (
	headAt = 1.60
	bodyAt = 1.0
)

// duel is a room with two players that face each other, 10 m apart.
func duel(t *testing.T) (r *room, ann, bob *roomPlayer) {
	r = newRoom(t)
	ann, bob = r.join("Ann", session.Key{}), r.join("Bob", session.Key{})
	r.duel(ann, bob)
	return r, ann, bob
}

// duel makes two players face each other, 10 m apart.
func (r *room) duel(ann, bob *roomPlayer) {
	r.stand(ann, geom.V(0, 0.02, 0), 0)
	r.stand(bob, geom.V(0, 0.02, -10), math.Pi)
}

// A player that joins comes in whole, with a full magazine, well away from the others,
// whatever is drawn.
func TestANewPlayerSpawnsHealthyAndAwayFromOthers(t *testing.T) {
	for seed := range uint64(20) {
		r := newRoom(t)
		r.match.random = seed
		ann := r.join("Ann", session.Key{})
		r.stand(ann, geom.V(0, 0.02, 0), 0)
		bob := r.join("Bob", session.Key{})
		if h := bob.Self(); h.Position.Dist(geom.V(0, 0.02, -20)) > 0.1 {
			t.Errorf("seed %d: Bob appears at %v, want 20 m from Ann", seed, h.Position)
		}
		if bob.Status.Health != FullHealth || bob.Self().InHand().Rounds != 30 || bob.Self().Dead {
			t.Errorf("seed %d: health %d, %d rounds; want 100, 30", seed, bob.Status.Health, bob.Self().InHand().Rounds)
		}
	}
}

func TestDamagePerShot(t *testing.T) {
	for _, c := range []struct {
		what   string
		height float64
		shots  int
		want   uint8
	}{
		{"one in the head", headAt, 1, 40},
		{"one in the body", bodyAt, 1, 75},
		{"three in the body", bodyAt, 3, 25},
		{"four in the body", bodyAt, 4, 0},
		{"two in the head, 120 in all, and no less than nothing is left", headAt, 2, 0},
		{"one over the head", 2.2, 1, 100},
	} {
		r, ann, bob := duel(t)
		ann.input = shootAt(bob, c.height, c.shots)
		r.run(clock.Second)
		if bob.Status.Health != c.want {
			t.Errorf("%s: health %d, want %d", c.what, bob.Status.Health, c.want)
		}
		if c.want < 100 && int(bob.Status.Hits) != c.shots {
			t.Errorf("%s: hit %d times, want %d", c.what, bob.Status.Hits, c.shots)
		}
		if used := 30 - int(ann.Self().InHand().Rounds); used != c.shots {
			t.Errorf("%s: %d rounds fired", c.what, used)
		}
	}
}

// Bob dies, lies for 3 s where he fell and whatever he presses, and comes back
// whole, in another life, at a spawn point away from Ann. Ann shoots on at the
// body: nothing comes of it.
func TestDeathAndReturn(t *testing.T) {
	r, ann, bob := duel(t)
	eve := r.join("Eve", session.Key{})
	r.stand(eve, geom.V(15, 0.02, -10), 0)
	life := bob.Self().Life
	var died, back clock.Micros
	ann.input = shootAt(bob, headAt, 25)
	bob.input = func(p *Player, now clock.Micros) Input {
		in := Input{Forward: 1, Right: 1, Jump: true, Yaw: math.Pi}
		switch h := p.Self(); {
		case !h.Dead && died == 0:
			in = Input{Yaw: math.Pi}
		case h.Dead && died == 0:
			died = now
			if h.Position.Dist(geom.V(0, 0.02, -10)) > 0.1 {
				t.Errorf("fell at %v", h.Position)
			}
		case h.Dead:
			if h.Position.Dist(geom.V(0, 0.02, -10)) > 0.1 {
				t.Errorf("the dead moved to %v", h.Position)
			}
		case back == 0:
			back, in = now, Input{}
			ann.input = nil
			if h.Life != life+1 || h.InHand().Rounds != 30 || h.Position.Dist(geom.V(0, 0.02, -20)) > 0.1 {
				t.Errorf("returned in life %d with %d rounds at %v", h.Life, h.InHand().Rounds, h.Position)
			}
			if p.Status.Health != FullHealth || p.Status.Respawn != 0 {
				t.Errorf("returned with %+v", p.Status)
			}
		default:
			in = Input{}
		}
		return in
	}
	r.run(6 * clock.Second)
	if wait := back - died; died == 0 || wait < RespawnAfter-50*clock.Millisecond || wait > RespawnAfter+50*clock.Millisecond {
		t.Errorf("died at %v, back at %v; want 3 s", died, back)
	}
	kill := Kill{Killer: 1, Victim: 2, Weapon: 1, HitGroup: rig.Head, Distance: 9.7}
	for _, g := range []*roomPlayer{ann, bob, eve} {
		if len(g.kills) != 1 || g.kills[0].Distance < 9 || g.kills[0].Distance > 10 {
			t.Errorf("the feed of player %d: %+v, want Ann's kill once", g.ID(), g.kills)
			continue
		}
		g.kills[0].Distance = kill.Distance
		if g.kills[0] != kill {
			t.Errorf("the feed of player %d: %+v, want %+v", g.ID(), g.kills[0], kill)
		}
		if a, b := g.Score(1), g.Score(2); a.Kills != 1 || a.Deaths != 0 || b.Kills != 0 || b.Deaths != 1 {
			t.Errorf("the board of player %d: %+v, %+v", g.ID(), a, b)
		}
	}
}

func TestFallingOutOfTheWorldKills(t *testing.T) {
	r, ann, bob := duel(t)
	r.stand(bob, geom.V(0, -60, 0), 0)
	r.run(clock.Second)
	if !bob.Self().Dead || bob.Status.Health != 0 {
		t.Errorf("%+v, health %d; want dead", bob.Self(), bob.Status.Health)
	}
	if s := ann.Score(2); s.Deaths != 1 || s.Kills != 0 {
		t.Errorf("the board says %+v, want one death and no kill", s)
	}
	if len(ann.kills) != 1 || ann.kills[0] != (Kill{Killer: 2, Victim: 2}) {
		t.Errorf("the feed says %+v", ann.kills)
	}
	r.run(3 * clock.Second)
	if bob.Self().Dead || bob.Status.Health != FullHealth || ann.Score(2).Deaths != 1 {
		t.Errorf("does not come back: %+v", bob.Self())
	}
}

func TestAPlayerThatLeavesIsRemovedEverywhere(t *testing.T) {
	r, ann, bob := duel(t)
	if len(ann.Remotes()) != 1 {
		t.Fatalf("Ann sees %d others, want Bob", len(ann.Remotes()))
	}
	bob.Leave()
	r.run(500 * clock.Millisecond)
	bob.gone = true
	if len(ann.Remotes()) != 0 || len(ann.scores()) != 1 {
		t.Errorf("Ann sees %v, on the board %v", ann.Remotes(), ann.scores())
	}
	// Bob's number rests for a while, so that no view mixes the two.
	cleo := r.join("Cleo", session.Key{})
	r.run(500 * clock.Millisecond)
	line := ann.Score(cleo.ID())
	if cleo.ID() == bob.ID() || line.Name != "Cleo" || line.Deaths != 0 || ann.Score(bob.ID()).Connected {
		t.Errorf("Cleo is player %d; the board says %+v", cleo.ID(), line)
	}
}

// Bob's connection breaks and he comes back by his key: place, health, rounds and
// score are as they were, and he learns the board anew.
func TestAPlayerReturnsWithItsKeyToItsPlace(t *testing.T) {
	r, ann, bob := duel(t)
	ann.input = shootAt(bob, bodyAt, 3)
	r.run(clock.Second)
	ann.input, bob.input = nil, shootAt(ann, headAt, 2)
	r.run(clock.Second)
	before := *bob.Self()
	bob.gone = true
	r.match.Disconnect(bob.peer)
	r.run(2 * clock.Second)
	again := r.join("Bob", bob.Key())
	r.run(200 * clock.Millisecond)
	h := again.Self()
	if again.ID() != bob.ID() || h.Position.Dist(before.Position) > 0.05 || h.InHand().Rounds != 28 || h.Life != before.Life {
		t.Errorf("came back as %d, %+v; was %d, %+v", again.ID(), *h, bob.ID(), before)
	}
	if again.Status.Health != 25 || again.Score(2).Kills != 1 || again.Score(1).Deaths != 1 || len(again.scores()) != 2 {
		t.Errorf("health %d, board %v", again.Status.Health, again.scores())
	}
}

func TestALateJoinerGetsTheScoreboard(t *testing.T) {
	r, ann, bob := duel(t)
	r.match.MarkBot(bob.ID())
	ann.input = shootAt(bob, headAt, 2)
	r.run(clock.Second)
	late := r.join("Lea", session.Key{})
	r.run(200 * clock.Millisecond)
	want := []Score{
		{Player: 1, Connected: true, Kills: 1, Name: "Ann"},
		{Player: 2, Connected: true, Bot: true, Deaths: 1, Name: "Bob"},
		{Player: 3, Connected: true, Name: "Lea"},
	}
	for _, g := range []*roomPlayer{ann, bob, late} {
		if got := g.scores(); !slices.Equal(got, want) {
			t.Errorf("player %d reads %+v, want %+v", g.ID(), got, want)
		}
	}
	if len(late.kills) != 0 {
		t.Errorf("Lea is told of kills before her time: %v", late.kills)
	}
}

func TestNamesAreUnique(t *testing.T) {
	r := newRoom(t)
	long := "ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ" // 24 runes, as long as names are
	var got []string
	for _, name := range []string{"Ann", "Ann", "Ann", "Ann (2)", long, long} {
		got = append(got, r.match.Score(r.join(name, session.Key{}).ID()).Name)
	}
	want := []string{"Ann", "Ann (2)", "Ann (3)", "Ann (2) (2)", long, "ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ (2)"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPeacefulShotsHitWithoutDamage(t *testing.T) {
	r, ann, bob := duel(t)
	r.match.config.Peaceful = true
	ann.input = shootAt(bob, headAt, 5)
	r.run(clock.Second)
	if s := ann.Stats(); s.Hits != 5 || bob.Status.Health != FullHealth {
		t.Errorf("%d hits, health %d; want 5, 100", s.Hits, bob.Status.Health)
	}
}

func TestTheStatusPageShowsEverybody(t *testing.T) {
	r, ann, bob := duel(t)
	ann.input = shootAt(bob, headAt, 2)
	r.run(clock.Second)
	got := ""
	for _, p := range r.match.Report().([]PlayerReport) {
		got += fmt.Sprintf("%s %d %d %d %v\n", p.Name, p.Health, p.Kills, p.Deaths, p.Connected)
	}
	if want := "Ann 100 1 0 true\nBob 0 0 1 true\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
