package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// notes is what a watcher saw.
type notes struct {
	moves  map[session.PlayerID][]session.MoveStep
	judged []shot.Receipt
	poses  [][]track.Entity
}

func (n *notes) ObserveMove(m *session.MoveStep) { n.moves[m.Player] = append(n.moves[m.Player], *m) }

func (n *notes) ObserveShot(_ *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	n.judged = append(n.judged, *r)
	n.poses = append(n.poses, append([]track.Entity{}, targets...))
}

// A watcher sees every command once and in order, and for each shot the very poses
// that its shooter's screen showed (HIS-08, GAP-44), be those from every tick or from
// each sixth and keyframes. [ENT-04, GAP-60]
func TestObserverSeesMovesAndShots(t *testing.T) {
	for _, rate := range []int{60, 10} {
		seesMovesAndShots(t, rate)
	}
}

func seesMovesAndShots(t *testing.T, rate int) {
	r := newSimulation(t, session.ServerConfig{SnapshotRate: rate})
	two := r.playing(2)
	n := &notes{moves: map[session.PlayerID][]session.MoveStep{}}
	r.m.Observe(n)
	steps, kinks := 0, 0
	two[1].input = func(*testClient) toyCommand {
		steps++
		kinks += two[0].KeyframeCount()
		return hold(steps/17%2*2-1, steps/11%2)
	}
	var claims []combat.ClientShot
	frame := 0
	two[0].input = func(g *testClient) toyCommand {
		if c, ok := g.LastShot(); ok { // of the frame before
			kept := *c
			kept.Targets = append([]track.Entity{}, c.Targets...)
			claims = append(claims, kept)
		}
		c := toyCommand{X: 1, Z: 1}
		if frame++; frame%20 == 0 {
			c.Shot = aimAt(g.Eye(), g.Remotes()[0].Position.Add(geom.V(0, 1, 0)))
			g.Aim(&c.Shot)
		}
		return c
	}
	r.run(200)
	for id, moves := range n.moves {
		if len(moves) < 190 {
			t.Errorf("player %d: %d moves seen", id, len(moves))
		}
		for i, m := range moves {
			if i > 0 && (m.Number != moves[i-1].Number+1 || m.GapFill || m.Pose.At <= moves[i-1].Pose.At || m.Duration <= 0) {
				t.Fatalf("player %d: %+v after %+v", id, m, moves[i-1])
			}
		}
	}
	if len(n.judged) < 8 || len(claims) < len(n.judged) {
		t.Fatalf("%d verdicts on %d claims", len(n.judged), len(claims))
	}
	for i, v := range n.judged {
		c := claims[i]
		if c.Number != v.Shot || c.Outcome.HitTarget != v.Outcome.HitTarget || c.Claim.SeenHit != c.Outcome.HitTarget {
			t.Errorf("claim %+v, verdict %+v", c, v)
		}
		drawn := c.Targets
		for k, e := range drawn { // the client's own player is no target of its own
			if e.ID == 1 {
				drawn = append(drawn[:k:k], drawn[k+1:]...)
			}
		}
		if len(drawn) != 1 || len(n.poses[i]) != 1 || drawn[0] != n.poses[i][0] {
			t.Errorf("shot %d: drawn %+v, rebuilt %+v", i, drawn, n.poses[i])
		}
	}
	if (kinks > 0) != (rate < 60) {
		t.Errorf("%d kinks at %d snapshots a second", kinks, rate)
	}
}

// RMS-20, and what it costs: samples of a player that stands or runs straight, ten a second,
// carry no keyframes; those of a player that turns do.
func TestKeyframesOfTurningPlayers(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{SnapshotRate: 10})
	two := r.playing(2)
	way := hold(0, 0)
	two[1].input = func(*testClient) toyCommand { return way }
	for _, c := range []struct {
		name   string
		way    toyCommand
		settle int
		kinks  bool
	}{
		{"stands", hold(0, 0), 60, false}, {"sets out", hold(1, 0), 0, true}, {"runs on", hold(1, 0), 60, false},
		{"turns back", hold(-1, 0), 0, true}, {"runs back", hold(-1, 0), 60, false},
	} {
		way = c.way
		r.run(c.settle)
		kinks := 0
		for range 60 {
			r.run(1)
			kinks += two[0].KeyframeCount()
		}
		if (kinks > 0) != c.kinks {
			t.Errorf("a player that %s: %d kinks in a second, want some: %v", c.name, kinks, c.kinks)
		}
	}
}

// Of 60 ticks a second 20 are sent: others are drawn later and still right, shots
// agree, and a view of a tick that was not sent is refused.
func TestSnapshotRate(t *testing.T) {
	for _, rate := range []int{20, 25, 59} {
		r := newSimulation(t, session.ServerConfig{SnapshotRate: rate})
		two := r.playing(2)
		two[1].input = func(*testClient) toyCommand { return hold(1, 0) }
		frame := 0
		two[0].input = func(g *testClient) toyCommand {
			c := toyCommand{X: 1, Z: 1}
			if frame++; frame%10 == 0 {
				c.Shot = shot.Claim{Yaw: 1}
				g.Aim(&c.Shot)
			}
			return c
		}
		sent := 0
		r.seen = func(f flight) {
			if !f.up && f.peer == 1 && f.ch == session.Datagram {
				sent++
			}
		}
		r.run(300)
		if sent < 5*rate-2 || sent > 5*rate+2 {
			t.Errorf("%d Hz: %d datagrams in 5 s", rate, sent)
		}
		s := two[0].Stats()
		if s.Agreed < 20 || s.Disagreed != 0 || s.Moves.Corrections != 0 || s.Bad != 0 {
			t.Errorf("%d Hz: %+v", rate, s)
		}
		if faults := r.m.Players(nil)[0].Traffic.Bad; faults != 0 {
			t.Errorf("%d Hz: the server refused %d datagrams", rate, faults)
		}
		for _, e := range two[0].Remotes() {
			if truth, _ := r.m.State(e.ID); e.ID == 2 && truth.Pos.Dist(e.Position) > 6*0.2 {
				t.Errorf("%d Hz: drawn at %v, now at %v", rate, e.Position, truth.Pos)
			}
		}
	}
}

// What something in the world does to a player is no placement and no mistake: the
// owner gets it at once, once.
func TestModifiedStatesAreCorrected(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(1)[0]
	placed := g.count(session.Teleported)
	r.m.Modify(1, func(s *toyState) { s.Pos.X += 0.4 })
	r.m.Modify(2, func(s *toyState) { t.Error("no player is modified") })
	r.run(60)
	s := g.Stats().Moves
	if s.ServerForces != 1 || s.Corrections != 0 || g.count(session.Teleported) != placed {
		t.Errorf("%d alterations, %d corrections, %d placements more", s.ServerForces, s.Corrections, g.count(session.Teleported)-placed)
	}
	if d := g.LastCorrection(); !d.Known || d.Distance < 0.39 || d.Distance > 0.41 || d.Cause != predict.ServerForce {
		t.Errorf("%+v", d)
	}
	if truth, _ := r.m.State(1); g.Position() != truth.Pos {
		t.Errorf("at %v, truly at %v", g.Position(), truth.Pos)
	}
}

// Equal matches hash alike, others do not.
func TestHash(t *testing.T) {
	hash := func(x int) uint64 {
		r := newSimulation(t, session.ServerConfig{})
		g := r.playing(2)[0]
		g.input = func(*testClient) toyCommand { return hold(x, 0) }
		r.run(30)
		return r.m.Hash()
	}
	if a, b, c := hash(1), hash(1), hash(-1); a != b || a == c {
		t.Errorf("%x, again %x, elsewhere %x", a, b, c)
	}
	if empty := newSimulation(t, session.ServerConfig{}); empty.m.Hash() != 0xcbf29ce484222325 {
		t.Errorf("no players: %x", empty.m.Hash())
	}
}

// A client may claim any duration; next to nothing moves in a grain of 40 µs, and the
// view
// goes on.
func TestHeldStill(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	held := true
	world := plane(t)
	c := session.NewClient(gameOf[toyState, toyCommand](newToy()), session.ClientConfig{Lasted: func(frame clock.Micros) clock.Micros {
		if held {
			return min(frame, predict.TimeQuantum)
		}
		return frame
	}})
	g := r.connect()
	g.toyClient, g.world = c, world
	c.Hello("held", session.Key{})
	g.input = func(*testClient) toyCommand { return hold(1, 0) }
	r.run(60)
	if c.Phase() != session.Playing {
		t.Fatalf("phase %d", c.Phase())
	}
	begin := c.Position()
	n := c.Newest()
	r.run(60)
	if d := c.Position().Dist(begin); d > 0.02 || c.Newest() < n+55 {
		t.Errorf("moved %v m in %d commands", d, c.Newest()-n)
	}
	held = false
	r.run(60)
	if d := c.Position().Dist(begin); d < 5 || c.Stats().Moves.Corrections != 0 {
		t.Errorf("moved %v m afterwards, %d corrections", d, c.Stats().Moves.Corrections)
	}
}
