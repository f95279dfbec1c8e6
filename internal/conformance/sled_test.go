package conformance

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// SledState is the toy game's state: a sled on a rail along X.
type SledState struct {
	X int64 // 2⁻²⁴ m
	V int64 // 2⁻²⁴ m a grain
}

// SledInput is the input of a sled's driver.
type SledInput struct {
	Push int8 // −1, 0 or 1
	Shot shot.Claim
}

// sledMost bounds a sled's V: 5.96 m/s.
const sledMost = 4000

// sledFar bounds a sled's X: 8,192 m.
const sledFar = 1 << 37

// Sled is the toy game: its step is two lines of whole numbers. docs/protocol.md
// describes it, so that a recorded session can be replayed without our physics.
type Sled struct{ weapons [1]shot.Weapon }

// NewSled returns the toy game.
func NewSled() *Sled {
	return &Sled{[1]shot.Weapon{{Name: "needle", Range: 64, Cooldown: 100 * clock.Millisecond, Magazine: 1}}}
}

// Rules is the game as a session plays it.
func (g *Sled) Rules() session.Game[SledState, SledInput] {
	return session.Game[SledState, SledInput]{
		Step: g.Step, PackCommand: g.PackCommand, PackState: g.PackState, Position: g.Position,
		Pose: g.Pose, Eye: g.Eye, Digest: g.Digest, ClearOneTime: g.ClearOneTime, Combine: g.Combine,
		Fields: []session.Field[SledState]{{Name: "laps", Max: 9}, {Name: "wind"}, {Name: "colour", Audience: session.Owner, Text: 12}},
		Combat: combat.NewRules(combat.Rules[SledState, SledInput]{Weapons: g.weapons[:], Trigger: g.Trigger, Fired: g.Fired}),
	}
}

// Step is V += push·n, bounded, and X += V·n, for n grains.
func (*Sled) Step(m *session.Move, s *SledState, c *SledInput) {
	n := int64(m.Duration / predict.TimeQuantum)
	s.V = min(max(s.V+int64(c.Push)*n, -sledMost), sledMost)
	s.X = min(max(s.X+s.V*n, -sledFar), sledFar)
}

// ClearOneTime drops the shot.
func (*Sled) ClearOneTime(c *SledInput) { c.Shot = shot.Claim{} }

// PackCommand packs: 1 as before, or 0 and the push + 1 in two bits; then the claim.
func (*Sled) PackCommand(p *bits.Packer, c, before *SledInput) {
	same := c.Push == before.Push
	p.Bool(&same)
	if same {
		c.Push = before.Push
	} else {
		push := int(c.Push)
		p.Ranged(&push, -1, 1)
		if c.Push = int8(push); c.Push == before.Push {
			p.Fail(bits.ErrRange)
		}
	}
	c.Shot.Pack(p)
}

// PackState packs X and V as Varint.
func (*Sled) PackState(p *bits.Packer, s *SledState) {
	p.Varint(&s.X)
	p.Varint(&s.V)
	if max(s.X, -s.X) > sledFar || max(s.V, -s.V) > sledMost {
		p.Fail(bits.ErrRange)
		*s = SledState{}
	}
}

// Position is X in metres.
func (*Sled) Position(s *SledState) geom.Vec3 { return geom.V(float64(s.X)/(1<<24), 0, 0) }

// Digest is the low bits of V.
func (*Sled) Digest(s *SledState) uint16 { return uint16(s.V) }

// Pose is the place, and V in m/s.
func (g *Sled) Pose(s *SledState) track.Sample {
	return track.Sample{Pose: track.Pose{Position: g.Position(s), Velocity: geom.V(float64(s.V*25000)/(1<<24), 0, 0), Mode: 1}}
}

// Eye is 1.5 m above the rail.
func (g *Sled) Eye(s *SledState) geom.Vec3 { return geom.V(g.Position(s).X, 1.5, 0) }

// Trigger is the claim of the shot.
func (*Sled) Trigger(c *SledInput) *shot.Claim { return &c.Shot }

// Fired reports that every shot is fired: a sled's needles never run out.
func (*Sled) Fired(_ shot.Table, _ *SledState, c *SledInput, _ *SledState) shot.FireResult {
	return shot.FireResult{Fired: c.Shot.Fire}
}

// Combine reports whether both inputs push alike and neither fires.
func (*Sled) Combine(_ *session.Move, _, _ *SledState, first, second *SledInput) bool {
	return *first == *second && !first.Shot.Fire
}
