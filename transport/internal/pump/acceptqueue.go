package pump

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// Bounds of an AcceptQueue.
const (
	// maxHandshakes bounds the connections that have not sent their first message, and
	// maxHandshakesPerAddress those from one address (one /64 of IPv6), so that one client
	// cannot take all places. Loopback addresses have only the first bound.
	maxHandshakes           = 1024
	maxHandshakesPerAddress = 64
	// maxWaiting bounds the connections that wait for Accept.
	maxWaiting = 256
)

// AcceptQueue holds connections between the handshake and the game. It hands out those that
// have sent a message, closes those that have not in time, and tracks all of them so that
// Close can end them.
type AcceptQueue struct {
	mu          sync.Mutex
	live        map[*Conn]struct{}
	handshaking int
	byAddress   map[netip.Prefix]int // handshakes by address
	closed      bool
	waiting     chan *Conn
	done        chan struct{}
	conns       sync.WaitGroup
}

// NewAcceptQueue returns an open queue.
func NewAcceptQueue() *AcceptQueue {
	return &AcceptQueue{
		live:      make(map[*Conn]struct{}),
		byAddress: make(map[netip.Prefix]int),
		waiting:   make(chan *Conn, maxWaiting),
		done:      make(chan struct{}),
	}
}

// Reserve takes a place for a new connection from an address ("host:port"). leave gives the
// place back: call it when the handshake is over; further calls do nothing. ok is false
// when there is no place: then refuse the connection.
func (d *AcceptQueue) Reserve(address string) (leave func(), ok bool) {
	block := transport.AddressBlock(address)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.handshaking >= maxHandshakes {
		return nil, false
	}
	if d.byAddress[block] >= maxHandshakesPerAddress && !block.Addr().IsLoopback() {
		return nil, false
	}
	d.handshaking++
	d.byAddress[block]++
	return sync.OnceFunc(func() { d.release(block) }), true
}

// release gives a place back.
func (d *AcceptQueue) release(block netip.Prefix) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handshaking--
	if d.byAddress[block]--; d.byAddress[block] == 0 {
		delete(d.byAddress, block)
	}
}

// Add waits until the connection can be accepted or has ended. hello is how long its first
// message may take.
func (d *AcceptQueue) Add(c *Conn, hello time.Duration) {
	if !d.register(c) {
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

// register tracks a connection until it has finished; it returns false after Close.
func (d *AcceptQueue) register(c *Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.live[c] = struct{}{}
	d.conns.Add(1)
	go func() {
		defer d.conns.Done()
		<-c.Finished()
		d.mu.Lock()
		delete(d.live, c)
		d.mu.Unlock()
	}()
	return true
}

// Accept implements transport.Listener. It skips connections that ended while they waited.
func (d *AcceptQueue) Accept(ctx context.Context) (transport.Conn, error) {
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

// Close ends every connection with reason and waits until they have finished. It returns
// false if the queue was closed already.
func (d *AcceptQueue) Close(reason string) bool {
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
	d.conns.Wait()
	return true
}
