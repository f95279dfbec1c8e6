package host

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
)

// ledger is a match that notes what the loop does with it.
type ledger struct {
	notes    []string
	ticks    []clock.Micros
	each     func(l *ledger) // during a tick
	kicked   []session.Event
	noted    []session.Event
	outgoing []session.Packet
}

func (*ledger) Identify(session.Peer, session.Identity) {}
func (l *ledger) note(format string, a ...any)          { l.notes = append(l.notes, fmt.Sprintf(format, a...)) }

func (l *ledger) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	l.note("%d says %s on %d at %d", from, b, ch, at)
	return nil
}
func (l *ledger) Disconnect(peer session.Peer) { l.note("%d is gone", peer) }
func (l *ledger) Tick(now clock.Micros) {
	l.ticks = append(l.ticks, now)
	l.kicked, l.noted, l.outgoing = nil, nil, nil
	if l.each != nil {
		l.each(l)
	}
}
func (l *ledger) Kicked() []session.Event     { return l.kicked }
func (l *ledger) HostEvents() []session.Event { return l.noted }
func (l *ledger) Outgoing() []session.Packet  { return l.outgoing }
func (l *ledger) Report() any                 { return []any{} }
func (l *ledger) Format() uint32              { return 1 }
func (l *ledger) LevelHash() string           { return "level" }

// play runs a loop at 50 ticks a second for so long, in a bubble's time.
func play(t *testing.T, l *loop, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	l.run(ctx)
}

func newLedgerLoop(each func(*ledger)) (*loop, *ledger) {
	m := &ledger{each: each}
	return newLoop(MatchConfig{Name: "test", TickRate: 50, Match: m}, newDoor(Limits{}), newTicks(nil), new(drain), slog.New(slog.DiscardHandler)), m
}

func TestTicksComeWhenDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, m := newLedgerLoop(nil)
		time.Sleep(time.Minute) // between New and Run: no ticks are missed by that
		play(t, l, 101*time.Millisecond)
		want := []clock.Micros{20_000, 40_000, 60_000, 80_000, 100_000}
		if !slices.Equal(m.ticks, want) || l.meter.missed != 0 {
			t.Errorf("ticks at %d, missed %d; want %d, none", m.ticks, l.meter.missed, want)
		}
	})
}

// Nobody is connected: after 10 s the match ticks ten times a second, and none of the ticks between counts as missed.
// A connection has its first tick within one interval, and the match its whole rate until 10 s after it has gone.
func TestAMatchWithNobodyTicksLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ticks atomic.Int64 // beside the loop's goroutine
		l, _ := newLedgerLoop(func(*ledger) { ticks.Add(1) })
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { l.run(ctx); close(ended) }()
		ticksIn := func(d time.Duration) int64 {
			before := ticks.Load()
			time.Sleep(d)
			synctest.Wait()
			return ticks.Load() - before
		}
		if got := ticksIn(10 * time.Second); got != 500 {
			t.Errorf("in the first 10 s: %d ticks, want 500", got)
		}
		ticksIn(time.Second)
		if got := ticksIn(10 * time.Second); got != 100 {
			t.Errorf("in 10 s with nobody: %d ticks, want 100", got)
		}
		here, there := mem.Pipe()
		l.join(connection{conn: there})
		if got := ticksIn(20 * time.Millisecond); got != 1 {
			t.Errorf("in the 20 ms after somebody came: %d ticks, want 1", got)
		}
		if got := ticksIn(20 * time.Second); got != 1000 {
			t.Errorf("in 20 s with somebody: %d ticks, want 1000", got)
		}
		here.Close("")
		if got := ticksIn(9 * time.Second); got != 450 {
			t.Errorf("in the 9 s after it has gone: %d ticks, want 450", got)
		}
		ticksIn(3 * time.Second)
		if got := ticksIn(10 * time.Second); got != 100 {
			t.Errorf("in 10 s with nobody again: %d ticks, want 100", got)
		}
		cancel()
		<-ended
		if l.meter.missed != 0 {
			t.Errorf("%d ticks count as missed, want 0", l.meter.missed)
		}
	})
}

// resumed is a match that has been read from a checkpoint.
type resumed struct {
	ledger
	at clock.Micros
}

func (r *resumed) Checkpoint(*bits.Packer) {}
func (r *resumed) Now() clock.Micros       { return r.at }

// A player is back before the first tick of a match that goes on from a checkpoint: the match ticks after the
// checkpoint's time, and not at it again, which a session refuses with a panic. [THR-64]
func TestAPlayerIsBackBeforeTheFirstTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const from = 3_020_000
		m := &resumed{at: from}
		l := newLoop(MatchConfig{Name: "test", TickRate: 50, Match: m, Checkpoint: filepath.Join(t.TempDir(), "test.checkpoint")},
			newDoor(Limits{}), newTicks(nil), new(drain), slog.New(slog.DiscardHandler))
		time.Sleep(7 * time.Millisecond) // match time has to wait for the ticks of the host
		_, there := mem.Pipe()
		l.join(connection{conn: there})
		play(t, l, 80*time.Millisecond)
		if want := []clock.Micros{from + 20_000, from + 40_000, from + 60_000}; !slices.Equal(m.ticks, want) {
			t.Errorf("ticks at %d, want %d", m.ticks, want)
		}
	})
}

// THR-29: after a stall there is no catching up, and it is counted.
func TestAStallSkipsTicksAndCountsThem(t *testing.T) {
	for _, c := range []struct {
		stall  time.Duration
		next   clock.Micros
		missed int64
	}{
		{10 * time.Millisecond, 60_000, 0},
		{25 * time.Millisecond, 60_000, 0}, // late, by 5 ms
		{50 * time.Millisecond, 80_000, 1}, // 60 and 80 came due: the later is played
		{500 * time.Millisecond, 540_000, 24},
		{time.Hour, 3_600_040_000, 179_999},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, m := newLedgerLoop(func(m *ledger) {
				if len(m.ticks) == 2 { // at 40 ms
					time.Sleep(c.stall)
				}
			})
			play(t, l, c.stall+95*time.Millisecond)
			if len(m.ticks) < 4 || m.ticks[2] != c.next || m.ticks[3] != c.next+20_000 || l.meter.missed != c.missed {
				t.Errorf("after %v: ticks at %d, missed %d; want %d third, %d missed", c.stall, m.ticks, l.meter.missed, c.next, c.missed)
			}
		})
	}
}

// A match that is always too slow runs what it can and still ends with the context. [THR-29]
func TestOverloadSkipsTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, m := newLedgerLoop(func(*ledger) { time.Sleep(70 * time.Millisecond) })
		play(t, l, 990*time.Millisecond)
		// The first at 20 ms, then one whenever the last has ended: the 14th begins at
		// 930 ms, and meanwhile the context ends.
		if n := len(m.ticks); n != 14 || l.meter.missed < 30 {
			t.Errorf("%d ticks, want 14; missed %d, of 50 in a second with 70 ms each", n, l.meter.missed)
		}
		for i := 1; i < len(m.ticks); i++ {
			if m.ticks[i] <= m.ticks[i-1] {
				t.Errorf("tick at %d after one at %d", m.ticks[i], m.ticks[i-1])
			}
		}
	})
}

// What a connection said before it met the match comes first, in order; what arrives later has its time of arrival,
// also if that is after the time of a tick that begins late. [TIM-17]
func TestPacketsBeforeTheMatchAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := mem.Pipe()
		l, m := newLedgerLoop(func(m *ledger) {
			if len(m.ticks) == 1 {
				time.Sleep(3 * time.Millisecond)
				here.Datagrams([]byte("later"))
				time.Sleep(25 * time.Millisecond) // the next tick, due at 40 ms, begins at 51 ms
				here.Datagrams([]byte("after its time"))
				time.Sleep(3 * time.Millisecond)
			}
		})
		_ = here.Stream([]byte("hello"))
		here.Datagrams([]byte("early"))
		first := there.Drain(nil)
		here.Datagrams([]byte("between"))
		l.join(connection{conn: there, greeting: first})
		play(t, l, 59*time.Millisecond)
		want := []string{"1 says hello on 1 at 0", "1 says early on 0 at 0", "1 says between on 0 at 0", "1 says later on 0 at 23000",
			"1 says after its time on 0 at 48000"}
		if !slices.Equal(m.notes, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(m.notes, "\n"), strings.Join(want, "\n"))
		}
	})
}

// A kicked client gets its last messages before the close, once the match has
// already forgotten it.
func TestAKickedClientGetsTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := mem.Pipe()
		l, m := newLedgerLoop(func(m *ledger) {
			if len(m.ticks) == 1 {
				m.outgoing = []session.Packet{{Peer: 1, Channel: session.Stream, Bytes: []byte("refused")}}
				m.kicked = []session.Event{{Kind: session.Kick, Peer: 1, Text: "no room"}, {Kind: session.Kick, Peer: 9, Text: "nobody"}}
			}
			_ = here.Stream([]byte("please"))
		})
		l.join(connection{conn: there})
		play(t, l, 30*time.Millisecond)
		if want := []string{"1 is gone"}; !slices.Equal(m.notes, want) {
			t.Errorf("the match saw %q, want %q", m.notes, want)
		}
		if got := here.Drain(nil); len(got) != 1 || string(got[0].Bytes) != "refused" {
			t.Errorf("it heard %q", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		here, there := mem.Pipe()
		l, m := newLedgerLoop(func(m *ledger) {
			_ = here.Stream([]byte("please")) // the match has forgotten it
			m.kicked = []session.Event{{Kind: session.Kick, Peer: 1, Text: "no room"}}
			if at := m.ticks[len(m.ticks)-1]; here.Closed() != (at >= 280_000) {
				t.Errorf("closed %v at %d; want it %v after the kick at 20000", here.Closed(), at, closeDelay)
			}
		})
		l.join(connection{conn: there})
		play(t, l, time.Second)
		if err, ok := here.Err().(*transport.CloseError); !ok || err.Reason != "no room" {
			t.Errorf("closed with %v", here.Err())
		}
		if want := []string{"1 is gone"}; !slices.Equal(m.notes, want) {
			t.Errorf("the match saw %q, want %q", m.notes, want)
		}
	})
}

// A connection that is lost is gone once, and the next one of its player has another number: what is under way for the
// first does not reach the second.
func TestALostConnectionIsGoneOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := mem.Pipe()
		back, again := mem.Pipe()
		var l *loop
		l, m := newLedgerLoop(func(m *ledger) {
			switch len(m.ticks) {
			case 2:
				here.Close("the cable is cut")
			case 5:
				l.join(connection{conn: again})
			}
			m.outgoing = []session.Packet{{Peer: 1, Channel: session.Datagram, Bytes: []byte("for the first")}}
		})
		l.join(connection{conn: there})
		play(t, l, time.Second)
		if want := []string{"1 is gone"}; !slices.Equal(m.notes, want) || l.last != 2 {
			t.Errorf("the match saw %q and %d peers, want %q and 2", m.notes, l.last, want)
		}
		if got := back.Drain(nil); len(got) != 0 {
			t.Errorf("the second got %q, want nothing", got[0].Bytes)
		}
	})
}

// A game throws a player out in the tick in which it joins: the log first says that it joined, and then has its seat
// in the line about its end, by which an operator filters it. [THR-57]
func TestAPlayerThrownOutAsItJoinsHasItsSeatInTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, m := newLedgerLoop(func(m *ledger) {
			m.noted = []session.Event{{Kind: session.Joined, Player: 3, Peer: 1, Name: "Ann"}}
			m.kicked = []session.Event{{Kind: session.Kick, Player: 3, Peer: 1, Text: "not you", Expelled: true}}
		})
		var log bytes.Buffer
		l.log = slog.New(slog.NewTextHandler(&log, nil))
		_, there := mem.Pipe()
		l.join(connection{conn: there})
		play(t, l, 30*time.Millisecond)
		joined, removed := strings.Index(log.String(), `msg=joined player=3`), strings.Index(log.String(), `msg="removed from match" peer=1 player=3`)
		if joined < 0 || removed < joined || !slices.Equal(m.notes, []string{"1 is gone"}) {
			t.Errorf("want that player 3 joined and then was removed, and that peer 1 is gone; the match saw %q, and the log has:\n%s", m.notes, log.String())
		}
	})
}

func TestAMatchTakesSoManyConnections(t *testing.T) {
	l, _ := newLedgerLoop(nil)
	var ends []transport.Conn
	for range 2 { // the door keeps so many waiting, the match so many in it
		for range maxPeers + 3 {
			here, there := mem.Pipe()
			l.join(connection{conn: there})
			ends = append(ends, here)
		}
		l.admitWaiting()
	}
	crowded := 0
	for _, c := range ends {
		if e, ok := c.Err().(*transport.CloseError); ok && e.Reason == reasonCrowded {
			crowded++
		}
	}
	if n, want := len(l.connections), maxPeers; n != want || crowded != len(ends)-want {
		t.Errorf("%d connections in the match and %d refused, want %d and %d", n, crowded, want, len(ends)-want)
	}
	l.close()
}

// One peer's datagrams of a tick go out as one set: a newer set would replace an
// older one.
func TestATicksDatagramsAreOneBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := mem.Pipe()
		l, _ := newLedgerLoop(func(m *ledger) {
			for _, s := range []string{"a", "b", "c"} {
				m.outgoing = append(m.outgoing, session.Packet{Peer: 1, Channel: session.Datagram, Bytes: []byte(s)})
			}
			m.outgoing = append(m.outgoing, session.Packet{Peer: 2, Channel: session.Datagram, Bytes: []byte("for nobody")})
		})
		held := &holding{Conn: there}
		l.join(connection{conn: held})
		play(t, l, 21*time.Millisecond)
		var got []byte
		for _, p := range here.Drain(nil) {
			got = append(got, p.Bytes...)
		}
		if string(got) != "abc" || held.flushed != 1 || l.failed.Load() {
			t.Errorf("got %q, flushed %d times, failed %v; want abc, once, false", got, held.flushed, l.failed.Load())
		}
	})
}

// holding is a connection that sends a set when it is flushed.
type holding struct {
	transport.Conn
	set     [][]byte
	flushed int
}

func (h *holding) Datagrams(set ...[]byte) { h.set = append(h.set, set...) }
func (h *holding) Flush()                  { h.Conn.Datagrams(h.set...); h.set, h.flushed = nil, h.flushed+1 }

func TestThePanicOfATickIsLoggedWithItsStack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		here, there := mem.Pipe()
		m := &ledger{each: func(*ledger) { panic("out of cheese") }}
		l := newLoop(MatchConfig{Name: "test", TickRate: 50, Match: m}, newDoor(Limits{}), newTicks(nil), new(drain), slog.New(slog.NewTextHandler(&log, nil)))
		l.join(connection{conn: there})
		play(t, l, time.Second)
		for _, want := range []string{"out of cheese", "match=test", "loop_test.go"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("no %q in the log:\n%s", want, &log)
			}
		}
		if s := l.status.Load(); s.State != Failed || !l.failed.Load() {
			t.Errorf("state %q, want failed", s.State)
		}
		if e, ok := here.Err().(*transport.CloseError); !ok || e.Reason != reasonFailed {
			t.Errorf("closed with %v, want %q", here.Err(), reasonFailed)
		}
	})
}

// A match that fails while a player is in it: the operator's status says that it has failed, and shows nobody in it any more.
func TestAFailedMatchHasNobodyInIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLedgerLoop(func(m *ledger) {
			m.noted = []session.Event{{Kind: session.Joined, Player: 3, Peer: 1}}
		})
		_, there := mem.Pipe()
		l.join(connection{conn: there})
		l.config.Ticked = func(time.Duration, time.Duration) {
			if l.matchTime(time.Now()) == 600_000 {
				if s := l.status.Load(); s.Connections != 1 || len(s.Peers) != 1 || s.Peers[0].Player != 3 {
					t.Errorf("while it runs: got %+v, want player 3", s)
				}
				panic("out of cheese")
			}
		}
		play(t, l, time.Second)
		if s := l.status.Load(); s.State != Failed || s.Connections != 0 || len(s.Transports) != 0 || len(s.Peers) != 0 {
			t.Errorf("got %+v, want a match that has failed, with nobody in it", s)
		}
	})
}

// TIM-12, TIM-13: the log names the player of a time discrepancy, its begin and its end.
// A client that does it again and again is not repeated for 10 s, and then how often it was.
func TestTimeDiscrepanciesAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		m := &ledger{each: func(l *ledger) {
			n := len(l.ticks)
			d := predict.Discrepancy{Error: 250_000, Episodes: n/10 + 1}
			switch n % 10 {
			case 2:
				l.noted = []session.Event{{Kind: session.TimeDiscrepancy, Player: 4, Name: "Eve", Peer: 7, Discrepancy: d}, {Kind: session.Shot}}
			case 4:
				d.Lifetime = clock.Micros(d.Episodes) * 10_000
				l.noted = []session.Event{{Kind: session.TimeDiscrepancyCleared, Player: 4, Name: "Eve", Peer: 7, Discrepancy: d}}
			}
		}}
		play(t, newLoop(MatchConfig{Name: "test", TickRate: 50, Match: m}, newDoor(Limits{}), newTicks(nil), new(drain), slog.New(slog.NewTextHandler(&log, nil))), 11*time.Second)
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		want := []string{
			`level=WARN msg="time discrepancy" match=test player=4 name=Eve peer=7 times=1 ahead=250ms`,
			`level=WARN msg="time discrepancy repaid" match=test player=4 name=Eve peer=7 times=1 cut=10ms`,
			`level=WARN msg="time discrepancy" match=test player=4 name=Eve peer=7 times=51 ahead=250ms`,
			`level=WARN msg="time discrepancy repaid" match=test player=4 name=Eve peer=7 times=51 cut=510ms`,
		}
		for i := range want {
			if len(lines) != len(want) || !strings.HasSuffix(lines[i], want[i]) {
				t.Fatalf("got\n%s\nwant %q", &log, want)
			}
		}
	})
}

// THR-67: the log names a client that always mispredicts, and how often.
func TestAClientThatMispredictsIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		m := &ledger{each: func(l *ledger) {
			if len(l.ticks) == 2 {
				l.noted = []session.Event{{Kind: session.Mispredicting, Player: 4, Name: "Eve", Peer: 7, Count: 460}}
			}
		}}
		play(t, newLoop(MatchConfig{Name: "test", TickRate: 50, Match: m}, newDoor(Limits{}), newTicks(nil), new(drain), slog.New(slog.NewTextHandler(&log, nil))), time.Second)
		if want := "level=WARN msg=mispredicting match=test player=4 name=Eve peer=7 corrections=460\n"; !strings.HasSuffix(log.String(), want) {
			t.Errorf("got %q, want %q", &log, want)
		}
	})
}

func TestTheMeter(t *testing.T) {
	var m meter
	for i := range 1000 {
		m.tick(time.Duration(i)*time.Millisecond, time.Duration(i)*time.Microsecond, int64(i%2))
	}
	m.since = time.Now()
	m.in, m.out = 3000, 9000
	s := Status{TickRate: 1}
	m.fill(&s, 3*time.Second)
	// The last 512 took 488 … 999 ms.
	if s.TickP50 != 744 || s.TickP99 != 994 || s.TickMax != 999 || s.LateP99 != 0.994 || s.LateMax != 0.999 || s.Missed != 500 || s.In != 1000 || s.Out != 3000 {
		t.Errorf("got %+v", s)
	}
	if want := ([9]int{6: 13, 7: 499}); s.TickHistogram != want {
		t.Errorf("by their share of a second: got %v, want %v", s.TickHistogram, want)
	}
	if m.in != 0 || m.out != 0 {
		t.Errorf("%d and %d bytes are left for the next report", m.in, m.out)
	}
}

func TestWhereAListenerIsFound(t *testing.T) {
	for _, c := range []struct{ asked, bound, want string }{
		{"localhost:8080", "[::]:4433", "127.0.0.1:4433"},
		{"127.0.0.1:8080", "0.0.0.0:4433", "127.0.0.1:4433"},
		{"[::1]:8080", "[::]:4433", "[::1]:4433"},
		{"game.example", "[::]:4433", "game.example:4433"},
		{"192.168.1.5:8080", "[::]:4433", "192.168.1.5:4433"},
		{"192.168.1.5:8080", "192.168.1.5:4433", "192.168.1.5:4433"},
		{"game.example:8080", "10.0.0.2:4433", "game.example:4433"}, // behind an address translator
		{"localhost:8080", "192.168.1.5:4433", "192.168.1.5:4433"},
		{"192.168.1.5:8080", "127.0.0.1:4433", "127.0.0.1:4433"},
		{"", "[::]:4433", "127.0.0.1:4433"},
	} {
		if got := reachableAddr(c.asked, text(c.bound)); got != c.want {
			t.Errorf("asked at %q, bound to %s: %s, want %s", c.asked, c.bound, got, c.want)
		}
	}
}

// text is an address.
type text string

func (text) Network() string  { return "udp" }
func (a text) String() string { return string(a) }

func TestAcceptEncoding(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "br, gzip": true, "gzip;q=0": false, "gzip; q=0.0": false,
		"gzip;q=0.5": true, "gzip;q=x": false, "xgzip": false, "br": false,
	} {
		if got := acceptsEncoding(header, "gzip"); got != want {
			t.Errorf("%q takes gzip: %v, want %v", header, got, want)
		}
	}
}

// Ticks are counted by their share of the interval between two: the limits belong to the lower class, and what is
// longer than the interval has its own.
func TestTicksByTheirShareOfTheInterval(t *testing.T) {
	const interval = 128 * time.Millisecond
	var m meter
	for _, took := range []time.Duration{0, time.Millisecond, time.Millisecond + 1, 2 * time.Millisecond, 3 * time.Millisecond, 64 * time.Millisecond, 65 * time.Millisecond, interval, interval + 1, time.Hour} {
		m.tick(took, 0, 0)
	}
	if got, want := m.histogram(interval), [9]int{2, 2, 1, 0, 0, 0, 1, 2, 2}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	for range len(m.times) + 10 {
		m.tick(5*time.Millisecond, 0, 0)
	}
	if got, want := m.histogram(interval), ([9]int{3: len(m.times)}); got != want {
		t.Errorf("after as many ticks as are kept: got %v, want %v", got, want)
	}
}
