package session

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/track"
)

// One player drops through a thin platform: its step excludes the mover from its move. The next move, of another
// player who stands there, meets the body again. (BAS-17)
func TestWhatAStepExcludesIsBackInTheNextMove(t *testing.T) {
	type player struct{ Held bool }
	var platform collide.MoverSet
	platform.Add(1)
	var b collide.Builder
	b.Mover("platform", collide.Path{Keys: []collide.Key{{}}}, func(b *collide.Builder) {
		b.Box(geom.Vec3{}, geom.V(1, 1, 1), geom.IdentityQuat, collide.Surface{})
	})
	r := newRules(Game[player, bool]{
		Step: func(m *Move, p *player, drops *bool) {
			if *drops {
				m.World.Exclude = &platform
			}
			_, p.Held = m.World.Ray(geom.V(0, 3, 0), geom.V(0, -3, 0))
		},
		PackCommand: func(p *bits.Packer, c, _ *bool) { p.Bool(c) },
		PackState:   func(p *bits.Packer, s *player) { p.Bool(&s.Held) },
		Position:    func(*player) geom.Vec3 { return geom.Vec3{} },
		Pose:        func(*player) (s track.Sample) { return s },
	}, b.MustBake())
	for i, drops := range []bool{false, true, false} {
		var p player
		r.Step(&p, &predict.Command[move[bool]]{Input: move[bool]{Game: drops}})
		if p.Held == drops {
			t.Errorf("move %d, which drops: %v: got a platform: %v", i+1, drops, p.Held)
		}
	}
}
