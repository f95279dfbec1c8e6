package udpwire

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// link carries packets one way, with loss, duplicates and reordering.
type link struct {
	random    *rand.Rand
	loss, dup float64
	delay     time.Duration // and up to as much again, so that packets overtake each other
	waiting   []flying
	passed    [][]byte // copies of all that was sent, if keep is set
	keep      bool
	packets   int
	bytes     int
	from      netip.AddrPort
	last      netip.AddrPort // where the last one was sent to
}

type flying struct {
	at time.Time
	b  []byte
	to netip.AddrPort
}

func (l *link) Flush() {}

func (l *link) Send(b []byte, to netip.AddrPort) {
	l.packets++
	l.bytes += len(b)
	l.last = to
	if l.keep {
		l.passed = append(l.passed, slices.Clone(b))
	}
	for range 2 {
		if l.random.Float64() >= l.loss {
			late := l.delay
			if late > 0 {
				late += time.Duration(l.random.Int64N(int64(late)))
			}
			l.waiting = append(l.waiting, flying{time.Now().Add(late), slices.Clone(b), to})
		}
		if l.random.Float64() >= l.dup {
			return
		}
	}
}

// deliver hands over what is due, if it was sent to where the receiver is.
func (l *link) deliver(to *Conn, where netip.AddrPort) {
	now := time.Now()
	rest := l.waiting[:0]
	var due []flying
	for _, f := range l.waiting {
		if f.at.After(now) {
			rest = append(rest, f)
		} else {
			due = append(due, f)
		}
	}
	l.waiting = rest
	slices.SortStableFunc(due, func(a, b flying) int { return a.at.Compare(b.at) })
	for _, f := range due {
		if f.to != where {
			continue
		}
		to.Receive(f.b, l.from, now)
	}
	to.Answer(now)
}

// pair is a client and a server over two links. Call it in a bubble of testing/synctest.
type pair struct {
	client, server *Conn
	up, down       *link
	steps          int
}

var (
	clientAddress = netip.MustParseAddrPort("192.0.2.1:1000")
	serverAddress = netip.MustParseAddrPort("198.51.100.1:4433")
)

func newPair(seed uint64, loss, dup float64, delay time.Duration) *pair {
	random := rand.New(rand.NewPCG(seed, 0))
	p := &pair{
		up:   &link{random: random, loss: loss, dup: dup, delay: delay, from: clientAddress},
		down: &link{random: random, loss: loss, dup: dup, delay: delay, from: serverAddress},
	}
	var k Keys
	for i := range k.Up {
		k.Up[i], k.Down[i] = byte(i), byte(100+i)
	}
	now := time.Now()
	p.client = New(Config{Sender: p.up, Keys: k, ID: 7, Remote: serverAddress}, now)
	p.server = New(Config{Sender: p.down, Keys: k, ID: 7, Remote: clientAddress, Server: true}, now)
	return p
}

// step lets a millisecond pass.
func (p *pair) step() {
	time.Sleep(time.Millisecond)
	p.up.deliver(p.server, serverAddress)
	p.down.deliver(p.client, p.up.from)
	if p.steps++; p.steps%10 == 0 {
		p.client.Sweep(time.Now())
		p.server.Sweep(time.Now())
	}
}

// until steps until the condition holds; it fails after that time.
func (p *pair) until(t *testing.T, limit time.Duration, what string, done func() bool) time.Duration {
	t.Helper()
	begin := time.Now()
	for !done() {
		if p.step(); time.Since(begin) > limit {
			t.Fatalf("%s: not after %v", what, limit)
		}
	}
	return time.Since(begin)
}
