package arena

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

// overseen is a match of which a test sees each verdict, beside the lab.
type overseen struct {
	*Match
	judged func(*shot.Shot)
}

func (o overseen) Observe(lab session.Observer) { o.Match.Observe(judgeObserver{lab, o.judged}) }

type judgeObserver struct {
	session.Observer
	judged func(*shot.Shot)
}

func (o judgeObserver) ObserveShot(s *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	o.judged(s)
	o.Observer.ObserveShot(s, r, targets)
}

// Six bots with rifles, shotguns, swords and rockets, over 100 ms with 30 ms of jitter and 5 %
// loss: whatever was shot from where the shooter knew to stand gets the verdict that the
// screen showed. A player that a blast has pushed, and that does not know of it yet, shoots from
// elsewhere than he saw: that and nothing else is judged otherwise. [E2E-07]
func TestAFightWithEverything(t *testing.T) {
	type key struct {
		id     session.PlayerID
		number uint32
	}
	g := grounds(t)[1]
	s, mesh, skill := newStage(t, g.world, g.spawns...), meshOrEmpty(g.world), Veteran
	skill.Rockets = 0.3
	stood, seen := map[key]geom.Vec3{}, map[key]geom.Vec3{}
	s.exp.Server = overseen{s.match, func(a *shot.Shot) { stood[key{a.Shooter, a.Number}] = a.Eye }}
	agreed, pushed, hits := 0, 0, map[uint8]int{}
	for i := range 6 {
		bot := NewBot(skill, uint64(i)+1)
		bot.Mesh = mesh
		line := mem.Network{RTT: 100 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.05}
		s.join(60, line, func(p *Player, at clock.Micros) Input {
			if c, ok := p.LastShot(); ok {
				seen[key{p.ID(), c.Number}] = c.Eye
			}
			for _, e := range p.Notices {
				r := &e.Receipt
				if e.Kind != session.ShotJudged || r.Verdict == shot.Launched {
					continue
				}
				k := key{p.ID(), r.Shot}
				if r.Verdict == shot.Hit {
					hits[r.Weapon]++
				}
				switch {
				case r.Agrees:
					agreed++
				case stood[k].Dist(seen[k]) > 0.01:
					pushed++
				default:
					t.Errorf("player %d's shot %d with the %s: %v, %q", p.ID(), r.Shot, Weapons()[r.Weapon].Name, r.Outcome, r.Reason)
				}
			}
			return bot.Think(p, at)
		})
	}
	s.run(90 * clock.Second)
	t.Logf("%d shots as seen, %d of players just pushed not; hits by weapon: %v", agreed, pushed, hits)
	if agreed < 500 || pushed > agreed/50 || hits[0] < 100 || hits[2] < 8 {
		t.Errorf("want a fight of 500 shots, 100 hits with the rifle and 8 with rockets")
	}
}
