package character_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport/mem"
)

// hero has a field and weapons of its own beside the character.
type hero struct {
	movement.State
	shot.Loadout
	Frozen clock.Micros // time until it may move and shoot again
}

type command struct {
	movement.Command
	shot.Trigger
	Brake bool
}

func packHero(p *bits.Packer, h *hero) {
	h.State.Pack(p)
	h.Loadout.Pack(p)
	p.Varint((*int64)(&h.Frozen))
}

func packCommand(p *bits.Packer, c, before *command) {
	c.Command.Pack(p, &before.Command)
	c.Trigger.Pack(p)
	p.Bool(&c.Brake)
}

func able(h *hero) bool { return h.Frozen == 0 }

func step(model *movement.Model) func(m *session.Move, h *hero, c *command) {
	return func(m *session.Move, h *hero, c *command) {
		if h.Frozen > 0 {
			h.Frozen -= min(h.Frozen, m.Duration)
			c = &command{Command: movement.Command{Yaw: c.Yaw}}
		} else {
			h.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
		}
		m.Walk(model, &h.State, &c.Command)
	}
}

var model = movement.DefaultModel()

// newGame returns a shooter with these weapons.
func newGame(weapons shot.Table) session.Game[hero, command] {
	g := session.Game[hero, command]{Step: step(&model), PackState: packHero, PackCommand: packCommand}
	character.Arm(&g, weapons, able)
	character.Fill(&g, &model)
	return g
}

func floor() *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	return b.MustBake()
}

// match spawns each player 8 m from the last, facing −Z, and keeps its events.
type match struct {
	*session.Server[hero, command]
	events []session.Event
	frozen bool // players spawn frozen for a long time
}

func (m *match) Tick(now clock.Micros) {
	m.Server.Tick(now)
	for _, e := range m.Events() {
		m.events = append(m.events, e)
		if e.Kind == session.Joined {
			h := hero{State: movement.Spawn(geom.V(0, 0.1, -8*float64(e.Player)), 0), Loadout: m.Weapons().Loadout()}
			if m.frozen {
				h.Frozen = clock.Second * 60
			}
			m.SetState(e.Player, h)
		}
	}
	m.Send()
}

func (m *match) Weapons() shot.Table { return shot.Table{shot.Rifle()} }

// play runs two players for 4 s at 100 ms of round trip; the first does what input says.
func play(t *testing.T, m *match, loss float64, input func(now clock.Micros) command) (*session.Client[hero, command], *lab.Result) {
	t.Helper()
	world := floor()
	m.Server = session.NewServer(newGame(m.Weapons()), session.ServerConfig{World: world, NewKey: func() session.Key { return session.Key{1} }})
	var first *session.Client[hero, command]
	experiment := lab.Experiment{Server: m, Duration: 4 * clock.Second, Seed: 5}
	for _, name := range []string{"Ann", "Bob"} {
		client := session.NewClient(newGame(nil), session.ClientConfig{}) // its weapons come from the server
		client.Hello(name, session.Key{})
		if first == nil {
			first = client
		}
		experiment.Players = append(experiment.Players, lab.Player{
			Name: name, Client: client, Network: mem.Network{RTT: 100 * time.Millisecond, Loss: loss},
			Play: func(local, now clock.Micros) {
				for _, e := range client.Events() {
					if e.Kind == session.Welcomed {
						client.EnterWorld(world)
					}
				}
				var c command
				if client == first {
					c = input(now)
				}
				client.Frame(local, &c)
			},
		})
	}
	r, err := lab.Run(experiment)
	if err != nil {
		t.Fatal(err)
	}
	return first, r
}

// A player of a game that Arm armed holds the trigger, and nothing else: the client aims along
// the view at its weapon's rate, and every shot is judged as it was seen. [HIT-05]
func TestTheClientAimsByItself(t *testing.T) {
	m := &match{}
	ann, r := play(t, m, 0, func(now clock.Micros) command {
		return command{Trigger: shot.Trigger{Claim: shot.Claim{Fire: now > 2*clock.Second}}}
	})
	shots, hits := 0, 0
	for _, e := range m.events {
		if e.Kind == session.Shot && e.Player == ann.ID() {
			if shots++; e.Receipt.Verdict == shot.Hit {
				hits++
			}
			if !e.Receipt.Agrees {
				t.Errorf("shot %d: got %v, which is not what was seen", e.Receipt.Shot, e.Receipt.Verdict)
			}
		}
	}
	w := m.Weapons()[0]
	if most := int(2*clock.Second/w.Cooldown) + 1; shots < 10 || shots > most || hits != shots {
		t.Errorf("got %d shots, %d hits; want 10 to %d, all hits", shots, hits, most)
	}
	if n := r.Players["Ann"].Corrections; n != 0 {
		t.Errorf("got %d corrections, want none", n)
	}
}

// One that may not shoot in its state fires nothing, whatever it holds.
func TestWhoMayNotShootDoesNot(t *testing.T) {
	m := &match{frozen: true}
	ann, r := play(t, m, 0, func(clock.Micros) command {
		return command{Command: movement.Command{Forward: 1}, Trigger: shot.Trigger{Claim: shot.Claim{Fire: true}}}
	})
	for _, e := range m.events {
		if e.Kind == session.Shot {
			t.Errorf("got a shot: %v", e.Receipt.Verdict)
		}
	}
	if at := ann.Position(); at.Z != -8 || r.Players["Ann"].Corrections != 0 {
		t.Errorf("got z = %v and %d corrections, want −8 and none", at.Z, r.Players["Ann"].Corrections)
	}
}

// The server changes a field of the game's own that does not move the character: the digest that
// Fill supplies covers it, so the owner is corrected also where Modify did not tell it.
func TestAFieldOfTheGamesOwnIsCompared(t *testing.T) {
	g := newGame(nil)
	a := hero{State: movement.Spawn(geom.V(0, 0.1, 0), 0), Loadout: shot.Table{shot.Rifle()}.Loadout()}
	b := a
	b.Frozen = clock.Second
	exact := func(h hero) hero { g.ClearInexact(&h); return h }
	if exact(a) == exact(b) {
		t.Error("ClearInexact clears a field of the game's own")
	}
	b = a
	b.Position.X, b.Velocity.Z = 3, 1
	if exact(a) != exact(b) {
		t.Error("position and velocity count as exact")
	}
	b.Crouched = true
	if exact(a) == exact(b) {
		t.Error("the stance does not count")
	}
}

// Two commands become one only if all that the game added is alike and happens not once. [CMB-04]
func TestWhatCombines(t *testing.T) {
	g := newGame(nil)
	world := &collide.WorldAt{World: floor()}
	at := hero{State: movement.Spawn(geom.V(0, 0.02, 0), 0)}
	m := session.Move{World: world, Duration: 7 * clock.Millisecond}
	walk := command{Command: movement.Command{Forward: 1}}
	for range 200 { // to full speed, on the floor
		c := walk
		g.Step(&m, &at, &c)
	}
	between := at
	c := walk
	g.Step(&m, &between, &c)
	m.Duration *= 2
	for _, s := range []struct {
		what          string
		first, second func(c *command)
		want          bool
	}{
		{"alike", func(*command) {}, func(*command) {}, true},
		{"the view turns a little", func(*command) {}, func(c *command) { c.Yaw = 0.001 }, true},
		{"the brake is pressed", func(*command) {}, func(c *command) { c.Brake = true }, false},
		{"the brake is held", func(c *command) { c.Brake = true }, func(c *command) { c.Brake = true }, true},
		{"a reload begins", func(c *command) { c.Reload = true }, func(c *command) { c.Reload = true }, false},
	} {
		first, second := walk, walk
		s.first(&first)
		s.second(&second)
		kept := first
		if got := g.Combine(&m, &at, &between, &first, &second); got != s.want || first != kept {
			t.Errorf("%s: got %v, first command changed: %v; want %v", s.what, got, first != kept, s.want)
		}
	}
	swinging, first, second := at, walk, walk
	swinging.Swing = clock.Second
	if g.Combine(&m, &swinging, &between, &first, &second) {
		t.Error("in a swing: got true, want false: each command covers a part of the arc")
	}
}

// A silent player's command releases everything but the view. [GAP-11]
func TestRestKeepsTheView(t *testing.T) {
	c := command{Command: movement.Command{Forward: 1, Yaw: 1, Pitch: 0.5, Jump: true}, Brake: true}
	newGame(nil).ReleaseHeld(&c)
	if want := (command{Command: movement.Command{Yaw: 1, Pitch: 0.5}}); c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
}

// What a game has set itself stays.
func TestFillLeavesTheGamesOwn(t *testing.T) {
	g := session.Game[hero, command]{Position: func(*hero) geom.Vec3 { return geom.V(1, 2, 3) }, Digest: func(*hero) uint16 { return 7 }}
	character.Fill(&g, &model)
	if g.Position(&hero{}) != geom.V(1, 2, 3) || g.Digest(&hero{}) != 7 || g.ClearInexact != nil || g.Step == nil {
		t.Error("Fill replaced what the game had set")
	}
}

// A table that no match can have is refused, and a server without one: only clients may do without.
func TestArmRefusesABadTable(t *testing.T) {
	for _, c := range []struct {
		weapons shot.Table
		want    string
	}{
		{shot.Table{{Name: "stick"}}, "character: Arm: weapons: shot: weapon 1, stick"},
		{nil, "session: a server needs the weapons of Game.Combat"},
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.HasPrefix(r, c.want) {
					t.Errorf("%v: got the panic %s, want %s", c.weapons, r, c.want)
				}
			}()
			session.NewServer(newGame(c.weapons), session.ServerConfig{World: floor(), NewKey: func() session.Key { return session.Key{1} }})
		}()
	}
}
