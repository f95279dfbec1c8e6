package arena

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// The arena's rules are right in what the compiler cannot see: 5,000 commands with everything that
// a player can press, also at the same time.
func TestTheRules(t *testing.T) {
	g := NewGame()
	check.Game(t, g.Rules(), check.Play[Hero, Command]{
		Start: g.Spawn(geom.V(0, 0.1, 4), 0, 1), World: yard(t), Moves: 5000,
		Command: func(r *rand.Rand, before Command) Command {
			c := before
			c.Shot, c.Reload, c.Select, c.Dash = shot.Claim{}, r.IntN(100) == 0, 0, r.IntN(60) == 0
			if r.IntN(15) > 0 {
				return c
			}
			c.Move.Forward, c.Move.Right = float64(r.IntN(3)-1), float64(r.IntN(3)-1)
			c.Move.Yaw, c.Move.Pitch = 7*r.Float64(), r.Float64()-0.5
			c.Move.Jump, c.Move.Crouch = r.IntN(3) == 0, r.IntN(6) == 0
			c.Hook, c.Shield, c.Aim = r.IntN(8) == 0, r.IntN(8) == 0, r.IntN(8) == 0
			c.Select = uint8(r.IntN(6))
			return c
		},
		Session: session.ServerConfig{PlayersBlock: true},
	})
}
