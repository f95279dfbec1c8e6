package session_test

import (
	"math"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// fieldGame is the toy with fields: one that follows from its state, a score, what only the owner
// and what only the team may know, a name, and a fact of the match.
func fieldGame() session.Game[toyState, toyCommand] {
	g := gameOf[toyState, toyCommand](newToy())
	g.Fields = []session.Field[toyState]{
		{Name: "fast", Max: 1, Of: func(s *toyState) int64 {
			if s.Vel.Len() > 3 {
				return 1
			}
			return 0
		}},
		{Name: "score", Max: 999},
		{Name: "coins", Audience: session.Owner, Max: 99},
		{Name: "team", Max: 2},
		{Name: "plan", Audience: session.Team, Max: 9},
		{Name: "nick", Text: 12},
		{Name: "round", Max: 20},
	}
	return g
}

// fieldMatch is a match of fieldGame with clients over a link of 3 ticks that loses a third.
type fieldMatch struct {
	*simulation
	server *session.Server[toyState, toyCommand]
}

func newFieldMatch(t *testing.T, names ...string) *fieldMatch {
	r := newSimulation(t, session.ServerConfig{})
	n := byte(0)
	r.m.toyServer = session.NewServer(fieldGame(), session.ServerConfig{World: plane(t), LevelHash: "level", NewKey: func() session.Key { n++; return session.Key{n} }})
	m := &fieldMatch{r, r.m.toyServer}
	r.lag = 3
	k := 0
	r.fate = func(flight) []int {
		if k++; k%3 == 0 {
			return nil
		}
		return []int{3}
	}
	for _, name := range names {
		m.add(name)
	}
	r.run(200)
	return m
}

func (m *fieldMatch) add(name string) *testClient {
	g := m.connect()
	g.toyClient = session.NewClient(fieldGame(), session.ClientConfig{})
	g.Hello(name, session.Key{})
	return g
}

// What the server sets reaches those of its audience, over a link that loses a third, and nobody
// else; a client that joins later gets it too, and a player that leaves takes its values along. [WIR-18]
func TestFieldsReachTheirAudience(t *testing.T) {
	m := newFieldMatch(t, "Ann", "Bob", "Cid")
	ann, bob, cid := m.clients[0], m.clients[1], m.clients[2]
	for _, g := range m.clients {
		m.server.SetNumber(g.ID(), "team", int64(1+g.ID()/3)) // Ann and Bob 1, Cid 2
	}
	m.server.SetNumber(1, "score", 7)
	m.server.SetNumber(1, "coins", 55)
	m.server.SetNumber(1, "plan", 4)
	m.server.SetText(1, "nick", "Änne")
	m.server.SetNumber(session.OfMatch, "round", 5)
	m.run(60)
	dan := m.add("Dan")
	m.run(200)
	for _, c := range []struct {
		who                      *testClient
		score, coins, plan, team int64
	}{{ann, 7, 55, 4, 1}, {bob, 7, 0, 4, 1}, {cid, 7, 0, 0, 1}, {dan, 7, 0, 0, 1}} {
		id := c.who.ID()
		if s, k, p, f := c.who.Number(1, "score"), c.who.Number(1, "coins"), c.who.Number(1, "plan"), c.who.Number(1, "team"); s != c.score || k != c.coins || p != c.plan || f != c.team {
			t.Errorf("player %d sees score %d, coins %d, plan %d, team %d; want %d, %d, %d, %d", id, s, k, p, f, c.score, c.coins, c.plan, c.team)
		}
		if n, r := c.who.Text(1, "nick"), c.who.Number(session.OfMatch, "round"); n != "Änne" || r != 5 {
			t.Errorf("player %d sees %q in round %d, want Änne in round 5", id, n, r)
		}
	}
	ann.Leave()
	m.run(60)
	if s, n, p := bob.Number(1, "score"), bob.Text(1, "nick"), bob.Number(1, "plan"); s != 0 || n != "" || p != 0 {
		t.Errorf("after it left: score %d, nick %q, plan %d; want none", s, n, p)
	}
}

// A field that follows from the state changes for others when they see the state that it follows
// from, and for the player itself at once, as predicted. [WIR-18]
func TestFieldsOfTheStateAreSeenWithIt(t *testing.T) {
	m := newFieldMatch(t, "Ann", "Bob")
	ann, bob := m.clients[0], m.clients[1]
	running := false
	ann.input = func(*testClient) toyCommand {
		if running {
			return hold(1, 0)
		}
		return hold(0, 0)
	}
	wrong, seen := 0, 0
	for i := range 600 {
		running = i/50%2 == 1
		m.run(1)
		if want := ann.Self().Vel.Len() > 3; (ann.Number(1, "fast") == 1) != want {
			t.Fatalf("frame %d: the player itself sees fast %v, want %v", i, !want, want)
		}
		speed := bob.Remotes()[0].Velocity.Len()
		if fast := bob.Number(1, "fast") == 1; fast != (speed > 3) {
			wrong++ // within a tick or so of the change, and while interpolating across it
		} else if fast {
			seen++
		}
	}
	if wrong > 12*3 || seen < 200 {
		t.Errorf("fast and the speed drawn disagree in %d of 600 frames and agree on fast in %d; want at most 3 for each of 12 changes, and over 200", wrong, seen)
	}
}

// Names that the game does not declare, a number for a text, and bad specs are misuse.
func TestFieldMisuse(t *testing.T) {
	m := newFieldMatch(t, "Ann")
	for what, do := range map[string]func(){
		"no field of the name speed":  func() { m.server.SetNumber(1, "speed", 1) },
		"a number is no text":         func() { m.server.SetText(1, "score", "a") },
		"UTF-8":                       func() { m.server.SetText(1, "nick", "\xff") },
		"no field of the name height": func() { m.clients[0].Number(1, "height") },
		"both Of, which is for numbers, and Text": func() {
			g := fieldGame()
			g.Fields = []session.Field[toyState]{{Name: "a", Text: 3, Of: func(*toyState) int64 { return 1 }}}
			session.NewClient(g, session.ClientConfig{})
		},
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, what) {
					t.Errorf("got %q, want it to say %q", got, what)
				}
			}()
			do()
		}()
	}
	if m.server.SetNumber(1, "score", 100000); m.server.Number(1, "score") != 999 {
		t.Errorf("got %d, want it clamped to 999", m.server.Number(1, "score"))
	}
}

// A client whose game declares other fields is refused, as one whose states are packed otherwise.
func TestFieldsAreOfTheFormat(t *testing.T) {
	a, b := fieldGame(), fieldGame()
	b.Fields[1].Max = 1000
	if session.FormatOf(a) == session.FormatOf(b) || session.FormatOf(a) != session.FormatOf(fieldGame()) {
		t.Error("the format does not say which fields there are")
	}
}

// An input with numbers that no packet can carry is simulated as the nearest that one can, on both
// ends alike: no panic and no corrections. [WIR-19]
func TestInputsOutOfRangeAreClamped(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	ann := r.join("Ann", session.Key{})
	n := 0
	ann.input = func(*testClient) toyCommand {
		n++
		return toyCommand{X: uint8(n), Z: 200, Yaw: []float64{math.NaN(), math.Inf(1), 1e300, 0.1234567}[n%4]}
	}
	r.run(300)
	self, _ := r.m.State(1)
	if s := ann.Stats(); s.Moves.Corrections != 0 || s.Moves.Acked < 200 {
		t.Errorf("got %d corrections of %d moves, want none of over 200", s.Moves.Corrections, s.Moves.Acked)
	}
	if self.Pos.Z < 10 || !self.Pos.Finite() {
		t.Errorf("got %v, want far along +Z: 200 counts as 2", self.Pos)
	}
}

// The table of weapons comes with the welcome: a client that was built with another plays by the
// match's, and one whose game has no shots is not let into a match with weapons. [WIR-20]
func TestTheMatchsWeaponsComeWithTheWelcome(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	ann := r.connect()
	other := gameOf[toyState, toyCommand](newToy())
	other.Combat.Weapons = shot.Table{shot.Rifle(), shot.Rifle()}
	ann.toyClient = session.NewClient(other, session.ClientConfig{})
	ann.Hello("Ann", session.Key{})
	r.run(60)
	if got := len(ann.Weapons()); got != 1 {
		t.Errorf("got %d weapons, want the match's 1", got)
	}
	peaceful := gameOf[toyState, toyCommand](newToy())
	peaceful.Combat = session.Game[toyState, toyCommand]{}.Combat
	bob := session.NewClient(peaceful, session.ClientConfig{})
	bob.Hello("Bob", session.Key{})
	bob.Frame(0, &toyCommand{})
	for _, p := range bob.Outgoing() {
		r.m.Receive(99, p.Channel, r.now(), p.Bytes)
	}
	err := error(nil)
	for _, p := range r.m.Outgoing() {
		if p.Peer == 99 && p.Channel == session.Stream {
			err = bob.Receive(session.Stream, 1000, p.Bytes)
		}
	}
	if bob.Phase() != session.Outside || err == nil || !strings.Contains(err.Error(), "has weapons") {
		t.Errorf("a client without shots got to phase %d: %v; want an error", bob.Phase(), err)
	}
}

// A game whose commands do not survive their packing, and one that lacks a function, are refused
// before the match, with what to do. [WIR-19]
func TestBadGamesAreRefused(t *testing.T) {
	for want, spoil := range map[string]func(g *session.Game[toyState, toyCommand]){
		"PackCommand does not read": func(g *session.Game[toyState, toyCommand]) {
			g.PackCommand = func(p *bits.Packer, c, _ *toyCommand) {
				if p.Writing() {
					return
				}
				p.Byte(&c.X)
			}
		},
		"Game.Step is nil":            func(g *session.Game[toyState, toyCommand]) { g.Step = nil },
		"Game.Pose is nil":            func(g *session.Game[toyState, toyCommand]) { g.Pose = nil },
		"need both Trigger and Fired": func(g *session.Game[toyState, toyCommand]) { g.Combat.Fired = nil },
		"Rules.Weapons":               func(g *session.Game[toyState, toyCommand]) { g.Combat.Weapons = shot.Table{{}} },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, want) {
					t.Errorf("got %q, want it to say %q", got, want)
				}
			}()
			g := gameOf[toyState, toyCommand](newToy())
			spoil(&g)
			session.NewClient(g, session.ClientConfig{})
		}()
	}
}
