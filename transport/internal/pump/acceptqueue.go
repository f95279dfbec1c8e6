package pump

import (
	"container/list"
	"context"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// Bounds of an AcceptQueue.
const (
	// maxHandshakes bounds the connections that have not sent their first message, and
	// maxHandshakesPerAddress those from one address (one /64 of IPv6). Loopback addresses have only the
	// first bound.
	maxHandshakes           = 1024
	maxHandshakesPerAddress = 64
	// maxWaiting bounds the connections that wait for Accept.
	maxWaiting = 256
)

// Busy is the reason of a connection that gave way to newer ones before its first message.
const Busy = "server busy: too many connections are being opened"

// AcceptQueue holds connections between the handshake and the game. It hands out those that
// have sent a message, closes those that have not in time, and tracks all of them so that
// Close can end them.
//
// Where there is no place for a newcomer, the oldest that has not sent its message gives way: of the same
// address if that has its share, else of all. A client that means to play says hello within a round trip, and
// one that only holds places loses them first, to its neighbours behind the same address too. [THR-04]
type AcceptQueue struct {
	mu          sync.Mutex
	live        map[*Conn]struct{}
	handshaking list.List            // of *place, oldest first
	byAddress   map[netip.Prefix]int // how many of them, by address
	closed      bool
	waiting     chan *Conn
	done        chan struct{}
	conns       sync.WaitGroup
	unheard     atomic.Uint64
}

// place is one connection before its first message.
type place struct {
	block netip.Prefix
	end   func()
	left  bool // it was given back, or lost
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
// place back: call it when the handshake is over; further calls do nothing. end closes the connection with
// the reason [Busy]: it is called if the connection has to give way before that. ok is false after Close:
// then refuse the connection.
func (d *AcceptQueue) Reserve(address string, end func()) (leave func(), ok bool) {
	p := &place{block: transport.AddressBlock(address), end: end}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, false
	}
	if d.byAddress[p.block] >= maxHandshakesPerAddress && !p.block.Addr().IsLoopback() {
		d.evict(func(other *place) bool { return other.block == p.block })
	} else if d.handshaking.Len() >= maxHandshakes {
		d.evict(func(*place) bool { return true })
	}
	at := d.handshaking.PushBack(p)
	d.byAddress[p.block]++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.release(at)
	}, true
}

// evict ends the oldest that which says true of; the caller holds the lock.
func (d *AcceptQueue) evict(which func(*place) bool) {
	for at := d.handshaking.Front(); at != nil; at = at.Next() {
		if p := at.Value.(*place); which(p) {
			d.release(at)
			d.unheard.Add(1)
			go p.end() // it may take the transport's locks
			return
		}
	}
}

// Unheard returns how many connections have sent no hello in time, or gave way to newer ones before.
func (d *AcceptQueue) Unheard() uint64 { return d.unheard.Load() }

// NoteUnheard counts one that a listener closes itself.
func (d *AcceptQueue) NoteUnheard() { d.unheard.Add(1) }

// release gives a place back, unless it was given back already; the caller holds the lock.
func (d *AcceptQueue) release(at *list.Element) {
	p := at.Value.(*place)
	if p.left {
		return
	}
	p.left = true
	d.handshaking.Remove(at)
	if d.byAddress[p.block]--; d.byAddress[p.block] == 0 {
		delete(d.byAddress, p.block)
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
		d.NoteUnheard()
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
