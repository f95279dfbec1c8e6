package arena

import (
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	docs "github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/session"
)

// newcomer plays like somebody in the first minute: slow to see, slow to turn, off the mark, and standing
// still while it shoots.
var newcomer = Skill{TurnRate: 1.6, Smoothing: 0.2, FieldOfView: 0.7, SightRange: 30, ReactionTime: 900 * clock.Millisecond,
	AimLag: 250 * clock.Millisecond, AimError: 0.05, Burst: 5, Pause: 600 * clock.Millisecond}

// A newcomer lives at least half a minute in the median among the bots that `make run` starts, and less among
// better ones.
func TestSlowHowLongANewcomerLives(t *testing.T) {
	mesh := meshOrEmpty(realLevel(t).World, feetOf(spawnsOf(realLevel(t)))...)
	var medians []float64
	for i, name := range SkillNames {
		skill, ok := SkillNamed(name)
		if !ok {
			t.Fatalf("no skill %q", name)
		}
		var lives []float64
		for seed := range [...]uint64{6, 2, 2}[i] { // the better ones kill more often
			lives = append(lives, livesOf(t, skill, seed+1, mesh)...)
		}
		slices.Sort(lives)
		medians = append(medians, lives[len(lives)/2])
		t.Logf("%s: %d lives, median %.0f s, a tenth under %.0f s", name, len(lives), lives[len(lives)/2], lives[len(lives)/10])
	}
	docs.Check(t, "median", 0, "easy %.0f s, normal %.0f s, hard %.0f s", medians[0], medians[1], medians[2])
	if medians[0] < 30 || medians[0] <= medians[1] || medians[1] <= medians[2] {
		t.Errorf("medians of %.0f s: want 30 s and more among easy bots, and less among each better kind", medians)
	}
}

// livesOf returns the lengths in seconds of a newcomer's lives in five minutes among four bots, the wait for the
// respawn not counted. The last life counts as long as it lasted.
func livesOf(t *testing.T, skill Skill, seed uint64, mesh *nav.Mesh) (lives []float64) {
	t.Helper()
	r := newRoom(t)
	l := realLevel(t)
	r.match = NewMatch(MatchConfig{
		ServerConfig: session.ServerConfig{World: l.World, LevelHash: "test", NewKey: keys(), PlayersBlock: true},
		Spawns:       spawnsOf(l), KillHeight: l.KillHeight, Seed: seed, Mesh: mesh,
		SpawnProtection: DefaultSpawnProtection, SafeSpawns: true,
	})
	crew := NewBots(r.match, 4, skill)
	bot := NewBot(newcomer, seed)
	bot.Mesh = mesh
	p := NewPlayer(session.ClientConfig{})
	p.NoBodies = true
	p.Hello("New", session.Key{})
	born := clock.Micros(-1)
	for tick := int64(1); tick <= 5*60*60; tick++ {
		now := clock.TickTime(tick, 60)
		in := bot.Think(p, now)
		if bot.eyes.enemy != 0 {
			in.Forward, in.Right, in.Jump, in.Crouch = 0, 0, false, false
		}
		p.Play(now, in)
		for _, e := range p.Notices {
			if e.Kind == session.Welcomed {
				p.Enter(l.World)
			}
		}
		for _, packet := range p.Outgoing() {
			if err := crew.Receive(1, packet.Channel, now, packet.Bytes); err != nil {
				t.Fatal(err)
			}
		}
		crew.Tick(now)
		for _, packet := range crew.Outgoing() {
			if err := p.Receive(packet.Channel, now, packet.Bytes); err != nil {
				t.Fatal(err)
			}
		}
		switch alive := p.Phase() == session.Playing && p.Self() != nil && !p.Self().Dead; {
		case alive && born < 0:
			born = now
		case !alive && born >= 0:
			lives, born = append(lives, (now-born).Seconds()), -1
		}
	}
	if born >= 0 {
		lives = append(lives, (clock.TickTime(5*60*60, 60) - born).Seconds())
	}
	return lives
}
