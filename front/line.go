package front

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/join"
)

// The bounds of a line.
const (
	defaultQueue = 10_000
	maxTickets   = 200_000 // including the tickets of players with a seat
	defaultBlock = 12      // waiting players of one address
	// A player in the queue leaves it after gone without a request. A ticket with a seat is deleted after forget without a
	// request, or after hurried where there are many tickets; its player then begins anew.
	gone    = 10 * time.Second
	forget  = 2 * time.Hour
	hurried = time.Minute
)

// The reasons for which a player gets no place in the queue, as sentences for the player.
var (
	errDraining = errors.New("front: this front door is about to stop: ask again")
	errLong     = errors.New("front: too many players are waiting: try again later")
	errAddress  = errors.New("front: too many players of your address are waiting: wait with one")
)

// seat is what a player in the queue waits for.
type seat struct {
	place  Place
	answer *join.Answer
	silent time.Time // since when the server does not answer; zero while it does
}

// ticket is one player of the front door.
type ticket struct {
	name  string
	who   session.Identity
	block netip.Prefix // of its address; invalid where that has no bound
	since time.Time    // when it began to wait

	asked  time.Time     // the newest request
	asking int           // requests that wait
	seat   *seat         // nil while it waits
	given  chan struct{} // closed when it has a seat
}

// line holds the tickets of the players that wait, first come, first served, and of those with a seat. It is safe for
// concurrent use.
type line struct {
	most, address int
	loopback      bool

	mu      sync.Mutex
	tickets map[string]*ticket
	queue   []*ticket
	blocks  map[netip.Prefix]int // waiting players by address
	swept   time.Time
	stopped bool
	more    chan struct{} // has one element when a player has joined
	last    []Place       // of the seat given last; empty before
}

func newLine(most int, limits host.Limits) *line {
	l := &line{most: most, address: limits.Connections, loopback: limits.Loopback, tickets: map[string]*ticket{}, blocks: map[netip.Prefix]int{}, more: make(chan struct{}, 1)}
	if most == 0 {
		l.most = defaultQueue
	}
	if limits.Connections == 0 {
		l.address = defaultBlock
	}
	return l
}

// add puts a new player at the end of the line. The error is a sentence for the player.
func (l *line) add(name string, who session.Identity, from string) (*ticket, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.sweep(now)
	t := &ticket{name: name, who: who, since: now, asked: now, given: make(chan struct{})}
	if who.Account == "" {
		t.who.Account = "guest-" + newName() // the ticket's own name is a secret, and an account is logged
	}
	if block := transport.AddressBlock(from); (l.loopback || !block.Addr().IsLoopback()) && l.address >= 0 {
		t.block = block
	}
	switch {
	case l.stopped:
		return nil, errDraining
	case len(l.queue) >= l.most || len(l.tickets) >= maxTickets:
		return nil, errLong
	case t.block.IsValid() && l.blocks[t.block] >= l.address:
		return nil, errAddress
	}
	l.tickets[name] = t
	l.enqueue(t, len(l.queue))
	return t, nil
}

// enqueue inserts a ticket into the line at an index. Call it with the lock held.
func (l *line) enqueue(t *ticket, at int) {
	l.queue = slices.Insert(l.queue, at, t)
	if t.block.IsValid() {
		l.blocks[t.block]++
	}
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// dequeue removes a ticket from the line. Call it with the lock held.
func (l *line) dequeue(t *ticket) {
	i := slices.Index(l.queue, t)
	if i < 0 {
		return
	}
	l.queue = slices.Delete(l.queue, i, i+1)
	if t.block.IsValid() {
		if l.blocks[t.block]--; l.blocks[t.block] == 0 {
			delete(l.blocks, t.block)
		}
	}
}

// sweep deletes the tickets of players that have left, at most once a second. Call it with the lock held.
func (l *line) sweep(now time.Time) {
	if now.Sub(l.swept) < time.Second {
		return
	}
	l.swept = now
	limit := forget
	if len(l.tickets) > maxTickets/2 {
		limit = hurried
	}
	for name, t := range l.tickets {
		if away := now.Sub(t.asked); t.asking == 0 && (away > limit || t.seat == nil && away > gone) {
			l.dequeue(t)
			delete(l.tickets, name)
		}
	}
}

// find returns a ticket by its name for a request of its player, nil if there is none. Where the player has an account,
// it must be the account of the ticket; otherwise anybody that sees a ticket could play under its account.
func (l *line) find(name, account string) *ticket {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tickets[name]
	if t == nil || account != "" && t.who.Account != account {
		return nil
	}
	t.asked = time.Now()
	return t
}

// wait waits for a seat, and returns it or the place in the queue.
func (l *line) wait(ctx context.Context, t *ticket, most time.Duration) (*seat, int) {
	l.mu.Lock()
	t.asked = time.Now()
	t.asking++
	given := t.given
	l.mu.Unlock()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-given:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t.asking--
	t.asked = time.Now()
	return t.seat, slices.Index(l.queue, t) + 1
}

// first returns the ticket that is next, nil if the line is empty, and a channel that has an element when a player
// joins the line. Players that have left are removed first.
func (l *line) first() (*ticket, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(time.Now())
	if len(l.queue) == 0 {
		return nil, l.more
	}
	return l.queue[0], l.more
}

// give gives a seat.
func (l *line) give(t *ticket, s *seat) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dequeue(t)
	t.seat = s
	close(t.given)
	l.last = []Place{s.place}
}

// lastPlace returns the place of the seat given last; none before.
func (l *line) lastPlace() []Place {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.last)
}

// seatOf returns the seat of a ticket, nil while it waits.
func (l *line) seatOf(t *ticket) *seat {
	l.mu.Lock()
	defer l.mu.Unlock()
	return t.seat
}

// requeue lets a ticket wait for another seat than the one that it had, in front of the others: its player was in a
// match. It does nothing where another request of the player has done that already, and may have got the next one.
func (l *line) requeue(t *ticket, had *seat) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.seat == nil || t.seat != had {
		return
	}
	t.seat, t.given, t.since = nil, make(chan struct{}), time.Now()
	l.enqueue(t, 0)
}

// renew gives a ticket the newest answer of its server, which may have been started again. It returns false where another
// request has done so.
func (l *line) renew(t *ticket, had *seat, a *join.Answer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.seat != had {
		return false
	}
	t.seat = &seat{place: had.place, answer: a}
	return true
}

// silentFor records whether the server of a seat is silent, and returns for how long it has been: 0 only if it is not.
func (l *line) silentFor(s *seat, now time.Time, silent bool) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !silent:
		s.silent = time.Time{}
		return 0
	case s.silent.IsZero():
		s.silent = now
	}
	return max(now.Sub(s.silent), 1)
}

// drain refuses newcomers from now on.
func (l *line) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
}

func (l *line) draining() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopped
}

// waiting returns the number of waiting players.
func (l *line) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(time.Now())
	return len(l.queue)
}
