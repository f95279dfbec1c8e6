package host

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// visit is a connection from an address.
type visit struct {
	transport.Conn
	from   string
	closed bool
}

func (v *visit) Remote() string { return v.from }
func (v *visit) Closed() bool   { return v.closed }

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// One address has its share of connections and no more; a /64 of IPv6 is one address, and what has ended
// does not count. [THR-35]
func TestAnAddressHasItsShare(t *testing.T) {
	d := newDoor(Limits{Connections: 3, Joins: -1})
	var visits []*visit
	enter := func(from string) error {
		v := &visit{from: from}
		if r := d.enter(v, "", noon); r != nil {
			if !r.later || r.cause != causeLimit {
				t.Errorf("%s: got %+v, want that it may come back", from, r)
			}
			return r.why
		}
		visits = append(visits, v)
		return nil
	}
	for i, c := range []struct {
		from string
		want error
	}{
		{"203.0.113.7:1", nil}, {"203.0.113.7:2", nil}, {"203.0.113.7:3", nil}, {"203.0.113.7:4", errManyConnections},
		{"[::ffff:203.0.113.7]:5", errManyConnections}, {"203.0.113.8:1", nil},
		{"[2001:db8::1]:1", nil}, {"[2001:db8::2]:1", nil}, {"[2001:db8::ffff:3]:1", nil}, {"[2001:db8::4]:1", errManyConnections},
		{"[2001:db8:0:1::1]:1", nil}, {"127.0.0.1:1", nil}, {"127.0.0.1:2", nil}, {"127.0.0.1:3", nil}, {"127.0.0.1:4", nil},
	} {
		if got := enter(c.from); got != c.want {
			t.Errorf("visit %d from %s: got %v, want %v", i, c.from, got, c.want)
		}
	}
	visits[1].closed = true
	if err := enter("203.0.113.7:6"); err != nil {
		t.Errorf("after one has left: got %v, want none", err)
	}
}

// An address opens so many connections at once, then as many a minute, and others are not affected. [THR-35]
func TestAnAddressJoinsAtARate(t *testing.T) {
	d := newDoor(Limits{Connections: -1, Joins: 60})
	entered := func(from string, after time.Duration, tries int) (n int) {
		for range tries {
			if d.enter(&visit{from: from, closed: true}, "", noon.Add(after)) == nil {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		from  string
		after time.Duration
		want  int
	}{
		{"203.0.113.7:1", 0, 60}, {"203.0.113.8:1", 0, 60}, {"203.0.113.7:1", time.Second, 1},
		{"203.0.113.7:1", 31 * time.Second, 30}, {"203.0.113.7:1", time.Hour, 60},
	} {
		if got := entered(c.from, c.after, 1000); got != c.want {
			t.Errorf("%s after %v: %d of 1,000 entered, want %d", c.from, c.after, got, c.want)
		}
	}
}

// The address of a player that was thrown out waits, and says for how long. [THR-34]
func TestTheAddressOfOneThatWasThrownOutWaits(t *testing.T) {
	d := newDoor(Limits{})
	bad := &visit{from: "203.0.113.7:1"}
	if err := d.enter(bad, "", noon); err != nil {
		t.Fatal(err)
	}
	d.pause(bad, "", noon)
	bad.closed = true
	const want = "host: a player of your address was kicked: try again in 7 s"
	if err := d.enter(&visit{from: "203.0.113.7:9"}, "", noon.Add(3500*time.Millisecond)); err == nil || err.why.Error() != want || err.later {
		t.Errorf("got %v, want %q", err, want)
	}
	if err := d.enter(&visit{from: "203.0.113.8:1"}, "", noon); err != nil {
		t.Errorf("another address: got %v, want none", err)
	}
	if err := d.enter(&visit{from: "203.0.113.7:9"}, "", noon.Add(10*time.Second)); err != nil {
		t.Errorf("later: got %v, want none", err)
	}
}

// A player with an account that was thrown out waits wherever it comes from, and nobody else at its address does. [THR-34]
func TestTheAccountOfOneThatWasThrownOutWaits(t *testing.T) {
	d := newDoor(Limits{Loopback: true})
	d.pause(&visit{from: "203.0.113.7:1"}, "eve", noon)
	for _, c := range []struct {
		from, account string
		after         time.Duration
		want          string
	}{
		{"203.0.113.7:2", "eve", time.Millisecond, "host: you were kicked: try again in 10 s"},
		{"198.51.100.1:1", "eve", 9500 * time.Millisecond, "host: you were kicked: try again in 1 s"},
		{"203.0.113.7:2", "ada", 0, ""},
		{"203.0.113.7:2", "", 0, ""},
		{"203.0.113.7:2", "eve", 10 * time.Second, ""},
	} {
		r, got := d.enter(&visit{from: c.from}, c.account, noon.Add(c.after)), ""
		if r != nil {
			got = r.why.Error()
		}
		if got != c.want || r != nil && (r.later || r.cause != causeKick) {
			t.Errorf("%q from %s after %v: got %+v, want %q", c.account, c.from, c.after, r, c.want)
		}
	}
	for i := range 1000 {
		d.pause(&visit{}, fmt.Sprint("account ", i), noon.Add(time.Duration(i)*time.Second))
	}
	if n := len(d.accounts); n > 10 {
		t.Errorf("%d accounts are remembered, want those of 10 s", n)
	}
}

// As many addresses that ask once over HTTP leave few behind, and one that still has a connection, or has used up its
// requests, is not forgotten among them. [THR-42]
func TestTheGateForgetsAddresses(t *testing.T) {
	g := newGate(nil, Limits{Requests: 60}, nil, slog.New(slog.DiscardHandler))
	open, spent := transport.AddressBlock("203.0.113.1:1"), transport.AddressBlock("203.0.113.2:1")
	g.visits(open, noon).open++
	most := 0
	for i := range 100_000 {
		now := noon.Add(time.Duration(i) * time.Millisecond)
		g.spend(transport.AddressBlock(fmt.Sprintf("%d.%d.%d.7:1", 11+i>>16, i>>8&255, i&255)), now)
		for g.spend(spent, now) {
		}
		most = max(most, len(g.addresses))
	}
	if most > 2*maxSwept || g.addresses[open] == nil || g.addresses[spent] == nil {
		t.Errorf("up to %d addresses are remembered, want at most %d, and those that do something", most, 2*maxSwept)
	}
}

// A hundred thousand addresses that come and go leave few behind, also where they may join as often as they like.
func TestTheDoorForgetsAddresses(t *testing.T) {
	for _, joins := range []int{0, -1} {
		d := newDoor(Limits{Joins: joins})
		for i := range 100_000 {
			from := fmt.Sprintf("%d.%d.%d.7:1", 11+i>>16, i>>8&255, i&255)
			if err := d.enter(&visit{from: from, closed: true}, "", noon.Add(time.Duration(i)*time.Millisecond)); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(d.visitors); n > 2*maxVisitors {
			t.Errorf("with Limits.Joins %d %d addresses are remembered, want at most %d", joins, n, 2*maxVisitors)
		}
	}
}

// A spray of addresses within a second makes the door look through all of them once, not for each newcomer: the
// work is that of their number, not of its square.
func TestASprayOfAddressesIsSweptOnceASecond(t *testing.T) {
	d := newDoor(Limits{})
	sweeps, last := 0, d.swept
	for i := range 3 * 8192 {
		from := fmt.Sprintf("[2001:db8:%x:%x::1]:1", i>>8, i&255)
		if err := d.enter(&visit{from: from, closed: true}, "", noon.Add(time.Duration(i)*time.Second/8192)); err != nil {
			t.Fatal(err)
		}
		if d.swept != last {
			sweeps, last = sweeps+1, d.swept
		}
	}
	if sweeps < 1 || sweeps > 3 {
		t.Errorf("%d sweeps for 24,576 addresses in 3 s, want 1 to 3", sweeps)
	}
}

// 2,000 joins and leaves of 100 addresses in a second write few lines, and one line for each kind counts
// the rest. Errors are always written. [THR-36]
func TestNobodyFillsTheLog(t *testing.T) {
	var log bytes.Buffer
	q := newQuiet(slog.NewTextHandler(&log, nil))
	say := func(at time.Duration, level slog.Level, message, from string) {
		r := slog.NewRecord(noon.Add(at), level, message, 0)
		r.AddAttrs(slog.Int("peer", 1), slog.String("from", from))
		if err := q.WithAttrs([]slog.Attr{slog.String("match", "a")}).Handle(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2000 {
		at, from := time.Duration(i)*500*time.Microsecond, fmt.Sprintf("203.0.113.%d:1", i%100)
		say(at, slog.LevelInfo, "connected", from)
		say(at, slog.LevelInfo, "disconnected", "203.0.113.7:1")
	}
	say(time.Second, slog.LevelError, "match failed", "")
	lines := strings.Count(log.String(), "\n")
	t.Logf("%d lines of 4,001", lines)
	if want := quietPerKind + quietPerAddress + 1; lines != want || !strings.Contains(log.String(), "match failed") {
		t.Errorf("got %d lines, want %d, the error among them", lines, want)
	}
	log.Reset()
	say(10*time.Second, slog.LevelInfo, "connected", "203.0.113.7:1")
	q.flush()
	for _, want := range []string{
		`msg="lines left out of the log" match=a kind=connected lines=1940`, `kind=disconnected lines=1994`,
		"msg=connected",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("after the window: got\n%s\nwant %q", log.String(), want)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 3 {
		t.Errorf("after the window: got %d lines, want 3", n)
	}
}
