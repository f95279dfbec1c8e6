package check_test

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport/mem"
)

type gunner struct {
	movement.State
	shot.Loadout
}

type gunnerInput struct {
	movement.Command
	shot.Trigger
}

// A game that shoots without character.Arm has no ClearOneTime. The second command of a frame that is longer than a
// command may be, and a filled gap, repeat what is held, but no shot.
func TestOneShotAFrame(t *testing.T) {
	weapons := shot.Table{shot.Rifle()}
	model := movement.DefaultModel()
	game := session.Game[gunner, gunnerInput]{
		Step: func(m *session.Move, s *gunner, c *gunnerInput) {
			s.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
			m.Walk(&model, &s.State, &c.Command)
		},
		PackCommand: func(p *bits.Packer, c, before *gunnerInput) {
			c.Command.Pack(p, &before.Command)
			c.Trigger.Pack(p)
		},
		PackState: func(p *bits.Packer, s *gunner) { s.State.Pack(p); s.Loadout.Pack(p) },
		Combat: combat.LoadoutRules[gunner, gunnerInput](weapons,
			func(_ *gunner, c *gunnerInput) (yaw, pitch float64) { return c.Claim.Yaw, c.Claim.Pitch }, nil),
	}
	character.Fill(&game, &model)
	floor := collide.Floor(40)
	server, err := serve.New(game, serve.Config[gunner, gunnerInput]{
		Session: session.ServerConfig{World: floor},
		OnJoin: func(m *serve.Match[gunner, gunnerInput], e session.Event) {
			m.SetState(e.Player, gunner{State: movement.Spawn(geom.V(float64(4*e.Player), 0.1, 0), 0), Loadout: weapons.Loadout()})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	confirmed, notReady := 0, 0
	check.Bots(t, game, check.Match[gunner, gunnerInput]{
		Server: server, World: floor, FrameRate: 8, Duration: 30 * clock.Second,
		Network: mem.Network{RTT: 100 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05},
		Think: func(c *session.Client[gunner, gunnerInput]) (in gunnerInput) {
			in.Claim.Fire = c.Newest()%60 < 30
			in.Reload = c.Self().Ammo[0].Rounds == 0
			return in
		},
		Each: func(c *session.Client[gunner, gunnerInput], _ clock.Micros) {
			for _, e := range c.Events() {
				switch {
				case e.Kind != session.ShotJudged:
				case e.Receipt.Reason == shot.NotReady:
					notReady++
				default:
					confirmed++
				}
			}
		},
	})
	if notReady > 0 || confirmed < 100 {
		t.Errorf("%d shots were refused because the weapon was not ready, and %d were judged; want none and at least 100", notReady, confirmed)
	}
}
