package front

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/join"
)

// The subjects by which the front doors of the same players communicate.
const (
	subjectLine = "backstep.front.line" // a lineReport, to all front doors
	subjectSeat = "backstep.front.seat" // a seatReport, to all front doors
	subjectAsk  = "backstep.front.ask." // followed by the name of a front door: a forwarded request, to that one
)

// The intervals of reports and the timeouts of other front doors.
const (
	reportInterval = 250 * time.Millisecond
	reportTimeout  = 4 * reportInterval // after it, a front door counts as gone
	// For fullMemory after the fleet was full, seats go to the player that has waited longest at any front door.
	// Otherwise each front door serves its own line.
	fullMemory = 5 * time.Second
	// forwardTimeout is how long another front door may take to answer, including the time that it holds a request.
	forwardTimeout = hold + time.Second
)

// lineReport describes the line of one front door.
type lineReport struct {
	Door    string    `json:"door"`
	Waiting int       `json:"waiting"`
	Since   time.Time `json:"since"` // since when the first in the queue waits
}

// seatReport is a seat that was just given, so that no server's status shows it yet.
type seatReport struct {
	Door  string `json:"door"`
	Place Place  `json:"place"`
}

// forwarded is a request that came to another front door than the one that gave its ticket. The answer is a
// join.Answer, which is empty if the ticket is unknown.
type forwarded struct {
	Ticket string           `json:"ticket"`
	Who    session.Identity `json:"who"`
}

// peers communicates with the other front doors. A ticket begins with the name of its front door, so a request finds its
// line from any of them. It is safe for concurrent use.
type peers struct {
	conn *nats.Conn // nil: this front door is the only one
	me   string
	log  *slog.Logger

	mu      sync.Mutex
	reports map[string]receivedReport // by front door
	full    time.Time                 // when the fleet was last full
	subs    []*nats.Subscription
}

// receivedReport is a report and its time of arrival.
type receivedReport struct {
	lineReport
	at time.Time
}

func newPeers(conn *nats.Conn, log *slog.Logger) *peers {
	return &peers{conn: conn, me: newName()[:8], log: log, reports: map[string]receivedReport{}}
}

// ticketName returns a name for a new ticket of this front door.
func (p *peers) ticketName() string { return p.me + "-" + newName() }

// begin subscribes to the others. noteSeat is called with each seat that they give, serve with each request that they
// forward.
func (p *peers) begin(noteSeat func(Place), serve func(context.Context, forwarded) join.Answer) error {
	if p.conn == nil {
		return nil
	}
	on := func(subject string, f func(*nats.Msg)) error {
		s, err := p.conn.Subscribe(subject, f)
		p.subs = append(p.subs, s)
		return err
	}
	return errors.Join(
		on(subjectLine, func(m *nats.Msg) {
			var n lineReport
			if p.read(m, &n) && n.Door != p.me {
				p.receive(n, time.Now())
			}
		}),
		on(subjectSeat, func(m *nats.Msg) {
			var n seatReport
			if p.read(m, &n) && n.Door != p.me {
				noteSeat(n.Place)
			}
		}),
		on(subjectAsk+p.me, func(m *nats.Msg) {
			var e forwarded
			if !p.read(m, &e) {
				return
			}
			go func() { // it may wait for a seat
				ctx, cancel := context.WithTimeout(context.Background(), forwardTimeout)
				defer cancel()
				answer := serve(ctx, e)
				b, err := json.Marshal(&answer)
				if err == nil {
					err = m.Respond(b)
				}
				p.warn(err)
			}()
		}),
		p.conn.Flush(),
	)
}

// end unsubscribes.
func (p *peers) end() {
	for _, s := range p.subs {
		_ = s.Unsubscribe()
	}
}

// read decodes a message. It logs and ignores one that it cannot read.
func (p *peers) read(m *nats.Msg, v any) bool {
	err := json.Unmarshal(m.Data, v)
	p.warn(err)
	return err == nil
}

func (p *peers) warn(err error) {
	if err != nil {
		p.log.Warn("another front door", "why", err)
	}
}

// receive stores the newest report of a front door.
func (p *peers) receive(n lineReport, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reports[n.Door] = receivedReport{n, now}
}

// publish sends a message to the others.
func (p *peers) publish(subject string, v any) {
	if p.conn == nil {
		return
	}
	b, err := json.Marshal(v)
	if err == nil {
		err = p.conn.Publish(subject, b)
	}
	p.warn(err)
}

// publishLines publishes the line of this front door at regular intervals, until the context ends.
func (p *peers) publishLines(ctx context.Context, l *line) {
	every := time.NewTicker(reportInterval)
	defer every.Stop()
	for p.conn != nil {
		p.publishLine(l)
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// publishLine publishes a report of this front door's line.
func (p *peers) publishLine(l *line) {
	n := lineReport{Door: p.me, Waiting: l.waiting()}
	if t, _ := l.first(); t != nil {
		n.Since = t.since
	}
	p.publish(subjectLine, n)
}

// noSeat notes that every server is full.
func (p *peers) noSeat(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.full = now
}

// yields reports whether a player at another front door has waited longer than one here that waits since a time. It
// reports false while the fleet has seats.
func (p *peers) yields(since, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.full) > fullMemory {
		return false
	}
	for door, n := range p.reports {
		switch {
		case now.Sub(n.at) > reportTimeout:
			delete(p.reports, door)
		case n.Waiting > 0 && n.Since.Before(since):
			return true
		}
	}
	return false
}

// before estimates how many players at other front doors have waited longer than one here that waits since a time. It
// assumes that the players of a line have joined it evenly.
func (p *peers) before(since, now time.Time) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.reports {
		if past := h.at.Sub(h.Since); now.Sub(h.at) <= reportTimeout && h.Waiting > 0 && h.Since.Before(since) {
			share := min(1, float64(since.Sub(h.Since))/float64(max(past, time.Millisecond)))
			n += 1 + int(share*float64(h.Waiting-1))
		}
	}
	return n
}

// forward sends a request to the front door that gave its ticket. ok is false if that is gone or does not know the
// ticket; the player then begins anew.
func (p *peers) forward(ctx context.Context, e forwarded) (a join.Answer, ok bool) {
	door, _, found := strings.Cut(e.Ticket, "-")
	if p.conn == nil || !found || door == p.me || !isName(door) {
		return a, false
	}
	b, err := json.Marshal(&e)
	if err != nil {
		return a, false
	}
	soon, cancel := context.WithTimeout(ctx, forwardTimeout)
	defer cancel()
	m, err := p.conn.RequestWithContext(soon, subjectAsk+door, b)
	if err != nil || !p.read(m, &a) {
		return a, false // the front door is gone
	}
	return a, a.Ticket != ""
}

// isName reports whether a text from a player can be the name of a front door. The name becomes part of a subject.
func isName(s string) bool {
	return len(s) == 8 && strings.Trim(s, "0123456789abcdef") == ""
}
