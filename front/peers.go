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

// The subjects on which the front doors of the same players talk.
const (
	subjectLine = "backstep.front.line" // a door's line, for all: lineNews
	subjectSeat = "backstep.front.seat" // a seat that was given, for all: seatNews
	subjectAsk  = "backstep.front.ask." // and a door's name: somebody with one of its tickets has asked here: errand
)

// How the doors keep up with each other.
const (
	newsEvery = 250 * time.Millisecond
	newsLast  = 4 * newsEvery // then a door counts as gone
	// short is for how long after a full fleet seats go to whoever waits longest at any door, before that each door
	// serves its own line.
	short = 5 * time.Second
	// errandTimeout is how long another door may take to answer, beside the time for which it holds requests.
	errandTimeout = hold + 2*time.Second
)

// lineNews is what a door tells the others of its line.
type lineNews struct {
	Door    string    `json:"door"`
	Waiting int       `json:"waiting"`
	Since   time.Time `json:"since"` // since when its first waits
}

// seatNews is a seat that was given, which shows in no server's status yet.
type seatNews struct {
	Door  string `json:"door"`
	Place Place  `json:"place"`
}

// errand is a request that came to another door than the one that gave its ticket. The answer is a join.Answer,
// an empty one if the ticket is unknown there.
type errand struct {
	Ticket string           `json:"ticket"`
	Who    session.Identity `json:"who"`
}

// peers is the other front doors. A ticket begins with the name of its door, so a request finds its line at
// whatever door it comes in. It is for any goroutine.
type peers struct {
	conn *nats.Conn // nil: this door is the only one
	me   string
	log  *slog.Logger

	mu   sync.Mutex
	news map[string]heard // by door
	full time.Time        // when there was no seat last
	subs []*nats.Subscription
}

// heard is a door's news and when they came.
type heard struct {
	lineNews
	at time.Time
}

func newPeers(conn *nats.Conn, log *slog.Logger) *peers {
	return &peers{conn: conn, me: newName()[:8], log: log, news: map[string]heard{}}
}

// ticketName returns a name for a new ticket of this door.
func (p *peers) ticketName() string { return p.me + "-" + newName() }

// begin listens to the others. taken is told of their seats; errands answers who comes with a ticket of this door's.
func (p *peers) begin(taken func(Place), errands func(context.Context, errand) join.Answer) error {
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
			var n lineNews
			if p.read(m, &n) && n.Door != p.me {
				p.hear(n, time.Now())
			}
		}),
		on(subjectSeat, func(m *nats.Msg) {
			var n seatNews
			if p.read(m, &n) && n.Door != p.me {
				taken(n.Place)
			}
		}),
		on(subjectAsk+p.me, func(m *nats.Msg) {
			var e errand
			if !p.read(m, &e) {
				return
			}
			go func() { // it may be held for a while
				ctx, cancel := context.WithTimeout(context.Background(), errandTimeout)
				defer cancel()
				answer := errands(ctx, e)
				b, err := json.Marshal(&answer)
				if err == nil {
					err = m.Respond(b)
				}
				p.complain(err)
			}()
		}),
		p.conn.Flush(),
	)
}

// end stops listening.
func (p *peers) end() {
	for _, s := range p.subs {
		_ = s.Unsubscribe()
	}
}

// read reads a message; one that is not ours is complained of and left.
func (p *peers) read(m *nats.Msg, v any) bool {
	err := json.Unmarshal(m.Data, v)
	p.complain(err)
	return err == nil
}

func (p *peers) complain(err error) {
	if err != nil {
		p.log.Warn("another front door", "why", err)
	}
}

// hear takes in a door's news.
func (p *peers) hear(n lineNews, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.news[n.Door] = heard{n, now}
}

// tell tells the others something.
func (p *peers) tell(subject string, v any) {
	if p.conn == nil {
		return
	}
	b, err := json.Marshal(v)
	if err == nil {
		err = p.conn.Publish(subject, b)
	}
	p.complain(err)
}

// gossip tells the others of this door's line until the context ends.
func (p *peers) gossip(ctx context.Context, l *line) {
	every := time.NewTicker(newsEvery)
	defer every.Stop()
	for p.conn != nil {
		p.tellLine(l)
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// tellLine tells the others of this door's line.
func (p *peers) tellLine(l *line) {
	n := lineNews{Door: p.me, Waiting: l.waiting()}
	if t, _ := l.first(); t != nil {
		n.Since = t.since
	}
	p.tell(subjectLine, n)
}

// noSeat notes that every server is full.
func (p *peers) noSeat(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.full = now
}

// yields reports whether somebody who waits at another door comes before one who waits here since a time. While
// there are seats nobody has to.
func (p *peers) yields(since, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.full) > short {
		return false
	}
	for door, n := range p.news {
		switch {
		case now.Sub(n.at) > newsLast:
			delete(p.news, door)
		case n.Waiting > 0 && n.Since.Before(since):
			return true
		}
	}
	return false
}

// before estimates how many at other doors wait longer than somebody who waits here since a time: of a line as many
// as if they had come evenly.
func (p *peers) before(since, now time.Time) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.news {
		if past := h.at.Sub(h.Since); now.Sub(h.at) <= newsLast && h.Waiting > 0 && h.Since.Before(since) {
			share := min(1, float64(since.Sub(h.Since))/float64(max(past, time.Millisecond)))
			n += 1 + int(share*float64(h.Waiting-1))
		}
	}
	return n
}

// ask sends a request to the door that gave its ticket. ok is false if there is no such door, or it does not know
// the ticket: then its player begins anew.
func (p *peers) ask(ctx context.Context, e errand) (a join.Answer, ok bool) {
	door, _, found := strings.Cut(e.Ticket, "-")
	if p.conn == nil || !found || door == p.me || !isName(door) {
		return a, false
	}
	b, err := json.Marshal(&e)
	if err != nil {
		return a, false
	}
	soon, cancel := context.WithTimeout(ctx, errandTimeout)
	defer cancel()
	m, err := p.conn.RequestWithContext(soon, subjectAsk+door, b)
	if err != nil || !p.read(m, &a) {
		return a, false // the door is gone
	}
	return a, a.Ticket != ""
}

// isName reports whether a text of a player's can be a door's name: it becomes a subject.
func isName(s string) bool {
	return len(s) == 8 && strings.Trim(s, "0123456789abcdef") == ""
}
