package arena

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/session"
)

// realMatch is a match in the real level.
func realMatch(l *level.Level) *Match {
	config := MatchConfig{
		ServerConfig: session.ServerConfig{World: l.World, LevelHash: "test", NewKey: keys(), PlayersBlock: true},
		Spawns:       spawnsOf(l), KillHeight: l.KillHeight, Seed: 1,
	}
	return NewMatch(config)
}

func spawnsOf(l *level.Level) (list []Spawn) {
	for _, s := range l.Spawns {
		list = append(list, Spawn{Position: s.Position, Yaw: s.Yaw})
	}
	return list
}

// watcher follows one bot of a match.
type watcher struct {
	cells map[[2]int]bool // of 2 m, visited
	life  uint8
	born  clock.Micros // or returned

	ticks, falling, ducked int
	low, high              float64
	drops                  int     // falls of more than 2.1 m, a jump's 0.9 m included
	top                    float64 // where it left the floor, or since then was highest

	from       geom.Vec3    // where it has been since, within a metre
	walking    clock.Micros // of that, how long it meant to walk, undisturbed
	stuck, all clock.Micros // the longest so, and all of what is over 3 s

	yaw, rate, fastest float64 // of the view, rad/s
	flips              int     // fast turns reversed from one tick to the next
}

// see notes a tick. busy is a bot that fights or rests.
func (w *watcher) see(h *Hero, now clock.Micros, busy bool) {
	if h.Dead || h.Life != w.life {
		w.born, w.life = now, h.Life
	}
	if now-w.born < 200*clock.Millisecond { // its view is not its own yet
		w.top, w.walking, w.from, w.yaw, w.rate = h.Position.Y, 0, h.Position, h.Yaw, 0
		return
	}
	w.ticks++
	w.place(h, busy)
	if h.Mode == movement.Falling {
		w.falling++
	}
	if h.Crouched {
		w.ducked++
	}
	rate := geom.WrapAngle(h.Yaw-w.yaw) * 60
	w.fastest = max(w.fastest, math.Abs(rate))
	if rate*w.rate < -0.5 {
		w.flips++
	}
	w.yaw, w.rate = h.Yaw, rate
}

func (w *watcher) place(h *Hero, busy bool) {
	p := h.Position
	w.cells[[2]int{int(math.Floor(p.X / 2)), int(math.Floor(p.Z / 2))}] = true
	w.high, w.low = max(w.high, p.Y), min(w.low, p.Y)
	if h.Mode == movement.Falling {
		w.top = max(w.top, p.Y)
	} else {
		if w.top-p.Y > 2.1 {
			w.drops++
		}
		w.top = p.Y
	}
	const tick = clock.Second / 60
	switch {
	case p.Dist(w.from) > 1 || busy:
		w.from, w.walking = p, 0
	default:
		w.walking += tick
		w.stuck = max(w.stuck, w.walking)
		if w.walking > 3*clock.Second {
			w.all += tick
		}
	}
}

// Eight rookies play the real level for five minutes: they get everywhere, do not
// stand before walls, do not fall off things all the time, look about in a human
// way, and fight.
func TestBotsLookAlive(t *testing.T) {
	const minutes, n = 5, 8
	l := realLevel(t)
	m := realMatch(l)
	c := NewBots(m, n, Rookie)
	var watch [n]watcher
	for i := range watch {
		watch[i].cells = map[[2]int]bool{}
	}
	kills, falls := 0, 0
	for tick := int64(1); tick <= minutes*60*60; tick++ {
		now := clock.TickTime(tick, 60)
		c.Tick(now)
		c.Outgoing()
		for _, k := range c.bots[0].player.Kills {
			kills++
			if k.Weapon == 0 {
				falls++
			}
		}
		for i := range c.bots {
			b := c.bots[i].bot
			if h, ok := m.State(c.bots[i].player.ID()); ok {
				watch[i].see(&h, now, b.eyes.enemy != 0 || now < b.legs.restUntil)
			}
		}
	}
	all := map[[2]int]bool{}
	var shots, hits uint64
	for i := range watch {
		w, s := &watch[i], c.bots[i].player.Stats()
		shots, hits = shots+s.Agreed+s.Disagreed, hits+s.Hits
		for cell := range w.cells {
			all[cell] = true
		}
		w.judge(t, i)
	}
	rate, hit := float64(kills)/minutes, float64(hits)/float64(shots)
	t.Logf("together %d cells of 2 m; %.1f kills a minute, %d by falling; %d shots, %.1f %% hit", len(all), rate, falls, shots, 100*hit)
	if len(all) < 800 || rate < 8 || rate > 45 || falls > 2 || hit < 0.1 || hit > 0.3 {
		t.Errorf("want 800 cells, 8 … 45 kills a minute, at most 2 by falling, 10 … 30 %% hits")
	}
}

// judge reports what one bot did, and what is not human.
func (w *watcher) judge(t *testing.T, i int) {
	falling := float64(w.falling) / float64(w.ticks)
	t.Logf("bot %d: %d cells, heights %.1f … %.1f m, %d drops; stuck %.1f s at most, %.1f s in all; %.1f %% in the air, %.1f %% crouched; turns at up to %.1f rad/s, %d jerks",
		i, len(w.cells), w.low, w.high, w.drops, w.stuck.Seconds(), w.all.Seconds(), 100*falling, 100*float64(w.ducked)/float64(w.ticks), w.fastest, w.flips)
	if len(w.cells) < 200 || w.stuck > 3*clock.Second || falling > 0.12 || w.drops > 12 || w.low < -2.7 { // the pool's ground is at −2.6
		t.Errorf("bot %d does not get about like a person", i)
	}
	if w.fastest > Rookie.TurnRate+0.1 || w.flips > 2 {
		t.Errorf("bot %d does not look about like a person", i)
	}
}

// What the skills are worth: at 15 m, standing, against a target that runs to and
// fro in front of them for a minute.
func TestHowWellBotsShoot(t *testing.T) {
	var mesh *nav.Mesh
	share := map[string]float64{}
	for _, c := range []struct {
		name     string
		skill    Skill
		low, top float64
	}{{"rookie", Rookie, 0.12, 0.28}, {"veteran", Veteran, 0.35, 0.75}, {"sharp", Sharp, 0.95, 1}} {
		r, ann, bob := duel(t)
		r.match.config.Peaceful = true
		r.stand(bob, geom.V(0, 0.02, -15), math.Pi)
		c.skill.Rockets = 0 // rounds are counted
		bot, whim := NewBot(c.skill, 3), NewBot(Sharp, 4)
		if mesh == nil {
			mesh = meshOrEmpty(r.match.config.World)
		}
		bot.Mesh = mesh
		var last clock.Micros
		bursts := 0
		ann.input = func(p *Player, now clock.Micros) Input {
			in := bot.Think(p, now)
			if len(p.Shots) > 0 {
				if now-last > 250*clock.Millisecond {
					bursts++
				}
				last = now
			}
			in.Forward, in.Right, in.Jump, in.Crouch = 0, 0, false, false
			return in
		}
		side, turn := 1.0, clock.Micros(0)
		bob.input = func(p *Player, now clock.Micros) Input {
			if x := p.Self().Position.X; now > turn || x*-side > 4 {
				turn, side = now+whim.randomTime(clock.Second), -side
				if math.Abs(x) > 4 {
					side = math.Copysign(1, x)
				}
			}
			return Input{Yaw: math.Pi, Right: side}
		}
		r.run(60 * clock.Second)
		s := ann.Stats()
		shots := float64(s.Agreed + s.Disagreed)
		share[c.name] = float64(s.Hits) / shots
		t.Logf("%s: %.0f shots in %d bursts, %.1f %% hit", c.name, shots, bursts, 100*share[c.name])
		if share[c.name] < c.low || share[c.name] > c.top {
			t.Errorf("%s: want %.0f … %.0f %%", c.name, 100*c.low, 100*c.top)
		}
		if per := shots / float64(bursts); c.name == "rookie" && (per < 3 || per > 6) {
			t.Errorf("a rookie's burst is %.1f rounds, want 3 … 6", per)
		}
	}
}

// A bot is a pure function of its seed and what it sees.
func TestBotsDoTheSameEachTime(t *testing.T) {
	l := realLevel(t)
	var runs [2]uint64
	for i := range runs {
		c := NewBots(realMatch(l), 4, Rookie)
		for tick := int64(1); tick <= 1200; tick++ {
			c.Tick(clock.TickTime(tick, 60))
			c.Outgoing()
		}
		for id := session.PlayerID(1); id <= 4; id++ {
			h, _ := c.State(id)
			runs[i] = runs[i]*31 + h.Hash()
		}
	}
	if runs[0] != runs[1] {
		t.Errorf("twenty seconds twice: %x and %x", runs[0], runs[1])
	}
}

// A tick with eight bots, with their packets.
func BenchmarkCrewTick(b *testing.B) {
	c := NewBots(realMatch(realLevel(b)), 8, Rookie)
	tick := int64(0)
	step := func() {
		tick++
		c.Tick(clock.TickTime(tick, 60))
		c.Outgoing()
	}
	for range 600 {
		step()
	}
	b.ReportAllocs()
	for b.Loop() {
		step()
	}
}

// One bot's frame, without its client's.
func BenchmarkBotThink(b *testing.B) {
	c := NewBots(realMatch(realLevel(b)), 8, Rookie)
	now := clock.Micros(0)
	for tick := int64(1); tick <= 600; tick++ {
		now = clock.TickTime(tick, 60)
		c.Tick(now)
		c.Outgoing()
	}
	b.ReportAllocs()
	for b.Loop() {
		now += clock.Second / 60
		for i := range c.bots {
			c.bots[i].bot.Think(c.bots[i].player, now)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*8), "ns/bot")
}
