package arena

import (
	"math"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

// realMatch is a match in the real level.
func realMatch(l *level.Level) *Match {
	config := MatchConfig{
		ServerConfig: session.ServerConfig{World: l.World, LevelHash: "test", NewKey: keys()},
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

// watcher follows one bot of a crew.
type watcher struct {
	cells   map[[2]int]bool // of 2 m, visited
	from    geom.Vec3       // since when it is where it is
	since   clock.Micros
	stuck   clock.Micros // longest
	stood   clock.Micros // total over 3 s
	ticks   int
	falling int
	fast    float64 // fastest turn, rad/s
	yaw     float64
	rate    float64
	flips   int // reversals of a fast turn from one frame to the next
	high    float64
	low     float64
	ducked  int
	falls   int // into the pool
	below   bool
	life    uint8
	born    clock.Micros
}

func (w *watcher) see(h *Hero, now clock.Micros) {
	if h.Dead || h.Life != w.life {
		w.born, w.life = now, h.Life
	}
	if now-w.born < 200*clock.Millisecond { // its view is not its own yet
		w.since, w.from, w.yaw, w.rate = now, h.Position, h.Yaw, 0
		return
	}
	w.ticks++
	p := h.Position
	w.cells[[2]int{int(math.Floor(p.X / 2)), int(math.Floor(p.Z / 2))}] = true
	if p.Dist(w.from) > 1 {
		if took := now - w.since; took > w.stuck {
			w.stuck = took
		}
		w.from, w.since = p, now
	} else if now-w.since > 3*clock.Second {
		w.stood += clock.TickTime(1, 60)
	}
	if h.Mode == movement.Falling {
		w.falling++
	}
	if h.Crouched {
		w.ducked++
	}
	w.high, w.low = math.Max(w.high, p.Y), math.Min(w.low, p.Y)
	if below := p.Y < -1; below != w.below {
		if w.below = below; below {
			w.falls++
		}
	}
	rate := geom.WrapAngle(h.Yaw-w.yaw) * 60
	w.fast = math.Max(w.fast, math.Abs(rate))
	if rate*w.rate < -1 {
		w.flips++
	}
	w.yaw, w.rate = h.Yaw, rate
}

// Eight rookies play the real level for five minutes: they get about, do not
// stand about, do not fall about, and fight.
func TestBotsLookAlive(t *testing.T) {
	l := realLevel(t)
	m := realMatch(l)
	c := NewCrew(m, 8, Rookie)
	watch := make([]watcher, 8)
	all := map[[2]int]bool{}
	for i := range watch {
		watch[i].cells = map[[2]int]bool{}
	}
	kills, falls := 0, 0
	begun := time.Now()
	const minutes = 5
	for tick := int64(1); tick <= minutes*60*60; tick++ {
		now := clock.TickTime(tick, 60)
		c.Tick(now)
		c.Outgoing()
		for i := range c.bots {
			p := c.bots[i].player
			if i == 0 {
				for _, k := range p.Kills {
					kills++
					if k.Killer == k.Victim {
						falls++
					}
				}
			}
			if h, ok := m.State(p.ID()); ok {
				watch[i].see(&h, now)
			}
		}
	}
	took := time.Since(begun)
	var shots, hits, corrections uint64
	for i := range c.bots {
		w, s := &watch[i], c.bots[i].player.Stats()
		shots, hits = shots+s.Confirmed+s.Contradicted, hits+s.Hits
		corrections += uint64(s.Moves.Corrections)
		for k := range w.cells {
			all[k] = true
		}
		t.Logf("bot %d: %d cells, stuck longest %.1f s, stood %.1f s, falling %.1f %%, ducked %.1f %%, y %.1f … %.1f, in the pool %d times, fastest turn %.1f rad/s, %d flips, kills %d deaths %d",
			i, len(w.cells), w.stuck.Seconds(), w.stood.Seconds(), 100*float64(w.falling)/float64(w.ticks), 100*float64(w.ducked)/float64(w.ticks),
			w.low, w.high, w.falls, w.fast, w.flips, m.Score(session.PlayerID(i+1)).Kills, m.Score(session.PlayerID(i+1)).Deaths)
	}
	t.Logf("%d cells of 2 m; %.1f kills a minute, %d by falling; %d shots, %.1f %% hits; %d corrections; %.1f µs a tick",
		len(all), float64(kills)/minutes, falls, shots, 100*float64(hits)/float64(shots), corrections, float64(took.Microseconds())/(minutes*3600))
}
