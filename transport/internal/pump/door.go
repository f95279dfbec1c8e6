package pump

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// The most connections a door keeps waiting.
const (
	// maxGreeting is how many connections may be on their way to their first
	// message at a time, and maxGreetingFrom how many of them from one
	// address (one /64 of IPv6), so that nobody holds all places alone. This
	// machine's own addresses have only the first bound.
	maxGreeting     = 1024
	maxGreetingFrom = 64
	// maxWaiting is how many may wait for Accept.
	maxWaiting = 256
)

// Door stands between connections that have arrived and the game: it hands
// out those that have said something, closes those that have not in time, and
// knows all of them, so that it can end them.
type Door struct {
	mu       sync.Mutex
	live     map[*Conn]struct{}
	greeting int
	from     map[netip.Prefix]int // of greeting, by address
	closed   bool
	waiting  chan *Conn
	done     chan struct{}
	guests   sync.WaitGroup
}

// NewDoor gives an open door.
func NewDoor() *Door {
	return &Door{
		live:    make(map[*Conn]struct{}),
		from:    make(map[netip.Prefix]int),
		waiting: make(chan *Conn, maxWaiting),
		done:    make(chan struct{}),
	}
}

// Knock takes a place for a newcomer from an address ("host:port") until
// leave is called, which must happen once its greeting is over, and may happen
// twice. It reports false when there is none: then refuse the newcomer.
func (d *Door) Knock(address string) (leave func(), ok bool) {
	block := blockOf(address)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.greeting >= maxGreeting {
		return nil, false
	}
	if d.from[block] >= maxGreetingFrom && !block.Addr().IsLoopback() {
		return nil, false
	}
	d.greeting++
	d.from[block]++
	return sync.OnceFunc(func() { d.leave(block) }), true
}

// leave gives a place back.
func (d *Door) leave(block netip.Prefix) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.greeting--
	if d.from[block]--; d.from[block] == 0 {
		delete(d.from, block)
	}
}

// blockOf is the addresses that count as one. What cannot be read counts as
// one too.
func blockOf(address string) netip.Prefix {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.Prefix{}
	}
	a := at.Addr().Unmap().WithZone("")
	bits := 32
	if a.Is6() {
		bits = 64
	}
	if a.IsLoopback() {
		bits = a.BitLen()
	}
	block, _ := a.Prefix(bits)
	return block
}

// Admit takes a connection in: it returns when the connection is on its way
// to Accept, or has ended. hello is how long it may take to say something.
func (d *Door) Admit(c *Conn, hello time.Duration) {
	if !d.enter(c) {
		c.Close("server closed")
		return
	}
	timer := time.NewTimer(hello)
	defer timer.Stop()
	select {
	case <-c.hello:
	case <-c.done:
		return
	case <-timer.C:
		c.Close("no hello in time")
		return
	}
	select {
	case d.waiting <- c:
	default:
		c.Close("server busy")
	}
}

// enter books a connection until it is gone, unless the door is closed.
func (d *Door) enter(c *Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.live[c] = struct{}{}
	d.guests.Add(1)
	go func() {
		defer d.guests.Done()
		<-c.Gone()
		d.mu.Lock()
		delete(d.live, c)
		d.mu.Unlock()
	}()
	return true
}

// Accept implements transport.Listener. A connection that ended while it
// waited is skipped.
func (d *Door) Accept(ctx context.Context) (transport.Conn, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-d.done:
			return nil, net.ErrClosed
		case c := <-d.waiting:
			if !c.Closed() {
				return c, nil
			}
		}
	}
}

// Close ends every connection with reason and waits until they are gone.
// It reports false when the door was closed already.
func (d *Door) Close(reason string) bool {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return false
	}
	d.closed = true
	close(d.done)
	for c := range d.live {
		c.Close(reason)
	}
	d.mu.Unlock()
	d.guests.Wait()
	return true
}
