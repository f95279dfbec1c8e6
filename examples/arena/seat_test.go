package arena

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// E2E of a listen host: one player without any network, drawn at 144 frames a second,
// and two over 100 ms and 5 % loss walk through the arena for a minute, fight and die,
// each a bot that sees what its own end draws. No player is corrected but by a blast, none
// sees another jump, all shots are judged as they were seen, and the host draws others as
// well as any client (ENT-07, ENT-08, SRV-10, GAP-40, HIT-07). Bots bump into things: up to
// three drawn steps backwards a minute are true ones, with a host as without.
func TestAHostAndTwoClients(t *testing.T) {
	level := realLevel(t)
	s := newStage(t, level.World, spawnsOf(level)...)
	s.match.config.KillHeight = level.KillHeight
	mesh := meshOrEmpty(level.World, feetOf(spawnsOf(level))...)
	var bots [3]*Bot
	for i := range bots {
		bots[i] = NewBot(Veteran, uint64(i)+5)
		bots[i].Mesh = mesh
	}
	think := func(i int) func(*Player, clock.Micros) Input {
		return func(p *Player, now clock.Micros) Input { return bots[i].Think(p, now) }
	}
	line := mem.Network{RTT: 100 * time.Millisecond, Loss: .05}
	host := s.join(144, mem.Network{}, think(0))
	s.join(60, line, think(1))
	s.join(60, line, think(2))
	r := s.run(60 * clock.Second)
	for i, name := range r.Order {
		f, n := r.Players[name], s.players[i].Stats()
		t.Logf("player %d: %d corrections, placed %d times; others off by %.4f m p99, %d reversals, %d snaps, %.0f ms ago; %d shots as seen, %d not, %d hits",
			i+1, f.Corrections, f.Teleports, f.RemoteError.P99, f.Reversals, f.Snaps, f.ViewDelay.Mean*1e3, n.Agreed, n.Disagreed, n.Hits)
		if n.Moves.Corrections != 0 || f.Reversals > 3 || f.Snaps != 0 || f.RemoteError.P99 > .02 {
			t.Errorf("player %d: want no corrections and no snaps, at most 3 reversals, and others within 2 cm", i+1)
		}
		if n.Disagreed != 0 || n.Agreed < 10 {
			t.Errorf("player %d: %d shots as seen, %d not", i+1, n.Agreed, n.Disagreed)
		}
	}
	if own := host.Stats(); own.RTT > 2*clock.Millisecond || own.LossUp+own.LossDown != 0 {
		t.Errorf("the host: %+v", own)
	}
	for id := session.PlayerID(1); id <= 3; id++ {
		if s := host.Score(id); !s.Connected {
			t.Errorf("player %d on the host's scoreboard: %+v", id, s)
		}
	}
}

// 0 allocations a tick with two frames of a host's in it, in a match of bots.
func TestAHostsFramesDoNotAllocate(t *testing.T) {
	config := realMatch(realLevel(t)).config
	config.Peaceful = true
	c := NewBots(NewMatch(config), 4, Rookie)
	host := NewPlayer(session.ClientConfig{})
	host.Hello("host", session.Key{})
	peer := c.loop.Add(host)
	bot := NewBot(Rookie, 3)
	bot.Mesh = c.bots[0].bot.Mesh
	tick := int64(0)
	step := func() {
		tick++
		for _, before := range []clock.Micros{8000, 0} {
			now := clock.TickTime(tick, 60) - before
			host.Play(now, bot.Think(host, now))
			c.loop.Send(peer, c.endpoint, now)
			if host.Phase() == session.Loading {
				host.Enter(config.World)
			}
		}
		c.Tick(clock.TickTime(tick, 60))
		c.Outgoing()
	}
	for range 7200 { // rings grow as long as more may fly at once than ever
		step()
	}
	before := host.Stats().Agreed
	if n := testing.AllocsPerRun(600, step); n != 0 {
		t.Errorf("got %v allocations a tick, want 0", n)
	}
	if host.Stats().Agreed == before {
		t.Errorf("the host did not fire: the test does not see shots")
	}
}

// The host of a listen server is a player, and what joins after it in this process is a
// bot.
func TestTheHostIsNoBotOnTheScoreboard(t *testing.T) {
	config := realMatch(realLevel(t)).config
	config.LocalPlayers = 1
	match := NewMatch(config)
	var loop session.Loopback
	var peers []session.Peer
	for _, name := range []string{"host", "Ada"} {
		p := NewPlayer(session.ClientConfig{})
		p.Hello(name, session.Key{})
		peers = append(peers, loop.Add(p))
	}
	for tick := range int64(2) {
		now := clock.TickTime(tick+1, 60)
		for _, p := range peers {
			loop.Send(p, match, now)
		}
		match.Tick(now)
		loop.Deliver(now, match.Outgoing())
	}
	for id, bot := range []bool{false, true} {
		if s := match.Score(session.PlayerID(id + 1)); !s.Connected || s.Bot != bot {
			t.Errorf("player %d: got %+v, want a bot %v", id+1, s, bot)
		}
	}
}
