package jetpack

import (
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

const flightFile = `
duration: 3s
geometry: [{box: {min: [-50, -1, -50], max: [50, 0, 50]}}]
network: wifi
players:
  - {name: ann, at: [0, 0, 0], script: [{at: 0s, forward: 1}, {at: 1s, press: jet}]}
  - {name: bob, at: [3, 0, 0]}
expect: [ann.corrections == 0, ann.highest > 1, bob.highest < 0.1, bob.remote_error.max < 0.5]
`

// A game on package serve plays a scenario file: it implements lab.Game, lab.Match and lab.Actor.
func TestAScenarioFile(t *testing.T) {
	file, err := scenario.Open("flight.yaml", []byte(flightFile))
	if err != nil {
		t.Fatal(err)
	}
	s, err := file.Scenario(lab.Words(labGame{}))
	if err != nil {
		t.Fatal(err)
	}
	var hashes [2]string
	for i := range hashes {
		r, err := lab.Play(s, labGame{}, lab.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Held() {
			t.Errorf("%+v", r.Expect)
		}
		hashes[i] = r.Hash
	}
	if hashes[0] != hashes[1] {
		t.Errorf("the same file and seed end in %v", hashes)
	}
}

// labGame is the game as scenario files know it.
type labGame struct{}

func (labGame) Words() scenario.Options   { return scenario.Options{Buttons: []string{"jet"}} }
func (labGame) Levels() map[string][]byte { return nil }

func (labGame) Match(s lab.Setup) (lab.Match, error) {
	game := Game(new(movement.DefaultModel()))
	m, err := serve.New(game, serve.Config[Hero, Command]{
		Session: s.ServerConfig,
		OnJoin: func(m *serve.Match[Hero, Command], e session.Event) {
			at := s.Spawns[e.Player-1]
			m.SetState(e.Player, Hero{State: movement.Spawn(at.At, at.Yaw), Fuel: clock.Second})
		},
	})
	return &labMatch{m, game, s.World}, err
}

type labMatch struct {
	*serve.Match[Hero, Command]
	game  session.Game[Hero, Command]
	world *collide.World
}

func (m *labMatch) Weapons() shot.Table { return nil }

func (m *labMatch) Join(p lab.Participant) lab.Actor {
	a := &labActor{session.NewClient(m.game, p.ClientConfig), m.world}
	a.Hello(p.Name, session.Key{})
	return a
}

func (m *labMatch) Push(id session.PlayerID, velocity geom.Vec3) {
	m.Modify(id, func(h *Hero) { h.Impulse = h.Impulse.Add(velocity) })
}

// This game has neither modes that a file sets nor root motion.
func (m *labMatch) SetMode(session.PlayerID, string, int)       {}
func (m *labMatch) Move(session.PlayerID, *scenario.RootMotion) {}

// labActor is a player that a script controls.
type labActor struct {
	*session.Client[Hero, Command]
	world *collide.World
}

func (a *labActor) Act(local clock.Micros, h *lab.Controls) {
	for _, e := range a.Events() {
		if e.Kind == session.Welcomed {
			a.EnterWorld(a.world)
		}
	}
	c := Command{Jet: slices.Contains(h.Buttons, "jet")}
	c.Forward, c.Right, c.Yaw, c.Pitch, c.Jump, c.Crouch = h.Forward, h.Right, h.Yaw, h.Pitch, h.Jump, h.Crouch
	a.Frame(local, &c)
}

// Think is for scenarios with bots, of which this game has none.
func (a *labActor) Think(clock.Micros) lab.Controls { return lab.Controls{} }
