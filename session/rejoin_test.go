package session_test

import (
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

// A client whose connection was lost begins again in place: it has its seat, its key, its input delay, what its
// player has switched off and the events that it had not read, and plays on from where the server has it. [THR-08]
func TestRejoiningInPlace(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 2})
	g := r.playing(1)[0]
	g.input = func(*testClient) toyCommand { return hold(1, 0) }
	g.SetInputDelay(40 * clock.Millisecond)
	off := session.Disabled{Prediction: true, Interpolation: true, LagCompensation: true}
	g.Disable(off)
	r.run(60)
	id, key, format := g.ID(), g.Key(), g.Format()
	if format != r.m.Format() || g.LevelHash() != "level" || g.Refusal() != "" {
		t.Errorf("format %x, level %q, refusal %q; want %x, level, none", format, g.LevelHash(), g.Refusal(), r.m.Format())
	}
	r.m.SendMessage(id, []byte("last words"))
	r.run(10)
	read := len(g.events)
	r.disconnect(g)
	r.run(30)
	g.Reset()
	g.Hello("Ada", g.Key()) // over a connection that is lost before there is an answer
	g.Outgoing()
	r.peers++
	g.peer, g.gone = r.peers, false
	g.Reset()
	g.Hello("Ada", g.Key())
	if g.Phase() != session.Outside || g.Self() != nil || g.LevelHash() != "" || g.Key() != key {
		t.Errorf("after Reset: phase %d, self %v, level %q", g.Phase(), g.Self(), g.LevelHash())
	}
	r.run(60)
	s, _ := r.m.State(id)
	if g.Phase() != session.Playing || g.ID() != id || g.Key() != key || g.Self().Pos.Dist(s.Pos) > 1 {
		t.Errorf("back: phase %d, id %d, at %v; server at %v", g.Phase(), g.ID(), g.Self(), s.Pos)
	}
	if delay := r.m.Players(nil)[0].Delay; delay != 40*clock.Millisecond {
		t.Errorf("back with an input delay of %d µs, want 40,000", delay)
	}
	if g.Disabled() != off || g.AcknowledgedState() == g.Self() {
		t.Errorf("back with %+v off, want %+v as before", g.Disabled(), off)
	}
	if g.count(session.Welcomed) != 2 || g.count(session.Message) != 1 || len(g.events) <= read {
		t.Errorf("events %+v, want Welcomed twice and the message", g.events)
	}
}

// A connection is lost before the game has read that it was welcomed, as in a hidden page: of the new connection it is
// told once, when it may enter the level. What else it had not read stays. [THR-08]
func TestAWelcomeOfALostConnectionIsForgotten(t *testing.T) {
	m := newMatch(t, session.ServerConfig{Players: 1})
	c := session.NewClient(gameOf[toyState, toyCommand](newToy()), session.ClientConfig{})
	exchange := func(peer session.Peer, tick int64) {
		now := clock.TickTime(tick, 60)
		for _, p := range c.Outgoing() {
			if err := m.Receive(peer, p.Channel, now, p.Bytes); err != nil {
				t.Fatal(err)
			}
		}
		m.Tick(now)
		for _, p := range m.Outgoing() {
			if p.Peer == peer {
				_ = c.Receive(p.Channel, now, p.Bytes)
			}
		}
	}
	c.Hello("Ada", session.Key{})
	exchange(1, 1)
	m.SendMessage(1, []byte("read me"))
	exchange(1, 2)
	m.Disconnect(1)
	c.Reset()
	var kinds []session.EventKind
	read := func() {
		for _, e := range c.Events() {
			if kinds = append(kinds, e.Kind); e.Kind == session.Welcomed {
				c.EnterWorld(plane(t))
			}
		}
	}
	read()
	c.Hello("Ada", c.Key())
	exchange(2, 3)
	read()
	if want := []session.EventKind{session.Message, session.Welcomed}; !slices.Equal(kinds, want) || c.Phase() != session.Syncing {
		t.Errorf("got the events %v in phase %d, want %v", kinds, c.Phase(), want)
	}
}
