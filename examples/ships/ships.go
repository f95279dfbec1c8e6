// Package ships is an example without package movement: ships with inertia and a laser among rocks.
package ships

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

const (
	radius  = 0.6  // m, of the hull
	height  = 1.0  // m, at which all ships fly
	thrust  = 14.0 // m/s²
	turning = 4.0  // rad/s
	drag    = 0.5  // 1/s, of the speed: after 2 s without thrust 37 % is left
	bounce  = 0.6  // share of the speed into a wall that is left after it
)

// Ship is a player's state.
type Ship struct {
	Position, Velocity geom.Vec3 // m, m/s
	Yaw                float64   // of the bow, radians
	Dead               bool      // it drifts no further, and nothing hits it
	shot.Loadout
}

// Input is a player's input for one move.
type Input struct {
	Thrust, Turn float64 // -1 to 1: ahead, to the left
	shot.Trigger
}

// laser is the table of weapons. Damage by hit group: a hull is one.
var laser = shot.Table{{
	Name: "laser", Kind: shot.Hitscan, Range: 30, Cooldown: clock.Second / 4, Damage: [rig.HitGroups]uint16{rig.Body: 20},
}}

// Rules returns the game, the same on both ends.
func Rules() session.Game[Ship, Input] {
	hull := rig.Rigid(rig.Hitbox{Name: "hull", HitGroup: rig.Body, Shape: rig.Ball, Radius: radius})
	return session.Game[Ship, Input]{
		Step: fly,
		PackState: func(p *bits.Packer, s *Ship) { // without loss: a correction sends it
			p.Vec64(&s.Position)
			p.Vec64(&s.Velocity)
			p.Float64(&s.Yaw)
			p.Bool(&s.Dead)
			s.Loadout.Pack(p)
		},
		PackCommand: func(p *bits.Packer, c, _ *Input) { // in eighths; both ends step with what is sent
			p.Grid(&c.Thrust, -1, 1, 1.0/8)
			p.Grid(&c.Turn, -1, 1, 1.0/8)
			c.Trigger.Pack(p)
		},
		Position: func(s *Ship) geom.Vec3 { return s.Position },
		Pose: func(s *Ship) track.Sample { // what others see and hit
			return track.Sample{
				Pose:     track.Pose{Position: s.Position, Velocity: s.Velocity, Yaw: s.Yaw},
				GameData: track.GameData{Dead: s.Dead},
			}
		},
		ClearInexact: func(s *Ship) { s.Position, s.Velocity, s.Yaw = geom.Vec3{}, geom.Vec3{}, 0 }, // all else must agree exactly
		Hitboxes:     func() rewind.HitboxProvider { return &rewind.Upright{Rig: hull} },
		ClearOneTime: func(c *Input) { c.Trigger = shot.Trigger{} }, // happens once
		Combat:       combat.LoadoutRules[Ship, Input](laser, func(s *Ship, _ *Input) (yaw, pitch float64) { return s.Yaw, 0 }, func(s *Ship) bool { return !s.Dead }),
		Fields:       []session.Field[Ship]{{Name: "name", Text: session.MaxName}, {Name: "health", Max: 100}, {Name: "score", Max: 999}},
	}
}

// fly is the step: a wreck drifts no further.
func fly(m *session.Move, s *Ship, c *Input) {
	if s.Dead {
		return
	}
	s.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
	dt := m.Duration.Seconds()
	s.Yaw = geom.WrapAngle(s.Yaw + float64(turning*float64(c.Turn*dt)))
	sin, cos := geom.SinCos(s.Yaw)
	s.Velocity = s.Velocity.MulAdd(geom.V(-sin, 0, -cos), float64(thrust*float64(c.Thrust*dt)))
	s.Velocity = s.Velocity.Mul(geom.Exp(-float64(drag * dt)))
	left := dt
	for range 4 { // a corner is two walls
		way := s.Velocity.Mul(left)
		hit, ok := m.World.SweepSphere(geom.Sphere{Centre: s.Position, Radius: radius}, way)
		if !ok {
			s.Position = s.Position.Add(way)
			break
		}
		s.Position = s.Position.MulAdd(way, hit.Fraction)
		left = float64(left * (1 - hit.Fraction))
		if into := s.Velocity.Dot(hit.Normal); into < 0 {
			s.Velocity = s.Velocity.MulAdd(hit.Normal, -float64((1+bounce)*into))
		}
	}
	s.Position.Y, s.Velocity.Y = height, 0 // rounding may lift it off the plane
}

// launch returns the state of a player's next life.
func launch(id session.PlayerID) Ship {
	sin, cos := geom.SinCos(float64(id) * (2 * math.Pi / 7))
	at := geom.V(12*cos, height, 12*sin)
	return Ship{Position: at, Yaw: geom.Yaw(at.Neg()), Loadout: laser.Loadout()}
}

// Block is a wall or a rock of the level, which the page draws too.
type Block struct {
	X, Z         float64 // its middle, metres
	HalfX, HalfZ float64 // half its size, metres
}

// Blocks are all of them.
var Blocks = []Block{
	{-18.5, 0, 0.5, 19}, {18.5, 0, 0.5, 19}, {0, -18.5, 19, 0.5}, {0, 18.5, 19, 0.5},
	{0, 0, 3, 2}, {8, -5, 1.5, 1.5}, {-7, 6, 2, 1}, {-9, -8, 1, 3}, {5, 9, 1, 1},
}

// Space returns the level.
func Space() *collide.World {
	var b collide.Builder
	for _, k := range Blocks {
		b.Box(geom.V(k.X, height, k.Z), geom.V(k.HalfX, 1, k.HalfZ), geom.IdentityQuat, collide.Surface{})
	}
	return b.MustBake()
}

// Think returns what a bot does: it turns to the nearest ship, comes near, and fires.
func Think(c *session.Client[Ship, Input]) (in Input) {
	me, nearest, at := c.Self(), math.Inf(1), geom.Vec3{}
	for _, other := range c.Remotes() {
		if to := other.Position.Sub(me.Position); !other.Dead && to.Len() < nearest {
			nearest, at = to.Len(), to
		}
	}
	off := geom.WrapAngle(geom.Yaw(at) - me.Yaw)
	in.Turn, in.Thrust, in.Claim.Fire = geom.Clamp(3*off, -1, 1), geom.Clamp((nearest-6)/8, 0, 0.5), !math.IsInf(nearest, 1) && math.Abs(off) < 0.1
	return in
}
