package npc_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	docs "github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/npc"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

// eyes is a player that shoots single rounds at the guard that it sees nearest to a distance of 8 m.
type eyes struct {
	*session.Client[hero, command]
	level *collide.World
	shots int
	last  track.ID // that it shot at
	input command
}

// play runs a frame; it fires in every 24th.
func (p *eyes) play(local, at clock.Micros, frame int) {
	for _, e := range p.Events() {
		if e.Kind == session.Welcomed {
			p.EnterWorld(p.level)
		}
	}
	p.input = command{}
	if at >= 0 {
		if target, ok := p.target(); ok {
			way := target.Sub(p.Eye())
			p.input.Yaw, p.input.Pitch = geom.Yaw(way), geom.Pitch(way)
			if frame%24 == 0 {
				p.input.Claim.Fire = true
				p.shots++
			}
		}
	}
	p.Frame(local, &p.input)
}

// target returns the chest of the guard to shoot at, as it is drawn: the last one's, while it is seen.
func (p *eyes) target() (best geom.Vec3, ok bool) {
	off, seen := 0.0, track.ID(0)
	for _, e := range p.Entities() {
		chest := e.Position.Add(geom.V(0, 1.1, 0))
		way := chest.Sub(p.Eye())
		if _, hidden := p.level.Ray(p.Eye(), way); hidden || e.Dead || e.Kind != guard {
			continue
		}
		d := math.Abs(way.Len() - 8)
		if e.ID == p.last {
			d = -1
		}
		if !ok || d < off {
			best, off, ok, seen = chest, d, true, e.ID
		}
	}
	p.last = seen
	return best, ok
}

// A client at 150 ms shoots single rounds at guards that walk about, a hundred of them: what it saw is
// judged as it saw it, receipts name the guards, and those with no health left die. Its snapshots
// fit the budget. [E2E-11, HIT-02, HIT-05]
func TestGuardsAreShotAsTheyWereSeen(t *testing.T) {
	for _, c := range []struct{ loss, rate float64 }{{0, 60}, {.02, 60}, {0, 20}} {
		t.Run(fmt.Sprintf("%.0f snapshots, %.0f %% lost", c.rate, 100*c.loss), func(t *testing.T) {
			level := fortress(t)
			m := newMatch(t, level, 100, npc.Kind{}, session.ServerConfig{SnapshotRate: int(c.rate)})
			m.spawn = geom.V(-2, .02, -2)
			p := &eyes{Client: session.NewClient(shooter(), session.ClientConfig{}), level: level}
			p.Hello("Ann", session.Key{})
			frame := 0
			_, err := lab.Run(lab.Experiment{Server: m, Duration: 60 * clock.Second, Seed: 3, World: level, Players: []lab.Player{{
				Name: "Ann", Client: p, Network: mem.Network{RTT: 150 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: c.loss},
				Play: func(local, at clock.Micros) { frame++; p.play(local, at, frame) },
			}}})
			if err != nil {
				t.Fatal(err)
			}
			s, info := p.Stats(), m.Players(nil)[0]
			judged := float64(s.Agreed + s.Disagreed)
			seconds := clock.TickTime(int64(s.Tick), 60).Seconds()
			docs.Check(t, "shots", .1, "%d shots, %.1f %% judged as seen, %d hits, %d guards died", s.Agreed+s.Disagreed, 100*float64(s.Agreed)/judged, s.Hits, m.died)
			if c.loss == 0 {
				docs.Check(t, "bytes", .1, "%.1f kB/s", float64(info.Traffic.BytesOut)/seconds/1e3)
			}
			if float64(s.Agreed) < .99*judged || judged < 100 || s.Hits < uint64(judged/2) || m.died == 0 {
				t.Errorf("%d fired; %+v, %d died", p.shots, s, m.died)
			}
		})
	}
}

// A player and a guard that walk into each other stop each other where players block: neither passes
// through the other on the server, and the player is not corrected for it. [BAS-08, BAS-16]
func TestPlayersAndGuardsBlockEachOther(t *testing.T) {
	for _, block := range []bool{true, false} {
		level := fortress(t)
		m := newMatch(t, level, 0, npc.Kind{}, session.ServerConfig{PlayersBlock: block})
		m.still, m.spawn = true, geom.V(-12.5, .02, -6)
		id := m.npcs.Spawn(guard, geom.V(-12.5, .02, -14), 0)
		client := session.NewClient(shooter(), session.ClientConfig{})
		client.Hello("Ann", session.Key{})
		nearest := 99.0
		var input command
		_, err := lab.Run(lab.Experiment{Server: m, Duration: 3 * clock.Second, Seed: 3, World: level, Players: []lab.Player{{
			Name: "Ann", Client: client, Network: mem.Network{RTT: 150 * time.Millisecond},
			Play: func(local, at clock.Micros) {
				for _, e := range client.Events() {
					if e.Kind == session.Welcomed {
						client.EnterWorld(level)
					}
				}
				if input = (command{}); at >= 0 {
					input.Forward = 1
				}
				if self, ok := m.State(1); ok {
					nearest = min(nearest, self.Position.Dist(m.npcs.State(id).Position))
				}
				client.Frame(local, &input)
			},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		self, _ := m.State(1)
		if passed := self.Position.Z < -14.5; passed == block || block && nearest < 2*model.Radius-.05 {
			t.Errorf("blocking %v: the player is at %v, and was %.2f m from the guard", block, self.Position, nearest)
		}
		if moves := client.Stats().Moves; moves.Corrections > 0 {
			t.Errorf("blocking %v: %+v", block, moves)
		}
	}
}

// A Step of a hundred characters allocates nothing, with players that block. [E2E-11]
func TestACrowdDoesNotAllocate(t *testing.T) {
	m := newMatch(t, fortress(t), 100, npc.Kind{}, session.ServerConfig{PlayersBlock: true})
	tick := int64(0)
	step := func() {
		tick++
		m.Tick(clock.TickTime(tick, 60))
	}
	for range 900 {
		step()
	}
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("%v allocations a tick, want none", n)
	}
}

// Two matches alike are the same bits.
func TestACrowdIsTheSameBitsTwice(t *testing.T) {
	hash := func() uint64 {
		m := newMatch(t, fortress(t), 30, npc.Kind{}, session.ServerConfig{PlayersBlock: true})
		for tick := range int64(1200) {
			m.Tick(clock.TickTime(tick+1, 60))
		}
		return m.Hash()
	}
	if a, b := hash(), hash(); a != b {
		t.Errorf("hash %#x, then %#x", a, b)
	}
}
