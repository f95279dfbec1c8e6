package arena

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/movement/rootmotion"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

// heldItem is something that a player holds down.
type heldItem struct {
	what    string
	in      Input
	ability uint8
	// acts is how many datagrams at most are sent for what it does besides its press: a
	// strike, a landing. Others are to know of that soon (SND-01).
	acts int
}

// heldDown is all that the arena lets a player hold.
var heldDown = []heldItem{
	{"nothing", Input{}, 0, 2},
	{"dash", Input{Dash: true}, 0, 2},
	{"hook", Input{Hook: true}, 0, 4},
	{"shield", Input{Shield: true}, 0, 2},
	{"sights", Input{Aim: true}, 0, 2},
	{"reload", Input{Reload: true}, 0, 2},
	{"rifle", Input{Fire: true}, 0, 2},
	{"shotgun", Input{Fire: true, Select: 2}, 0, 2},
	{"rocket", Input{Fire: true, Select: 3}, 0, 2},
	{"grenade", Input{Fire: true, Select: 4}, 0, 2},
	{"sword", Input{Fire: true, Select: 5}, 0, 20},
	{"jump", Input{Jump: true}, 0, 4},
	{"crouch", Input{Crouch: true}, 0, 4},
	{"an ability of root motion", Input{}, 1, 2},
}

// SND-08: whatever is held for 10 s, at any frame rate, even or not, while the player walks
// and looks about: no correction without loss, no datagram above the send rate but for its
// press and what it does, and no more moves than 250 a second and one a datagram.
func TestHeldIsNotPressedInTheArena(t *testing.T) {
	world := yard(t)
	frames := [][]float64{{20}, {30}, {60}, {144}, {240}, {500}, {750}, {1000}, {2000}, {1000, 30, 144}}
	for _, h := range heldDown {
		up := 0.0 // at 144 frames a second
		for _, f := range frames {
			r := heldFor10s(t, world, h, f)
			moves, bad := r.Moves.Made, r.Corrections-r.ServerForces
			t.Logf("%s, %v frames a second: %.1f packets/s, %.0f bytes/s, %d moves, %d corrections", h.what, f, r.Packets, r.Up, moves, bad)
			if bad != 0 || r.Moves.Rejected != 0 {
				t.Errorf("%s, %v frames a second: %d corrections, %d moves refused, want none", h.what, f, bad, r.Moves.Rejected)
			}
			if most := 60/0.996 + float64(1+h.acts)/10; r.Packets > most {
				t.Errorf("%s, %v frames a second: %.1f packets/s, want %.1f at most", h.what, f, r.Packets, most)
			}
			if moves > 10*310 {
				t.Errorf("%s, %v frames a second: %d moves in 10 s, want 3,100 at most", h.what, f, moves)
			}
			if f[0] == 144 {
				up = r.Up
			} else if up != 0 && r.Up > 2.5*up {
				t.Errorf("%s, %v frames a second: %.0f bytes/s, at 144 frames %.0f", h.what, f, r.Up, up)
			}
		}
	}
}

// heldFor10s plays a client that holds a button down.
func heldFor10s(t *testing.T, world *collide.World, h heldItem, frames []float64) *lab.Figures {
	t.Helper()
	s := newStage(t, world, Spawn{Position: geom.V(0, .021, 4)})
	abilities := []rootmotion.Source{rootmotion.Constant(geom.V(3, 0, 0), 200*clock.Millisecond)}
	game := NewGame()
	game.Abilities, s.match.game.Abilities = abilities, abilities
	p := NewPlayerOf(game, session.ClientConfig{})
	p.Tamper = func(c *Command) { c.Ability = h.ability }
	p.Hello("tester", session.Key{})
	s.add(p, lab.Player{Frames: frames, Network: mem.Network{RTT: 40 * time.Millisecond}}, func(_ *Player, now clock.Micros) Input {
		in := h.in
		in.Forward, in.Yaw = 1, geom.WrapAngle(now.Seconds()/2)
		return in
	})
	return s.run(10 * clock.Second).Players["0"]
}

// swings is a watcher that adds up how much of each swing was judged.
type swings struct {
	session.Observer
	of      map[uint8]float64
	upTo    map[uint8]float64
	refused int
	gaps    int
}

func (s *swings) ObserveShot(asked *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	u := &asked.Result
	if r.Verdict == shot.Refused {
		s.refused++
	}
	if u.From > s.upTo[u.Swing] {
		s.gaps++
	}
	s.of[u.Swing] += u.To - u.From
	s.upTo[u.Swing] = u.To
	s.Observer.ObserveShot(asked, r, targets)
}

// swinging is a match that counts swings.
type swinging struct {
	*Match
	swings *swings
}

func (s swinging) Observe(w session.Observer) {
	s.swings.Observer = w
	s.Match.Observe(s.swings)
}

// SND-09: a blade of a client of a fixed tick cuts through the whole of its arc, whether
// frames come faster or slower than ticks: each command claims its part, and none is refused.
func TestFixedTicksSwingThroughTheWholeArc(t *testing.T) {
	world := yard(t)
	for _, tick := range []int{0, 20, 30, 60, 128} {
		for _, fps := range []float64{10, 17, 37, 60, 144, 1000} {
			s := newStage(t, world, Spawn{Position: geom.V(0, .021, 4)})
			seen := &swings{of: map[uint8]float64{}, upTo: map[uint8]float64{}}
			s.exp.Server = swinging{s.match, seen}
			p := NewPlayer(session.ClientConfig{Tick: tick})
			p.Hello("tester", session.Key{})
			s.add(p, lab.Player{Frames: []float64{fps}, Network: mem.Network{RTT: 40 * time.Millisecond}}, func(p *Player, now clock.Micros) Input {
				return Input{Forward: 1, Yaw: geom.WrapAngle(now.Seconds()), Select: 5, Fire: true}
			})
			s.run(10 * clock.Second)
			whole := 0
			for _, share := range seen.of {
				if share > 1-1e-9 && share < 1+1e-9 {
					whole++
				}
			}
			t.Logf("%d ticks, %v frames: %d swings, %d of them whole, %d claims refused", tick, fps, len(seen.of), whole, seen.refused)
			if whole < len(seen.of)-2 || whole < 8 || seen.refused != 0 || seen.gaps != 0 { // the first and last may be cut off
				t.Errorf("%d ticks, %v frames: %d swings, %d of them whole, %d gaps, %d claims refused", tick, fps, len(seen.of), whole, seen.gaps, seen.refused)
			}
		}
	}
}
