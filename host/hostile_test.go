package host_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
)

type (
	hero    = arena.Hero
	command = arena.Command
)

func newGame() *arena.Game { return arena.NewGame() }

var (
	stand  = arena.Input{}
	walkOn = arena.Input{Forward: 1}
)

// THR-04: fifty that never say hello.
func TestConnectionsWithoutAHelloJoinNoMatch(t *testing.T) {
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(2))}, Hello: 2 * time.Second})
	var by []string
	for i := range 50 {
		by = append(by, transportNames[i%len(transportNames)])
	}
	silent, errs := s.dialAll(by...)
	s.join("quic", "", "honest", session.Key{})
	s.until("the status has it", func() bool { return len(s.status().Matches[0].Players) == 1 })
	if n := s.status().Matches[0].Connections; n != 1 {
		t.Errorf("the match has %d connections, want 1", n)
	}
	const why = "no hello in time"
	for i, conn := range silent {
		if errs[i] != nil { // on a busy machine the end comes before the handshake's
			if !strings.Contains(errs[i].Error(), why) {
				t.Error(errs[i])
			}
			continue
		}
		s.until("the silent are closed", conn.Closed)
		if got := reason(conn); got != why {
			t.Errorf("%s: closed with %q", by[i], got)
		}
	}
}

// chatty is a match that broadcasts a long message each tick.
type chatty struct{ *arena.Match }

func (c *chatty) Tick(now clock.Micros) {
	c.Broadcast(make([]byte, session.MaxMessage))
	c.Match.Tick(now)
}

// THR-11 and THR-12: a client that takes a seat and never reads. The
// ticks go on for the others, and when its queue is full it is out.
func TestAClientThatNeverReadsDelaysNobody(t *testing.T) {
	s := open(t, seat("arena", &chatty{newMatch(4)}))
	reader := s.join("quic", "", "reader", session.Key{})
	deaf := deafSocket(t, s.host.Addr().String())
	if _, err := deaf.Write(masked(append([]byte{byte(transport.Stream)}, helloBytes("")...))); err != nil {
		t.Fatal(err)
	}
	s.until("the reader sees it", func() bool { return knows(reader, "stranger") })
	from := reader.Stats().Tick
	s.until("its connection is given up", func() bool {
		return strings.Contains(s.log.String(), transport.ErrFull.Error())
	})
	s.until("two seconds of ticks", func() bool { return reader.Stats().Tick > from+120 })
	s.until("the match holds one connection", func() bool { return s.status().Matches[0].Connections == 1 })
	if reader.conn.Closed() {
		t.Errorf("the reader is out: %v", reader.conn.Err())
	}
	m := s.status().Matches[0]
	t.Logf("tick p50 %.2f ms, p99 %.2f ms, worst %.2f ms, missed %d", m.TickP50, m.TickP99, m.TickMax, m.Missed)
}

// deafSocket is a WebSocket that reads no more than its handshake.
func deafSocket(t *testing.T, addr string, headers ...string) net.Conn {
	t.Helper()
	return deafSocketFrom(t, "127.0.0.1", addr, headers...)
}

// deafSocketFrom is one from an address of this machine.
func deafSocketFrom(t *testing.T, from, addr string, headers ...string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.(*net.TCPConn).SetReadBuffer(16 << 10)
	fmt.Fprintf(conn, "GET /ws HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n", addr,
		strings.Join(append(headers, ""), "\r\n"))
	r := bufio.NewReader(conn)
	for line := ""; line != "\r\n"; {
		if line, err = r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

// masked is a binary WebSocket frame of at most 125 bytes, its mask all zeros.
func masked(b []byte) []byte {
	return append([]byte{0x82, 0x80 | byte(len(b)), 0, 0, 0, 0}, b...)
}

// Forty connections of one address that only say hello have 12 of 30 seats, and a player of another
// address has one of those left. [THR-35]
func TestOneAddressDoesNotTakeAllSeats(t *testing.T) {
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(30))}, Limits: host.Limits{Loopback: true}})
	if runtime.GOOS != "linux" {
		t.Skip("127.0.0.2 is an address of this machine on Linux alone")
	}
	hello := masked(append([]byte{byte(transport.Stream)}, helloBytes("")...))
	for range 40 {
		if _, err := deafSocketFrom(t, "127.0.0.2", s.host.Addr().String()).Write(hello); err != nil {
			t.Fatal(err)
		}
	}
	s.until("28 are refused", func() bool { return strings.Count(s.log.String(), "too many players from your address") >= 6 })
	s.join("quic", "", "honest", session.Key{})
	s.until("12 and the honest one play", func() bool { return len(s.status().Matches[0].Players) == 13 })
}

// A client that was thrown out for what it sent is not back by its key, ten times of ten, and is told when it
// may try again. [THR-34]
func TestAClientThatWasThrownOutIsNotBackAtOnce(t *testing.T) {
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(4))}, Limits: host.Limits{Loopback: true, Pause: time.Minute}})
	cheat := s.join("quic", "", "cheat", session.Key{})
	_ = cheat.conn.Stream([]byte{200})
	s.until("it is thrown out", cheat.conn.Closed)
	for i := range 10 {
		again := s.hello("quic", "", "cheat", cheat.Key())
		s.until("it is refused", again.conn.Closed)
		if got := reason(again.conn); !strings.Contains(got, "was kicked: try again in") {
			t.Errorf("try %d: closed with %q, want how long to wait", i, got)
		}
	}
	s.until("its seat is free", func() bool { return len(s.status().Matches[0].Players) == 0 })
	for _, want := range []string{"msg=joined", "name=cheat", "player=1"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log does not say who joined from where: %q is missing", want)
		}
	}
}

// fragile is a match that panics when a player sends it a message.
type fragile struct{ *arena.Match }

func (f *fragile) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	if ch == session.Stream && len(b) > 0 && b[0] == 77 {
		panic("fragile: broken by 77")
	}
	return f.Match.Receive(from, ch, at, b)
}

func TestAMatchThatPanicsEndsAlone(t *testing.T) {
	s := open(t, seat("glass", &fragile{newMatch(4)}), seat("steel", newMatch(4)))
	victim := s.join("quic", "glass", "victim", session.Key{})
	other := s.join("quic", "steel", "other", session.Key{})
	if err := victim.conn.Stream([]byte{77}); err != nil {
		t.Fatal(err)
	}
	s.until("the match's connection ends", victim.conn.Closed)
	if got, want := reason(victim.conn), "host: the match has failed"; got != want {
		t.Errorf("closed with %q, want %q", got, want)
	}
	late := s.hello("websocket", "glass", "late", session.Key{})
	s.until("nobody is let in any more", late.conn.Closed)
	if got, want := reason(late.conn), "host: the match has failed"; got != want {
		t.Errorf("closed with %q, want %q", got, want)
	}
	from := other.Stats().Tick
	s.until("the other match plays on", func() bool { return other.Stats().Tick > from+30 })
	m := s.status().Matches
	if m[0].State != host.Failed || m[1].State != host.Running || len(m[0].Players) != 0 {
		t.Errorf("states %q and %q, want failed and running; %d players left", m[0].State, m[1].State, len(m[0].Players))
	}
	if res, _ := s.get("/healthz"); res.StatusCode != 200 {
		t.Errorf("/healthz: %s, want 200 while a match runs", res.Status)
	}
	log := s.log.String()
	for _, want := range []string{"level=ERROR", "match=glass", "fragile: broken by 77", "hostile_test.go"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not have %q:\n%s", want, log)
		}
	}
}

func TestTheServerEndsWithItsLastMatch(t *testing.T) {
	s := open(t, seat("glass", &fragile{newMatch(4)}))
	conn := s.dial("quic")
	if err := conn.Stream(helloBytes("")); err != nil {
		t.Fatal(err)
	}
	if err := conn.Stream([]byte{77}); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-s.ended:
		if err == nil || !strings.Contains(err.Error(), "every match has failed") {
			t.Errorf("Run returned %v", err)
		}
	case <-time.After(patience):
		t.Error("the server runs on without a match")
	}
}

// THR-32: every connection gets the reason, and the ports are free afterwards.
func TestShutdownSendsTheReason(t *testing.T) {
	s := open(t, seat("one", newMatch(4)), seat("two", newMatch(4)))
	for i, via := range transportNames {
		s.join(via, []string{"one", "two"}[i%2], via, session.Key{})
	}
	s.halt()
	select {
	case err := <-s.ended:
		if err != nil {
			t.Errorf("Run returned %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the server does not stop")
	}
	for i, c := range s.clients {
		s.until("the end of the connection", c.conn.Closed)
		if got, want := reason(c.conn), "host: the server is stopping"; got != want {
			t.Errorf("%s closed with %q, want %q", transportNames[i], got, want)
		}
	}
	again, err := host.New(host.Config{
		Addr: s.host.Addr().String(), QUIC: s.host.QUICAddr().String(), Matches: []host.MatchConfig{seat("one", newMatch(1))},
	})
	if err != nil {
		t.Fatalf("the ports are still taken: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := again.Run(ctx); err != nil {
		t.Error(err)
	}
}
