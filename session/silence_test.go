package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
)

// traffic returns what went between the server and a player.
func (r *simulation) traffic(id session.PlayerID) session.Traffic {
	for _, p := range r.m.Players(nil) {
		if p.ID == id {
			return p.Traffic
		}
	}
	return session.Traffic{}
}

// THR-39: of clients that only say hello, each is sent little, and its seat is free after 5 s: players who
// come then find seats. Before, each had its seat for as long as its connection lived, at full rate.
func TestClientsThatOnlySayHello(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 16})
	r.playing(4)
	for range 12 {
		r.join("Eve", session.Key{})
	}
	r.fate = func(f flight) []int {
		if f.up && f.peer > 4 && f.peer <= 16 { // the datagrams of those who say hello alone
			return nil
		}
		return []int{2}
	}
	r.run(5 * 60)
	sent := r.traffic(16)
	r.run(10)
	players := len(r.m.Players(nil))
	if players != 4 {
		t.Errorf("%d seats are taken after 5 s, want those of the 4 players", players)
	}
	if sent.DatagramsOut > 32+4*5 {
		t.Errorf("a silent client was sent %d datagrams in 5 s, want at most 32 and 4 a second", sent.DatagramsOut)
	}
	figures.Check(t, "sent", 0, "%d datagrams, %.1f kB, of the 300 that are due in 5 s", sent.DatagramsOut, float64(sent.BytesOut)/1e3)
	r.join("Ada", session.Key{})
	r.run(10)
	if got := r.clients[len(r.clients)-1].Phase(); got < session.Loading {
		t.Errorf("who joins then is in phase %d, want a seat", got)
	}
}

// THR-39, THR-28: a client that falls silent is sent snapshots as before for 5 s, and then four a second;
// when it speaks again it has the full rate at once. Its seat is kept.
func TestAClientThatFallsSilent(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(2)[0]
	rate := func(ticks int) uint64 {
		was := r.m.Players(nil)[0].Traffic.DatagramsOut
		r.run(ticks)
		return r.m.Players(nil)[0].Traffic.DatagramsOut - was
	}
	g.frozen = true
	if got := rate(4 * 60); got < 4*60 {
		t.Errorf("%d datagrams in the first 4 s of silence, want 60 a second", got)
	}
	r.run(2 * 60)
	if got := rate(10 * 60); got != 40 {
		t.Errorf("%d datagrams in 10 s of silence, want 4 a second", got)
	}
	if silence := r.m.Players(nil)[0].Silence; silence < 15*clock.Second || silence > 17*clock.Second {
		t.Errorf("silent for %d µs, want 16 s", silence)
	}
	g.frozen = false
	r.run(20)
	if stats := g.Stats(); stats.LossDown != 0 {
		t.Errorf("a third of a second after it spoke again got a loss of %.2f on the way down, want 0: nothing was lost", stats.LossDown)
	}
	if got := rate(60); got != 60 {
		t.Errorf("%d datagrams in the second after it spoke again, want 60", got)
	}
	r.agree()
}
