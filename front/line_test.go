package front

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/join"
)

// names returns the players in line, in order.
func (l *line) names() string {
	var list []string
	for _, t := range l.queue {
		list = append(list, t.name)
	}
	return strings.Join(list, " ")
}

// fill puts players in line, all of one address.
func fill(t *testing.T, l *line, from string, names ...string) (tickets []*ticket) {
	t.Helper()
	for _, name := range names {
		one, err := l.add(name, session.Identity{}, from)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tickets = append(tickets, one)
	}
	return tickets
}

// Who may wait: so many in all, so many of an address, this machine's own as many as it likes; nobody
// in a line that drains. A refused player leaves no trace. [THR-76]
func TestWhoMayWait(t *testing.T) {
	const far, near, here = "192.0.2.7:1000", "192.0.2.8:1000", "127.0.0.1:1000"
	for _, c := range []struct {
		what   string
		limits host.Limits
		most   int
		from   []string // of the players that come, one after the other
		drain  bool
		last   error // of the last one; those before may wait
	}{
		{"as many as fit", host.Limits{}, 3, []string{far, near, here}, false, nil},
		{"one more", host.Limits{}, 3, []string{far, near, here, here}, false, errLong},
		{"as many of an address", host.Limits{Connections: 2}, 9, []string{far, far, near}, false, nil},
		{"one more of it", host.Limits{Connections: 2}, 9, []string{far, near, far, far}, false, errAddress},
		{"of this machine", host.Limits{Connections: 1}, 9, []string{here, here, here}, false, nil},
		{"of this machine, if it counts", host.Limits{Connections: 1, Loopback: true}, 9, []string{here, here}, false, errAddress},
		{"of an address without a bound", host.Limits{Connections: -1}, 9, []string{far, far, far, far}, false, nil},
		{"twelve by default", host.Limits{}, 0, slices.Repeat([]string{far}, 12), false, nil},
		{"and not thirteen", host.Limits{}, 0, slices.Repeat([]string{far}, 13), false, errAddress},
		{"one network of IPv6", host.Limits{Connections: 1}, 9, []string{"[2001:db8::1]:1", "[2001:db8::2]:1"}, false, errAddress},
		{"two networks of IPv6", host.Limits{Connections: 1}, 9, []string{"[2001:db8::1]:1", "[2001:db8:0:1::2]:1"}, false, nil},
		{"in a line that drains", host.Limits{}, 9, []string{far}, true, errDraining},
	} {
		l := newLine(c.most, c.limits)
		if c.drain {
			l.drain()
		}
		for i, from := range c.from {
			_, err := l.add(fmt.Sprint(i), session.Identity{}, from)
			want := error(nil)
			if i == len(c.from)-1 {
				want = c.last
			}
			if err != want {
				t.Errorf("%s: player %d of %s: got %v, want %v", c.what, i, from, err, want)
			}
		}
		in := len(c.from)
		if c.last != nil {
			in--
		}
		if l.waiting() != in || len(l.tickets) != in || l.draining() != c.drain {
			t.Errorf("%s: %d wait with %d tickets, want %d", c.what, l.waiting(), len(l.tickets), in)
		}
	}
}

// Players that do not ask any more lose their place after ten seconds and their seat after two hours,
// or after a minute where there are many; one whose request waits loses nothing.
func TestPlayersThatHaveLeft(t *testing.T) {
	for _, c := range []struct {
		what   string
		away   time.Duration
		seated bool
		asks   bool
		others int // tickets
		stays  bool
	}{
		{"in line, nine seconds ago", 9 * time.Second, false, false, 0, true},
		{"in line, eleven seconds ago", 11 * time.Second, false, false, 0, false},
		{"in line, and its request waits", time.Hour, false, true, 0, true},
		{"with a seat, an hour ago", time.Hour, true, false, 0, true},
		{"with a seat, three hours ago", 3 * time.Hour, true, false, 0, false},
		{"with a seat, an hour ago, among many", time.Hour, true, false, maxTickets/2 + 1, false},
		{"with a seat, half a minute ago, among many", 30 * time.Second, true, false, maxTickets/2 + 1, true},
	} {
		l := newLine(0, host.Limits{Connections: 1})
		one := fill(t, l, "192.0.2.7:1", "one")[0]
		if c.seated {
			l.give(one, &seat{})
		}
		if c.asks {
			one.asking = 1
		}
		now := time.Now()
		for i := range c.others {
			l.tickets[fmt.Sprint(i)] = &ticket{asked: now, seat: &seat{}}
		}
		one.asked = now.Add(-c.away)
		l.swept = time.Time{}
		l.sweep(now)
		if got := l.find("one", "") != nil; got != c.stays {
			t.Errorf("%s: its ticket is known: %v, want %v", c.what, got, c.stays)
		}
		if free := len(l.blocks) == 0; free != (c.seated || !c.stays) {
			t.Errorf("%s: its address has a free place: %v", c.what, free)
		}
		if _, err := l.add("two", session.Identity{}, "192.0.2.7:2"); (err == nil) != (c.seated || !c.stays) {
			t.Errorf("%s: another one of its address gets %v", c.what, err)
		}
	}
}

// A player asks again after an hour in its match, because its server is gone: it waits in front, and its ticket is not
// taken for that of a player that has left, however soon the line is looked through. [THR-75]
func TestAPlayerThatComesBackHasNotLeft(t *testing.T) {
	l := newLine(0, host.Limits{})
	one := fill(t, l, "", "one", "two")[0]
	l.give(one, &seat{})
	one.asked = time.Now().Add(-time.Hour)
	l.requeue(l.find("one", ""), one.seat)
	l.swept = time.Time{}
	if first, _ := l.first(); first != one {
		t.Errorf("in line %q, want one in front", l.names())
	}
	if s, place := l.wait(t.Context(), one, 0); s != nil || place != 1 {
		t.Errorf("got %+v and place %d, want none and place 1", s, place)
	}
}

// A player asks twice at once, because its server is gone, and both requests find that out. The ticket waits again after
// the first, and gets a seat; the second request must not take that away. [THR-75]
func TestTwoRequestsWithOneTicket(t *testing.T) {
	l := newLine(0, host.Limits{})
	one := fill(t, l, "", "one")[0]
	gone, next := &seat{place: Place{Match: "gone"}}, &seat{place: Place{Match: "next"}}
	l.give(one, gone)
	l.requeue(one, gone)
	l.give(one, next)
	l.requeue(one, gone)
	if got := l.seatOf(one); got != next || l.names() != "" {
		t.Errorf("got the seat %+v with %q in line, want the next one and nobody", got, l.names())
	}
}

// A ticket belongs to its account: nobody else's request finds it, and a guest's ticket is its own
// account.
func TestTicketsBelongToAccounts(t *testing.T) {
	l := newLine(0, host.Limits{})
	if _, err := l.add("ticket", session.Identity{Account: "ada"}, ""); err != nil {
		t.Fatal(err)
	}
	guest := fill(t, l, "", "guest")[0]
	for _, c := range []struct {
		name, account string
		found         bool
	}{{"ticket", "ada", true}, {"ticket", "bob", false}, {"ticket", "", true}, {"guest", "", true}, {"guest", "ada", false}, {"", "", false}, {"Ticket", "ada", false}} {
		if got := l.find(c.name, c.account) != nil; got != c.found {
			t.Errorf("ticket %q of account %q is found: %v, want %v", c.name, c.account, got, c.found)
		}
	}
	if a := guest.who.Account; !strings.HasPrefix(a, "guest-") || strings.Contains(a, "guest-guest") || len(a) != len("guest-")+32 {
		t.Errorf("a guest's account is %q, want one that does not show its ticket", a)
	}
}

// Seats go in the order of the line; a player that lost its server waits in front of the others, and
// waits again for a seat.
func TestTheOrderOfTheLine(t *testing.T) {
	l := newLine(0, host.Limits{})
	tickets := fill(t, l, "", "a", "b", "c")
	first := func(want string) *ticket {
		t.Helper()
		got, _ := l.first()
		if got == nil || got.name != want {
			t.Fatalf("first is %v in %q, want %s", got, l.names(), want)
		}
		return got
	}
	for _, name := range []string{"a", "b"} {
		one := first(name)
		l.give(one, &seat{place: Place{Match: name}})
		if s, place := l.wait(t.Context(), one, time.Hour); s == nil || s.place.Match != name || place != 0 {
			t.Errorf("%s gets %+v and place %d, want its seat", name, s, place)
		}
	}
	since := tickets[1].since
	l.requeue(tickets[1], tickets[1].seat)
	if got := l.names(); got != "b c" || !tickets[1].since.After(since) {
		t.Errorf("in line %q, b since %v after %v; want b in front, from now on", got, tickets[1].since, since)
	}
	l.requeue(tickets[1], tickets[1].seat) // which waits
	l.requeue(tickets[2], tickets[2].seat)
	if got := l.names(); got != "b c" {
		t.Errorf("in line %q after those that wait are put into it again, want b c", got)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if s, place := l.wait(ended, tickets[2], time.Hour); s != nil || place != 2 {
		t.Errorf("c gets %+v and place %d, want none and place 2", s, place)
	}
	l.give(first("b"), &seat{})
	if s, _ := l.wait(t.Context(), tickets[1], time.Hour); s == nil {
		t.Error("b gets no second seat")
	}
}

// Whatever players do, the line is what a plain list would be, and counts each address as often as
// it has waiting players.
func TestTheLineAgainstAList(t *testing.T) {
	const seed = 6
	r := rand.New(rand.NewPCG(seed, 0))
	l, list := newLine(30, host.Limits{Connections: 5}), []*ticket(nil)
	var seated []*ticket
	for n := range 4000 {
		switch what := r.IntN(4); {
		case what <= 1:
			from := fmt.Sprintf("192.0.2.%d:1", r.IntN(8))
			if one, err := l.add(fmt.Sprint(n), session.Identity{}, from); err == nil {
				list = append(list, one)
			} else if len(list) < 30 && !errors.Is(err, errAddress) {
				t.Fatalf("seed %d, step %d: %v with %d in line", seed, n, err, len(list))
			}
		case what == 2 && len(list) > 0:
			one, _ := l.first()
			l.give(one, &seat{})
			list, seated = list[1:], append(seated, one)
		case what == 3 && len(seated) > 0 && r.IntN(3) == 0:
			i := r.IntN(len(seated))
			l.requeue(seated[i], seated[i].seat)
			list, seated = slices.Insert(list, 0, seated[i]), slices.Delete(seated, i, i+1)
		}
		counted := 0
		for block, k := range l.blocks {
			in := 0
			for _, one := range list {
				in += map[bool]int{true: 1}[one.block == block]
			}
			if counted += k; k != in || k == 0 {
				t.Fatalf("seed %d, step %d: %v counts %d waiting players, want %d", seed, n, block, k, in)
			}
		}
		if !slices.Equal(l.queue, list) || counted != len(list) {
			t.Fatalf("seed %d, step %d: in line %q and counted %d, want %d players", seed, n, l.names(), counted, len(list))
		}
	}
}

// A token that cannot be made, such as one of a name that no token holds, is the operator's fault: the
// log says why, the player reads no secret.
func TestATokenThatCannotBeMade(t *testing.T) {
	f := &Front{}
	_, err := f.admit(&ticket{who: session.Identity{Account: "ada"}}, seat{answer: &join.Answer{Server: "s", Match: "m"}})
	var refused *noToken
	if !errors.As(err, &refused) || !strings.HasPrefix(fmt.Sprint(refused.why), "token: ") {
		t.Fatalf("got %v, want a *noToken with an error of package token", err)
	}
	if got := err.Error(); got != "front: no token can be made: tell the operator of this server" {
		t.Errorf("the player reads %q", got)
	}
}
