package hockey

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

type match = serve.Match[Skater, Input]

// Serve is the whole program of the game's server.
func Serve() { serve.Main(Rules(), Config()) }

// Config returns the server's side of the game: who is "it", the puck, the score.
func Config() serve.Config[Skater, Input] {
	var pucks *bodies.Server
	var puck track.ID
	var it, last session.PlayerID // last touched the puck
	tag := func(m *match, id session.PlayerID) {
		if it != 0 {
			m.SetNumber(it, "it", 0)
		}
		it = id
		m.SetNumber(it, "it", 1)
	}
	return serve.Config[Skater, Input]{
		Name: "hockey", Session: session.ServerConfig{World: Rink(), PlayersBlock: true}, Another: Config,
		OnStart: func(m *match) {
			pucks = Pucks.Serve(m, m.World())
			puck = pucks.Spawn(puckKind, geom.V(0, 0.1, 6))
		},
		OnJoin: func(m *match, e session.Event) {
			if e.Reconnected { // it keeps its place
				return
			}
			at := geom.V(float64(int(e.Player%5)*3-6), 0.1, float64(12-int(e.Player%2)*24))
			m.SetState(e.Player, Skater{State: movement.Spawn(at, 0), Loadout: gun.Loadout(), Stamina: clock.Second})
			if m.SetText(e.Player, "name", e.Name); it == 0 {
				tag(m, e.Player)
			}
		},
		OnLeave: func(m *match, id session.PlayerID) {
			if it == id {
				it = 0
			}
		},
		OnShot: func(m *match, by session.PlayerID, r *shot.Receipt) {
			if target := r.Outcome.Target; r.Verdict == shot.Hit && by == it {
				m.Modify(target, func(s *Skater) { s.Frozen = 2 * clock.Second })
				tag(m, target)
			}
		},
		Simulate: func(m *match, now clock.Micros) {
			pucks.Step(now)
			for _, e := range pucks.Events() {
				if e.Kind == bodies.Touched && e.Player != 0 {
					last = e.Player
				}
			}
			motion := pucks.Motion(puck)
			if math.Abs(motion.Position.Z) < 15.6 || math.Abs(motion.Position.X) > 2 {
				return
			}
			motion.Position, motion.Velocity = geom.V(0, 0.1, 6), geom.Vec3{}
			pucks.Teleport(puck, motion)
			m.SetNumber(last, "score", m.Number(last, "score")+1)
		},
		OnCheckpoint: func(_ *match, p *bits.Packer) {
			pucks.Checkpoint(p)
			p.Uint16((*uint16)(&it))
			p.Uint16((*uint16)(&last))
		},
	}
}
