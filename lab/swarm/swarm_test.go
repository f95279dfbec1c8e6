package swarm_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/lab/swarm"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// arenaGame keeps the navigation meshes that runs share.
var arenaGame = labgame.New()

// A few random matches with faults and attacks break no invariant. [THR-08, THR-13, THR-18, THR-22, THR-23, THR-28, THR-30]
func TestAFewSeeds(t *testing.T) {
	s, err := swarm.Run(context.Background(), arenaGame, swarm.Options{Seed: 1, Runs: 6})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d runs, %v of match time, %d checks", s.Runs, s.Played, s.Checks.Sum())
	if f := s.Failure; f != nil {
		t.Fatalf("seed %d: %v\n%s", f.Seed, f.Broken, f.Case.File())
	}
	n := s.Checks
	if s.Runs != 6 || n.Poses == 0 || n.Moves == 0 || n.Shots == 0 || n.Vitals == 0 || n.Replay == 0 || n.Agreements == 0 {
		t.Errorf("got %d runs and %+v, want 6 and no zero", s.Runs, n)
	}
}

// A seed draws the same file each time, which the lab reads.
func TestDrawIsAFunction(t *testing.T) {
	words := lab.Words(arenaGame)
	for seed := range uint64(300) {
		c, again := swarm.Draw(seed, words), swarm.Draw(seed, words)
		if c.File() != again.File() {
			t.Fatalf("seed %d draws\n%s\nand\n%s", seed, c.File(), again.File())
		}
		f, err := scenario.Open("case.yaml", []byte(c.File()))
		if err == nil {
			_, err = f.Scenario(words)
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, c.File())
		}
	}
}

// plant is a fault of the code that breaks one invariant, from some tick on.
type plant struct {
	tick    func(m *plantedMatch)                       // before each tick
	pose    func(m *plantedMatch, s *track.Sample)      // of player 1
	moved   func(m *plantedMatch, v *session.MoveStep)  // of player 1
	shot    bool                                        // each verdict is observed twice
	vitals  func(m *plantedMatch, v *lab.Vitals)        // of player 1
	hash    func(m *plantedMatch, h uint64) uint64      //
	own     func(m *plantedMatch, v *lab.Vitals)        // of player 1's client
	refuses func(m *plantedMatch, at clock.Micros) bool // packets of player 1
	draws   func(m *plantedMatch, all []track.Entity) []track.Entity
}

// plantedGame is the arena with a planted fault.
type plantedGame struct {
	lab.Game
	plant   plant
	matches int
}

func (g *plantedGame) Match(s lab.Setup) (lab.Match, error) {
	m, err := g.Game.Match(s)
	g.matches++
	return &plantedMatch{Match: m, game: g, twin: g.matches%2 == 0}, err
}

type plantedMatch struct {
	lab.Match
	game     *plantedGame
	twin     bool
	now      clock.Micros
	observer session.Observer
}

func (m *plantedMatch) Tick(now clock.Micros) {
	m.now = now
	if m.game.plant.tick != nil {
		m.game.plant.tick(m)
	}
	m.Match.Tick(now)
}

func (m *plantedMatch) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	if r := m.game.plant.refuses; r != nil && from == 1 && r(m, at) {
		return nil
	}
	return m.Match.Receive(from, ch, at, b)
}

func (m *plantedMatch) Observe(o session.Observer) {
	m.observer = o
	m.Match.Observe(m)
}

func (m *plantedMatch) ObserveMove(v *session.MoveStep) {
	if m.game.plant.moved != nil && v.Player == 1 {
		m.game.plant.moved(m, v)
	}
	m.observer.ObserveMove(v)
}

func (m *plantedMatch) ObserveShot(s *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	m.observer.ObserveShot(s, r, targets)
	if m.game.plant.shot {
		m.observer.ObserveShot(s, r, targets)
	}
}

func (m *plantedMatch) Pose(id session.PlayerID) (track.Sample, bool) {
	s, ok := m.Match.Pose(id)
	if m.game.plant.pose != nil && id == 1 {
		m.game.plant.pose(m, &s)
	}
	return s, ok
}

func (m *plantedMatch) Hash() uint64 {
	if h := m.game.plant.hash; h != nil {
		return h(m, m.Match.Hash())
	}
	return m.Match.Hash()
}

func (m *plantedMatch) Vitals(id session.PlayerID) (lab.Vitals, bool) {
	v, ok := m.Match.(lab.VitalsSource).Vitals(id)
	if m.game.plant.vitals != nil && id == 1 {
		m.game.plant.vitals(m, &v)
	}
	return v, ok
}

func (m *plantedMatch) Wrapped() any { return m.Match }

func (m *plantedMatch) Join(p lab.Participant) lab.Actor {
	return &plantedActor{m.Match.Join(p), m}
}

type plantedActor struct {
	lab.Actor
	match *plantedMatch
}

func (a *plantedActor) Wrapped() any { return a.Actor }

func (a *plantedActor) OwnVitals() (lab.Vitals, bool) {
	v, ok := a.Actor.(lab.OwnVitals).OwnVitals()
	if a.match.game.plant.own != nil && a.ID() == 1 {
		a.match.game.plant.own(a.match, &v)
	}
	return v, ok
}

func (a *plantedActor) Remotes() []track.Entity {
	all := a.Actor.Remotes()
	if draws := a.match.game.plant.draws; draws != nil {
		return draws(a.match, all)
	}
	return all
}

// oneRound is a magazine that never empties.
func oneRound(_ *plantedMatch, v *lab.Vitals) {
	for i := range v.Rounds {
		v.Rounds[i] = 1
	}
}

// planted are the planted faults, and the invariant that each breaks.
var planted = []struct {
	name      string
	invariant string
	plant     plant
}{
	{"a position that is no number", swarm.Finite, plant{pose: func(m *plantedMatch, s *track.Sample) {
		if m.now > 4*clock.Second {
			s.Position.X = math.NaN()
		}
	}}},
	{"a player under the floor", swarm.Inside, plant{pose: func(m *plantedMatch, s *track.Sample) {
		if m.now > 4*clock.Second {
			s.Position.Y = -30
		}
	}}},
	{"a player in a wall", swarm.Inside, plant{pose: func(m *plantedMatch, s *track.Sample) {
		if m.now > 4*clock.Second {
			s.Position.Y -= 0.9
		}
	}}},
	{"a move that goes too far", swarm.Speed, plant{moved: func(m *plantedMatch, v *session.MoveStep) {
		if m.now > 4*clock.Second {
			v.Position.X += 9
		}
	}}},
	{"moves that last twice as long as they may", swarm.Speed, plant{moved: func(_ *plantedMatch, v *session.MoveStep) {
		v.Duration *= 2
	}}},
	{"a velocity beyond the fastest", swarm.Speed, plant{pose: func(m *plantedMatch, s *track.Sample) {
		if m.now > 4*clock.Second {
			s.Velocity.Z = 200
		}
	}}},
	{"a round from nowhere", swarm.Ammo, plant{vitals: func(m *plantedMatch, v *lab.Vitals) {
		if v.Rounds[0]--; m.now > 4*clock.Second {
			v.Rounds[0]++
		}
	}}},
	{"shots that take no round", swarm.Ammo, plant{vitals: oneRound, own: oneRound}},
	{"health from nowhere", swarm.Health, plant{vitals: func(m *plantedMatch, v *lab.Vitals) {
		if v.Health -= 10; m.now > 4*clock.Second {
			v.Health += 5
		}
	}}},
	{"health that goes without damage", swarm.Health, plant{vitals: func(m *plantedMatch, v *lab.Vitals) {
		if m.now > 4*clock.Second {
			v.Health -= 5
		}
	}}},
	{"a shot that is judged twice", swarm.OneShot, plant{shot: true}},
	{"a move that runs twice", swarm.OneShot, plant{moved: func(m *plantedMatch, v *session.MoveStep) {
		if m.now > 4*clock.Second && v.Number > 100 {
			v.Number -= 2
		}
	}}},
	{"a state that is not a function of what came", swarm.Replay, plant{hash: func(m *plantedMatch, h uint64) uint64 {
		if m.twin && m.now > 4*clock.Second {
			h++
		}
		return h
	}}},
	{"a server that loses packets of its own accord", swarm.Replay, plant{refuses: func(m *plantedMatch, at clock.Micros) bool {
		return m.twin && at > 4*clock.Second
	}}},
	{"ammunition on the screen that is not there", swarm.Agreement, plant{own: func(_ *plantedMatch, v *lab.Vitals) { v.Rounds[1]++ }}},
	{"a server that hears no more of a player", swarm.Agreement, plant{refuses: func(_ *plantedMatch, at clock.Micros) bool {
		return at > 4*clock.Second
	}}},
	{"a player that no other sees", swarm.Agreement, plant{draws: func(_ *plantedMatch, all []track.Entity) []track.Entity {
		return slices.DeleteFunc(slices.Clone(all), func(e track.Entity) bool { return e.ID == 1 })
	}}},
	{"a panic", swarm.NoPanic, plant{tick: func(m *plantedMatch) {
		if m.now > 4*clock.Second {
			panic("planted")
		}
	}}},
}

// Each planted fault is found, as the invariant that it breaks, and shrunk to a file that breaks the
// same one: no more players, faults and seconds than the fault needs.
func TestPlantedFaultsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("plays 18 matches and shrinks them")
	}
	for _, c := range planted {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			s, err := swarm.Run(context.Background(), &plantedGame{Game: arenaGame, plant: c.plant}, swarm.Options{Seed: 2, Runs: 40, Jobs: 1})
			if err != nil {
				t.Fatal(err)
			}
			f := s.Failure
			if f == nil {
				t.Fatalf("%d runs found nothing", s.Runs)
			}
			t.Logf("seed %d, %d tries: %v", f.Seed, f.Tried, f.Broken)
			if f.Broken.Invariant != c.invariant {
				t.Errorf("got %v, want %s", f.Broken, c.invariant)
			}
			if len(f.Case.Players) > 2 || len(f.Case.Faults) > 0 || f.Case.Seconds > 5 {
				t.Errorf("got a case that is not small:\n%s", f.Case.File())
			}
			again, err := playFile(&plantedGame{Game: arenaGame, plant: c.plant}, f.Case.File())
			if c.invariant != swarm.NoPanic && (again == nil || again.Error() != f.Broken.Error()) {
				t.Errorf("the file gives %v (%v), want %v", again, err, f.Broken)
			}
		})
	}
}

// playFile plays a scenario file as `backstep lab run` does.
func playFile(g lab.Game, text string) (b *swarm.Broken, err error) {
	defer func() {
		if v := recover(); v != nil {
			b = nil
		}
	}()
	f, err := scenario.Open("case.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	s, err := f.Scenario(lab.Words(g))
	if err != nil {
		return nil, err
	}
	_, err = lab.Play(s, swarm.Watch(g, nil), lab.Options{})
	errors.As(err, &b)
	return b, err
}

// A player that stands on a turntable comes back over a new connection: until its first move others see it where it
// stands, and not where it would stand had the table not turned, 3 m beside it. [BAS-08]
func TestReconnectOnATurntable(t *testing.T) {
	broken, err := playFile(arenaGame, `
name: a reconnect on a turntable
seed: 1
duration: 8s
quiet: 2s
geometry:
  - box: {min: [-20, -1, -20], max: [20, 0, 20]}
  - box: {min: [-20, 12, -20], max: [20, 13, 20]}
  - mover:
      name: turntable
      box: {min: [-3, -0.2, -3], max: [3, 0.2, 3]}
      path: {loop: true, points: [[0s, [8, 0, 0], 0], [12s, [8, 0, 0], 360]]}
players:
  - {name: ann, at: [0, 0, 5], yaw: -90, network: {rtt: 100ms}}
  - {name: bob, at: [10, 0.25, 0], network: {rtt: 100ms}}
faults:
  - {at: 4s, for: 200ms, player: bob, kind: reconnect}
`)
	if broken != nil || err != nil {
		t.Errorf("got %v, %v; want no invariant broken", broken, err)
	}
}
