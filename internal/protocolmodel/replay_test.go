package protocolmodel_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	model "github.com/backstep-net/backstep/internal/protocolmodel"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// A game whose state shows each move: the position is the sum of them, and none commutes with another.
type state struct {
	Owner      uint8
	Moves, Sum uint32
}

type command struct{ Input uint8 }

func game(disturbed *[4]bool) session.Game[state, command] {
	return session.Game[state, command]{
		Step: func(_ *session.Move, s *state, c *command) {
			s.Moves++
			if s.Sum = s.Sum*31 + uint32(c.Input); disturbed != nil && disturbed[s.Owner] {
				s.Sum += 77
				disturbed[s.Owner] = false
			}
		},
		PackCommand: func(p *bits.Packer, c, _ *command) { p.Byte(&c.Input) },
		PackState:   func(p *bits.Packer, s *state) { p.Byte(&s.Owner); p.Uint32(&s.Moves); p.Uint32(&s.Sum) },
		Position:    func(s *state) geom.Vec3 { return geom.V(float64(s.Sum%1000), 0, 0) },
		Digest:      func(s *state) uint16 { return uint16(s.Sum ^ s.Sum>>16) },
		Pose:        func(*state) track.Sample { return track.Sample{} },
	}
}

// interval is the time of an action, and of a tick.
const interval = 5 * clock.Millisecond

// real is a server and three clients over a network that does as it is told.
type real struct {
	t         *testing.T
	server    *session.Server[state, command]
	world     *collide.World
	disturbed [4]bool
	now       clock.Micros
	players   [3]*end
}

// end is one player's end, with the model that must agree.
type end struct {
	id       session.PlayerID
	peer     session.Peer
	client   *session.Client[state, command]
	model    model.Player
	up, down [2][]byte // the datagrams in the model's slots
	// base is what was counted when both ends were at rest.
	base    counts
	carried uint32 // moves of earlier connections
	ran     uint32 // moves of this one, at the last tick
	// What the model has done since then: moves that the server ran, corrections begun and applied.
	ranHere        uint32
	begun, applied int
}

// counts is what can be seen of both ends.
type counts struct{ made, executed, acked, begun, applied, sent int }

func newReal(t *testing.T) *real {
	w := collide.Floor(9)
	r := &real{t: t, world: w, now: interval}
	n := byte(0)
	r.server = session.NewServer(game(&r.disturbed), session.ServerConfig{World: w, LevelHash: "level", TickRate: int(clock.Second / interval),
		Players: 3, NewKey: func() session.Key { n++; return session.Key{n} }})
	for i := range r.players {
		r.players[i] = &end{id: session.PlayerID(i + 1), peer: session.Peer(i + 1), client: session.NewClient(game(nil), session.ClientConfig{SendRate: 250})}
	}
	for _, p := range r.players {
		r.join(p)
	}
	return r
}

// local is a client's clock.
func (r *real) local() clock.Micros { return r.now + clock.Second }

// serve runs a tick and returns the datagram for a player; what the server sends others is lost, but for
// streams. Without a player, all receive theirs.
func (r *real) serve(of *end) (datagram []byte) {
	r.now += interval
	r.server.Tick(r.now)
	for _, e := range r.server.Events() {
		if e.Kind == session.Joined && !e.Reconnected {
			r.server.SetState(e.Player, state{Owner: uint8(e.Player)})
		}
	}
	r.server.Send()
	for _, out := range r.server.Outgoing() {
		for _, p := range r.players {
			if p == nil || p.peer != out.Peer {
				continue
			}
			b := append([]byte(nil), out.Bytes...)
			if out.Channel == session.Stream || of == nil {
				r.receive(p, out.Channel, b)
			} else if p == of {
				datagram = b
			}
		}
	}
	for _, p := range r.players {
		r.checkMoves(p)
	}
	return datagram
}

// checkMoves checks that each move that was run is in the state once, over all connections.
func (r *real) checkMoves(p *end) {
	truth, ok := r.server.State(p.id)
	if !ok {
		return
	}
	ran := r.info(p)
	n := uint32(ran.Executed + ran.GapFills + ran.ServerDriven)
	if n < p.ran {
		p.carried += p.ran
	}
	if p.ran = n; truth.Moves != p.carried+n {
		r.t.Fatalf("player %d: the state has %d moves, and %d were run", p.id, truth.Moves, p.carried+n)
	}
}

func (r *real) receive(p *end, ch session.Channel, b []byte) {
	if err := p.client.Receive(ch, r.local(), b); err != nil {
		r.t.Fatal(err)
	}
	for _, e := range p.client.Events() {
		if e.Kind == session.Welcomed {
			p.client.EnterWorld(r.world)
		}
	}
}

// frame makes a client's frame and returns its datagram.
func (r *real) frame(p *end) (datagram []byte) {
	r.now += interval
	p.client.Frame(r.local(), &command{uint8(r.now / interval * 7)})
	for _, out := range p.client.Outgoing() {
		if out.Channel == session.Datagram {
			datagram = append([]byte(nil), out.Bytes...)
		} else if err := r.server.Receive(p.peer, out.Channel, r.now, out.Bytes); err != nil {
			r.t.Fatal(err)
		}
	}
	return datagram
}

func (r *real) up(p *end, b []byte) {
	if b == nil {
		return
	}
	if err := r.server.Receive(p.peer, session.Datagram, r.now, b); err != nil {
		r.t.Fatal(err)
	}
}

// join lets a player have its seat, and plays until all are at rest.
func (r *real) join(p *end) {
	p.client.Hello(fmt.Sprint("player ", p.id), p.client.Key())
	for rounds := 0; p.client.Phase() != session.Playing; rounds++ {
		if r.round(); rounds > 2000 {
			r.t.Fatalf("player %d does not play: its phase is %d", p.id, p.client.Phase())
		}
	}
	r.settle(40)
}

// settle carries everything for so many rounds, without loss, and checks quiet agreement of all.
func (r *real) settle(rounds int) {
	for range rounds {
		r.round()
	}
	for _, p := range r.players {
		if p.client.Phase() == session.Playing {
			r.atRest(p)
		}
	}
}

// round carries everything once, without loss.
func (r *real) round() {
	for _, p := range r.players {
		r.up(p, r.frame(p))
	}
	r.serve(nil)
}

// atRest checks quiet agreement, and counts from here.
func (r *real) atRest(p *end) {
	p.model, p.up, p.down = model.Player{}, [2][]byte{}, [2][]byte{}
	p.base, p.ranHere, p.begun, p.applied = r.counts(p), 0, 0, 0
	truth, _ := r.server.State(p.id)
	if self := p.client.Self(); *self != truth {
		r.t.Fatalf("player %d at rest: the client has %v, the server %v\nserver %+v\nclient %+v", p.id, *self, truth, r.info(p), p.client.Stats().Moves)
	}
}

// counts returns what can be seen of both ends.
func (r *real) counts(p *end) counts {
	m, s := p.client.Stats().Moves, r.info(p)
	return counts{
		made: m.Made, executed: s.Executed, acked: m.Acked, begun: s.Corrections + s.Teleports + s.ServerForces + s.Timeouts + s.Throttles,
		applied: m.Corrections + m.Teleports + m.ServerForces + m.Timeouts + m.Throttles, sent: s.CorrectionsSent,
	}
}

func (r *real) info(p *end) predict.AuthorityCounters {
	for _, i := range r.server.Players(nil) {
		if i.ID == p.id {
			return i.Moves
		}
	}
	r.t.Fatalf("player %d has no seat", p.id)
	return predict.AuthorityCounters{}
}

// bounds are those of the paths that are replayed.
var bounds = model.Bounds{Unrun: 2, Unacked: 4, Behind: 3, Up: 2, Down: 2, Flight: 12}

// step carries out an action on the real ends, and lets the model follow.
func (r *real) step(p *end, a model.Action) {
	switch a.Kind {
	case model.Frame:
		keep(&p.up, r.frame(p), a.Lost)
	case model.DeliverUp:
		r.up(p, p.up[a.Slot])
	case model.Serve:
		b := r.serve(p)
		a = r.served(p, a.Lost)
		keep(&p.down, b, a.Lost)
		for _, q := range r.players { // whom the tick has served too, and the network has lost it
			if q != p {
				r.follow(q, r.served(q, true))
			}
		}
	case model.DeliverOwn:
		r.receive(p, session.Datagram, p.down[a.Slot])
	case model.Push:
		r.server.Modify(p.id, func(s *state) { s.Sum += 1000003 })
	case model.Disturb:
		r.disturbed[p.id] = true
	}
	switch {
	case a.Kind == model.DeliverUp && !a.Keep, a.Kind == model.Drop && !a.Keep:
		p.up[a.Slot] = nil
	case a.Kind == model.DeliverOwn && !a.Keep, a.Kind == model.Drop && a.Keep:
		p.down[a.Slot] = nil
	}
	r.follow(p, a)
}

// keep puts a datagram into the first free slot, as the model does.
func keep(slots *[2][]byte, b []byte, lost bool) {
	for i := range slots {
		if slots[i] == nil && !lost {
			slots[i] = b
			return
		}
	}
}

// served returns what the server has just done for a player: how many moves it ran, and whether it has
// repeated a correction, which it does by the clock.
func (r *real) served(p *end, lost bool) model.Action {
	now, was := r.counts(p), p.seen()
	a := model.Action{Kind: model.Serve, Lost: lost, Runs: now.executed - was.executed}
	probe := p.model
	probe.Down = [2]model.Downward{}
	probe, _, _ = probe.InPlace(model.Action{Kind: model.Serve, Runs: a.Runs}, &wide, model.Flaws{})
	a.Again = now.sent > p.base.sent && !probe.Down[0].Correction
	p.base.sent = now.sent
	return a
}

// seen returns the counts that the model has come to.
func (p *end) seen() counts {
	c := p.base
	c.executed += int(p.ranHere)
	return c
}

// wide are bounds for what the server does.
var wide = model.Bounds{Unrun: 3, Unacked: 99, Behind: 99, Up: 2, Down: 2}

// follow takes the model's step, and compares what can be seen.
func (r *real) follow(p *end, a model.Action) {
	before := p.model
	next, ok, broken := before.InPlace(a, &wide, model.Flaws{})
	if !ok || broken != "" {
		r.t.Fatalf("player %d: the model cannot follow: %v %q\nfrom %+v\nserver %+v\nclient %+v", p.id, a, broken, before, r.info(p), p.client.Stats().Moves)
	}
	p.model = next
	switch a.Kind {
	case model.Serve:
		p.ranHere += uint32(a.Runs)
		p.begun += int(next.Behind) - int(before.Behind)
	case model.Push:
		p.begun++
	case model.Frame:
		if before.Fix.Sent {
			p.applied++
		}
	}
	c, b := r.counts(p), p.base
	made, executed, acked := c.made-b.made, c.executed-b.executed, c.acked-b.acked
	got := [4]int{made - executed, executed - acked, c.begun - b.begun, c.applied - b.applied}
	want := [4]int{int(next.Newest), int(next.Unacked), p.begun, p.applied}
	truth, _ := r.server.State(p.id)
	if got != want || made == executed && (*p.client.Self() == truth) == next.Stale {
		r.t.Fatalf("player %d after %v:\n got %v (not run, not acknowledged, corrections begun and applied), client %v, server %v\nwant %v of %+v\nfrom %+v",
			p.id, a, got, *p.client.Self(), truth, want, next, before)
	}
}

// Random paths of the model, of three players, drive the real server and clients: after each step what can
// be seen of both is what the model says, and in the end all agree. Connections end and are resumed on the way.
func TestTracesAgainstTheRealCode(t *testing.T) {
	const seed, paths, length = 17, 400, 24
	w := rand.New(rand.NewPCG(seed, 0))
	r := newReal(t)
	steps, kinds := 0, map[model.Kind]int{}
	for range paths {
		for range length {
			p := r.players[w.IntN(3)]
			list := p.model.Actions()
			a := list[w.IntN(len(list))]
			if _, ok, _ := p.model.InPlace(a, &bounds, model.Flaws{}); a.Kind == model.Lose || !ok && a.Kind != model.Serve {
				continue
			}
			if a.Kind == model.Serve && p.down[0] != nil && p.down[1] != nil {
				a.Lost = true
			}
			r.step(p, a)
			kinds[a.Kind]++
			steps++
		}
		if w.IntN(4) == 0 { // the connection ends with all that is under way
			p := r.players[w.IntN(3)]
			p.client.Reset()
			p.peer += 3
			kinds[model.Lose]++
			r.join(p)
		} else {
			r.settle(12)
		}
	}
	t.Logf("seed %d: %d paths, %d steps: %v", seed, paths, steps, kinds)
	for k := model.Frame; k <= model.Drop; k++ {
		if k != model.Join && kinds[k] == 0 {
			t.Errorf("no step is a %v", model.Action{Kind: k})
		}
	}
}
