package session_test

import (
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
	if g.Disabled() != off || g.Confirmed() == g.Self() {
		t.Errorf("back with %+v off, want %+v as before", g.Disabled(), off)
	}
	if g.count(session.Welcomed) != 2 || g.count(session.Message) != 1 || len(g.events) <= read {
		t.Errorf("events %+v, want Welcomed twice and the message", g.events)
	}
}
