package pump

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// The most connections a door keeps waiting.
const (
	// maxGreeting is how many connections may be on their way to their first
	// message at a time.
	maxGreeting = 1024
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
	closed   bool
	waiting  chan *Conn
	done     chan struct{}
	guests   sync.WaitGroup
}

// NewDoor gives an open door.
func NewDoor() *Door {
	return &Door{
		live:    make(map[*Conn]struct{}),
		waiting: make(chan *Conn, maxWaiting),
		done:    make(chan struct{}),
	}
}

// Done is closed when the door is.
func (d *Door) Done() <-chan struct{} { return d.done }

// Admit takes a connection in: it returns when the connection is on its way
// to Accept, or has ended. hello is how long it may take to say something.
func (d *Door) Admit(c *Conn, hello time.Duration) {
	if why := d.enter(c); why != "" {
		c.Close(why)
		return
	}
	timer := time.NewTimer(hello)
	defer timer.Stop()
	select {
	case <-c.hello:
	case <-c.done:
	case <-timer.C:
		c.Close("no hello in time")
	}
	d.mu.Lock()
	d.greeting--
	d.mu.Unlock()
	if c.Closed() {
		return
	}
	select {
	case d.waiting <- c:
	default:
		c.Close("server busy")
	}
}

// enter books a connection until it is gone; or says why not.
func (d *Door) enter(c *Conn) (why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return "server closed"
	}
	if d.greeting >= maxGreeting {
		return "server busy"
	}
	d.greeting++
	d.live[c] = struct{}{}
	d.guests.Add(1)
	go func() {
		defer d.guests.Done()
		<-c.Gone()
		d.mu.Lock()
		delete(d.live, c)
		d.mu.Unlock()
	}()
	return ""
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
