package football

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

type match = serve.Match[Player, Input]

var teams = [3]string{"", "red", "blue"} // by number: the fields of their goals

// Serve is the whole program of the game's server.
func Serve() { serve.Main(Rules(), Config()) }

// Config returns the server's side of the game: teams, goals, kick-off.
func Config() serve.Config[Player, Input] {
	var balls *bodies.Server
	var ball, last track.ID       // the entity; the player that touched it last
	var again, moved clock.Micros // when the ball returns to the middle, 0: it is in play; when it last moved
	middle := geom.V(0, 0.26, 0)
	return serve.Config[Player, Input]{
		Name: "football", Session: session.ServerConfig{World: Pitch(), PlayersBlock: true}, Bots: 5, Think: Think, Another: Config,
		OnStart: func(m *match) {
			balls = Balls.Serve(m, m.World())
			ball = balls.Spawn(ballKind, middle)
			for team := range int64(2) { // zone 0 is the goal of team 1
				balls.AddZone(bodies.Zone{Position: geom.V(0, 1, end(team+1)*(length+1.15)), Half: geom.V(goalWidth, 1.5, 0.9)})
			}
		},
		OnJoin: func(m *match, e session.Event) {
			if e.Reconnected { // it keeps its place
				return
			}
			team := int64(1 + e.Player%2)
			m.SetState(e.Player, Player{State: movement.Spawn(geom.V(float64(e.Player/2%3*5)-5, 0.1, end(team)*7), (end(team)-1)*math.Pi/2)})
			m.SetText(e.Player, "name", e.Name)
			m.SetNumber(e.Player, "team", team)
		},
		Simulate: func(m *match, now clock.Micros) {
			balls.Step(now)
			for _, e := range balls.Events() {
				if e.Kind == bodies.Touched {
					last = e.Player
				} else if e.Kind == bodies.Entered && again == 0 {
					again = now + 2*clock.Second
					goal(m, int64(2-e.Zone), last)
				}
			}
			if balls.Motion(ball).Velocity.Len() > 1.5 {
				moved = now
			}
			if again != 0 && now >= again || now-moved > 5*clock.Second { // or nobody gets it out of there
				again, last, moved = 0, 0, now
				balls.Teleport(ball, body.Motion{Position: middle, Rotation: geom.IdentityQuat})
				m.SetText(session.OfMatch, "notice", "")
			}
		},
		OnCheckpoint: func(_ *match, p *bits.Packer) { balls.Checkpoint(p); p.Varint((*int64)(&moved)) }, // a ball in a goal comes back by it
	}
}

// goal counts a goal for a team, and for the player unless it was an own goal.
func goal(m *match, team int64, by session.PlayerID) {
	m.SetNumber(session.OfMatch, teams[team], m.Number(session.OfMatch, teams[team])+1)
	if by == 0 || m.Number(by, "team") != team {
		m.SetText(session.OfMatch, "notice", "Own goal: a point for "+teams[team])
		return
	}
	m.SetNumber(by, "goals", m.Number(by, "goals")+1)
	m.SetText(session.OfMatch, "notice", m.Text(by, "name")+" scores for "+teams[team]+"!")
}
