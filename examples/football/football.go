// Package football is a game of two teams and a ball. A player that walks into the ball dribbles it. The kick
// is charged while it is held and leaves on release: a short lunge, and for a moment a body that the ball
// bounces off. The ball answers at once, because the kick is part of the pose by which players push it.
package football

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// Player is a player's state.
type Player struct {
	movement.State
	Charge, Kick clock.Micros // for how long the kick has been held; until the foot is down again
	Power        uint8        // of that kick, 1 … 10
}

// Input is a player's command.
type Input struct {
	movement.Command
	Kick bool // held
}

const (
	fullCharge = 700 * clock.Millisecond
	kickTime   = 220 * clock.Millisecond
	ballKind   = track.Kind(1) // of the entity
)

// Balls are the rigid bodies of the game.
var Balls = bodies.Config{
	Kinds:  map[track.Kind]body.Body{ballKind: ball()},
	Follow: remote.BodyRules{Time: 200 * clock.Millisecond},
	Pusher: func(pose *track.Sample, p *body.Pusher) bool {
		p.Bounce = 0.2 * float64(pose.UserData) // a full kick leaves at three times the player's speed
		return true
	},
}

func ball() body.Body {
	b := body.NewBall(0.26, 0.45)
	b.Rolling, b.LinearDamping, b.MaxSpeed = 0.04, 0.25, 24
	return b
}

// Rules returns the game, the same on both ends.
func Rules() session.Game[Player, Input] {
	model := movement.DefaultModel()
	model.MaxSprintSpeed = 8
	g := session.Game[Player, Input]{
		Step: func(m *session.Move, s *Player, c *Input) {
			if c.Kick {
				s.Charge = min(s.Charge+m.Duration, fullCharge)
			} else if s.Charge > 0 {
				s.Power, s.Kick, s.Charge = uint8(1+9*s.Charge/fullCharge), kickTime, 0
				s.Impulse = s.Impulse.Add(geom.Forward(c.Yaw).Mul(3))
			}
			s.Kick -= min(s.Kick, m.Duration)
			m.Walk(&model, &s.State, &c.Command)
		},
		PackCommand: func(p *bits.Packer, c, before *Input) { c.Command.Pack(p, &before.Command); p.Bool(&c.Kick) },
		PackState: func(p *bits.Packer, s *Player) {
			s.State.Pack(p)
			p.Varint((*int64)(&s.Charge))
			p.Varint((*int64)(&s.Kick))
			p.Byte(&s.Power)
		},
		Pose: func(s *Player) track.Sample {
			pose := character.Pose(&s.State)
			if s.Kick > 0 {
				pose.UserData = uint16(s.Power)
			}
			return pose
		},
		Fields: []session.Field[Player]{
			{Name: "name", Text: 24}, {Name: "team", Max: 2}, {Name: "goals", Max: 99}, // of players
			{Name: "red", Max: 99}, {Name: "blue", Max: 99}, {Name: "notice", Text: 48}, // of the match
		},
	}
	character.Fill(&g, &model)
	return g
}

// Half the size of the pitch, and half the width of a goal, its height and depth, metres.
const width, length, goalWidth, goalHeight, goalDepth = 11.0, 17.0, 3.0, 2.2, 1.8

// Pitch returns the level: grass, boards with glass on top, cut corners, and two goals.
func Pitch() *collide.World {
	var b collide.Builder
	box := func(x, y, z, hx, hy, hz, yaw float64) {
		b.Box(geom.V(x, y, z), geom.V(hx, hy, hz), geom.YawQuat(yaw), collide.Surface{})
	}
	wall := func(x, z, hx, hz, yaw float64) { box(x, 0.6, z, hx, 0.6, hz, yaw); box(x, 4.6, z, hx, 3.4, hz, yaw) }
	box(0, -1, 0, width+2, 1, length+4, 0)
	for _, side := range []float64{-1, 1} {
		wall(side*(width+0.2), 0, 0.2, length+0.4, 0)
		for _, post := range []float64{-1, 1} {
			wall(post*(goalWidth+width)/2, side*(length+0.2), (width-goalWidth)/2, 0.2, 0)
			wall(post*width, side*length, 2.2, 2.2, math.Pi/4)
			box(post*(goalWidth+0.2), goalHeight/2, side*(length+goalDepth/2), 0.2, goalHeight/2, goalDepth/2, 0)
		}
		box(0, goalHeight/2, side*(length+goalDepth+0.2), goalWidth+0.4, goalHeight/2, 0.2, 0)
		box(0, goalHeight+3, side*(length+goalDepth/2), goalWidth+0.4, 3, goalDepth/2, 0)
	}
	return b.MustBake()
}

// Think returns what a bot does: the nearest of its team goes behind the ball and shoots, the others defend.
func Think(c *session.Client[Player, Input]) (in Input) {
	if len(c.Entities()) == 0 {
		return in
	}
	ball, at, team := c.Entities()[0], c.Position(), c.Number(c.ID(), "team")
	to := ball.Position.Sub(at)
	shot := geom.V(float64(c.ID()%3)-1, 0, -end(team)*(length+1)).Sub(ball.Position).Unit()
	nearest, target := true, ball.Position.Sub(shot.Mul(0.9)) // behind the ball
	for _, r := range c.Remotes() {
		nearest = nearest && (c.Number(r.ID, "team") != team || r.Position.Dist(ball.Position) >= to.Len())
	}
	switch {
	case !nearest: // a place of its own in defence
		target = geom.V(float64(ball.Position.X*0.6)+float64(c.ID()%3*4)-4, 0, (ball.Position.Z+float64(end(team)*length*1.2))/2)
	case to.Unit().Dot(shot) > 0.75: // it is behind the ball
		target, in.Kick = ball.Position.Add(shot), to.Len() > 1 && to.Len() < 6
	case to.Len() < 1.5: // round the ball
		target = target.Add(geom.V(-shot.Z, 0, shot.X).Mul(1.2))
	}
	way := target.Sub(at).Flat(geom.Up)
	if in.Yaw = geom.Yaw(way); way.Len() > 0.4 {
		in.Forward, in.Sprint = 1, nearest
	}
	if ball.Velocity.Len() < 0.5 && (c.View().At/(600*clock.Millisecond)+clock.Micros(c.ID()))%4 == 0 {
		in.Forward, in.Right = -1, 1 // two hold the ball between them: one gives way
	}
	return in
}

// end returns on which side a team has its goal: the sign of Z.
func end(team int64) float64 { return float64(3 - 2*team) }
