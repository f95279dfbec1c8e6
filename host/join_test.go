package host_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/session"
)

var transportNames = []string{"quic", "webtransport", "websocket"}

func TestEveryTransportJoinsOneMatch(t *testing.T) {
	s := open(t, seat("arena", newMatch(8)))
	for _, via := range transportNames {
		s.join(via, "", via, session.Key{})
	}
	for i, c := range s.clients {
		s.until(fmt.Sprintf("%s sees two others", transportNames[i]), func() bool { return len(c.Remotes()) == 2 })
		for _, name := range transportNames {
			s.until(fmt.Sprintf("%s has %s on its scoreboard", transportNames[i], name), func() bool { return knows(c, name) })
		}
	}
	s.until("the status knows all three", func() bool {
		m := s.status().Matches[0]
		return len(m.Players) == 3 && m.Transports["quic"] == 1 && m.Transports["webtransport"] == 1 && m.Transports["websocket"] == 1
	})
}

// knows reports whether a name is on a client's scoreboard.
func knows(c *client, name string) bool {
	for id := range c.MaxPlayerID() + 1 {
		if s := c.Score(id); s.Connected && s.Name == name {
			return true
		}
	}
	return false
}

func TestMatchesAreFoundByName(t *testing.T) {
	s := open(t, seat("first", newMatch(4)), seat("second", newMatch(4)))
	anywhere := s.join("quic", "", "anywhere", session.Key{})
	first := s.join("quic", "first", "first", session.Key{})
	second := s.join("websocket", "second", "second", session.Key{})
	s.until("those in the first match see each other", func() bool {
		return len(anywhere.Remotes()) == 1 && len(first.Remotes()) == 1
	})
	if n := len(second.Remotes()); n != 0 || knows(second, "first") || knows(first, "second") {
		t.Errorf("the second match's only player sees %d others; the matches know each other's players", n)
	}
}

func TestARefusalReachesTheClient(t *testing.T) {
	s := open(t, seat("arena", newMatch(1)))
	s.join("quic", "", "the only one", session.Key{})
	for _, via := range transportNames {
		for _, c := range []struct{ name, match, want string }{
			{"unknown match", "nowhere", `host: no match "nowhere" here`},
			{"full match", "arena", "session: the match is full"},
		} {
			t.Run(via+", "+c.name, func(t *testing.T) {
				late := s.hello(via, c.match, "late", session.Key{})
				s.until("the end of the connection", late.conn.Closed)
				if got := reason(late.conn); got != c.want {
					t.Errorf("closed with %q, want %q", got, c.want)
				}
				late.frame() // what came just before the end
				late.frame()
				if c.match == "arena" && late.refused != c.want {
					t.Errorf("the session was refused with %q, want %q", late.refused, c.want)
				}
			})
		}
	}
}

func TestAnotherProtocolVersionIsRefused(t *testing.T) {
	s := open(t, seat("arena", newMatch(4)))
	for _, c := range []struct {
		name  string
		spoil func(hello []byte) []byte
		want  string
	}{
		{"a later version", func(b []byte) []byte { b[5]++; return b }, fmt.Sprintf("session: this server speaks version %d of the protocol", session.Version)},
		{"another protocol", func(b []byte) []byte { b[1]++; return b }, "session: not a Backstep client"},
		{"half a hello", func(b []byte) []byte { return b[:9] }, "bits: "},
		{"no hello first", func([]byte) []byte { return []byte{5} }, "session: no hello yet"},
	} {
		for _, via := range transportNames {
			t.Run(via+", "+c.name, func(t *testing.T) {
				conn := s.dial(via)
				if err := conn.Stream(c.spoil(helloBytes(""))); err != nil {
					t.Fatal(err)
				}
				s.until("the end of the connection", conn.Closed)
				if got := reason(conn); !strings.HasPrefix(got, c.want) {
					t.Errorf("closed with %q, want %q", got, c.want)
				}
			})
		}
	}
	if n := len(s.status().Matches[0].Players); n != 0 {
		t.Errorf("%d players have a seat, want none", n)
	}
}

// helloBytes is a client's first message.
func helloBytes(match string) []byte {
	c := session.NewClient[hero, command](newGame().Rules(), session.ClientConfig{})
	c.SetMatch(match)
	c.Hello("stranger", session.Key{})
	return append([]byte(nil), c.Outgoing()[0].Bytes...)
}

// A player whose connection was lost reconnects with its key and keeps its identity.
func TestAPlayerReturnsWithItsKey(t *testing.T) {
	s := open(t, seat("arena", newMatch(4)))
	witness := s.join("quic", "", "witness", session.Key{})
	lost := s.join("quic", "", "lost", session.Key{})
	id, key := lost.ID(), lost.Key()
	lost.input = walkOn
	start := lost.Self().Position
	s.until("it has walked two metres", func() bool { return lost.Self().Position.Dist(start) > 2 })
	lost.input = stand
	s.until("it stands", func() bool { return lost.Self().Velocity.Len() == 0 })
	lost.conn.Close("the cable is cut")
	s.until("its seat waits", func() bool {
		m := s.status().Matches[0]
		return len(m.Players) == 2 && !m.Players[1].Connected
	})

	back := s.join("websocket", "", "lost", key)
	if back.ID() != id || back.Key() != key {
		t.Errorf("back as %d with key %x, want %d with %x", back.ID(), back.Key(), id, key)
	}
	if d := back.Self().Position.Dist(lost.Self().Position); d > 0.05 {
		t.Errorf("back %.2f m from where it was", d)
	}
	s.until("its score is known again", func() bool { return knows(back, "lost") && knows(back, "witness") })
	if n := len(s.status().Matches[0].Players); n != 2 {
		t.Errorf("%d seats are taken, want 2", n)
	}
	s.until("the witness sees it", func() bool { return len(witness.Remotes()) == 1 })
}

// THR-08: the ghost of an old connection does not keep its player out.
func TestASecondConnectionTakesOver(t *testing.T) {
	s := open(t, seat("arena", newMatch(1))) // the only seat
	ghost := s.join("quic", "", "me", session.Key{})
	again := s.join("webtransport", "", "me", ghost.Key())
	if again.ID() != ghost.ID() {
		t.Errorf("the second connection is player %d, want %d", again.ID(), ghost.ID())
	}
	s.until("the old connection is closed", ghost.conn.Closed)
	if got, want := reason(ghost.conn), "session: you joined from elsewhere"; got != want {
		t.Errorf("closed with %q, want %q", got, want)
	}
	s.until("only the new one is left", func() bool {
		m := s.status().Matches[0]
		return m.Connections == 1 && m.Transports["webtransport"] == 1 && len(m.Players) == 1 && m.Players[0].Connected
	})
	if again.conn.Closed() {
		t.Errorf("the new one ended: %v", again.conn.Err())
	}
}
