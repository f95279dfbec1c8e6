// Package football is a game of two teams and a ball. Who walks into the ball dribbles it. Who holds the
// kick charges it, and kicks on release: a short lunge, and for a moment a body that the ball bounces off.
// Nothing of that waits for the server, because a kick is part of the pose by which players push the ball.
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
	lunge      = 3.0 // m/s that a kick adds
)

const ballKind track.Kind = 1 // of the entity

// Balls are the rigid bodies of the game.
var Balls = bodies.Playground{
	Kinds:  map[track.Kind]body.Body{ballKind: ball()},
	Follow: remote.BodyRules{Time: 200 * clock.Millisecond},
	Pusher: func(pose *track.Sample, p *body.Pusher) bool {
		p.Bounce = float64(pose.UserData) * 0.2 // a full kick leaves at three times the player's speed
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
			switch {
			case c.Kick:
				s.Charge = min(s.Charge+m.Duration, fullCharge)
			case s.Charge > 0:
				s.Power, s.Kick, s.Charge = uint8(1+9*s.Charge/fullCharge), kickTime, 0
				s.Impulse = s.Impulse.Add(geom.Forward(c.Yaw).Mul(lunge))
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

// Half the size of the pitch and of the opening of a goal, metres.
const (
	halfWidth, halfLength = 11.0, 17.0
	goalWidth, goalHeight = 3, 2.2
	goalDepth             = 1.8
)

// Pitch returns the level: grass, boards with glass on top, and two goals.
func Pitch() *collide.World {
	var b collide.Builder
	turn := geom.IdentityQuat
	box := func(x, y, z, hx, hy, hz float64) {
		b.Box(geom.V(x, y, z), geom.V(hx, hy, hz), turn, collide.Surface{})
	}
	wall := func(x, z, hx, hz float64) { // boards up to 1.2 m, glass up to 8
		box(x, 0.6, z, hx, 0.6, hz)
		box(x, 4.6, z, hx, 3.4, hz)
	}
	box(0, -1, 0, halfWidth+2, 1, halfLength+4)
	for _, side := range []float64{-1, 1} {
		end := side * (halfLength + 0.2)
		wall(side*(halfWidth+0.2), 0, 0.2, halfLength+0.4)
		for _, post := range []float64{-1, 1} {
			wall(post*(goalWidth+halfWidth)/2, end, (halfWidth-goalWidth)/2, 0.2)
			box(post*(goalWidth+0.2), goalHeight/2, side*(halfLength+goalDepth/2), 0.2, goalHeight/2, goalDepth/2)
		}
		box(0, goalHeight/2, side*(halfLength+goalDepth+0.2), goalWidth+0.4, goalHeight/2, 0.2)
		box(0, goalHeight+3, side*(halfLength+goalDepth/2), goalWidth+0.4, 3, goalDepth/2) // no way over it
		for _, corner := range []float64{-1, 1} { // cut off, so that no ball is lost in it
			turn = geom.YawQuat(math.Pi / 4)
			wall(corner*halfWidth, side*halfLength, 2.2, 2.2)
		}
		turn = geom.IdentityQuat
	}
	w, err := b.Bake()
	if err != nil {
		panic(err)
	}
	return w
}

// Think returns what a bot does: of its team the nearest goes behind the ball and shoots, the others wait
// between the ball and their goal.
func Think(c *session.Client[Player, Input]) (in Input) {
	if len(c.Entities()) == 0 {
		return in
	}
	ball, at, own := c.Entities()[0].Position, c.Position(), homeEnd(c.Number(c.ID(), "team"))
	goal := geom.V(float64(c.ID()%3)-1, 0, -own*(halfLength+1))
	shot := goal.Sub(ball).Unit()
	target := ball.Sub(shot.Mul(0.9)) // behind the ball
	nearest, mates := true, 0.0
	for _, r := range c.Remotes() {
		if c.Number(r.ID, "team") == c.Number(c.ID(), "team") {
			mates++
			nearest = nearest && r.Position.Sub(ball).Len() >= at.Sub(ball).Len()
		}
	}
	switch to := ball.Sub(at); {
	case !nearest: // a place of its own in defence
		target = geom.V(ball.X*0.6+float64(c.ID()%3-1)*4, 0, (ball.Z+own*halfLength*1.2)/2)
	case to.Unit().Dot(shot) > 0.75: // it is behind the ball
		target = ball.Add(shot)
		in.Kick = to.Len() > 1 && to.Len() < 6
	case to.Len() < 1.5: // round the ball
		target = target.Add(geom.V(-shot.Z, 0, shot.X).Mul(1.2))
	}
	to := target.Sub(at)
	to.Y = 0
	if in.Yaw = geom.Atan2(-to.X, -to.Z); to.Len() > 0.4 {
		in.Forward, in.Sprint = 1, nearest
	}
	if c.Entities()[0].Velocity.Len() < 0.5 && (c.View().At/(600*clock.Millisecond)+clock.Micros(c.ID()))%4 == 0 {
		in.Forward, in.Right = -1, 1 // two hold the ball between them: one gives way
	}
	return in
}

// homeEnd returns on which side a team has its goal: the sign of Z.
func homeEnd(team int64) float64 { return float64(3 - 2*team) }
