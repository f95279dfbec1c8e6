// Package udpserver implements the server's end of transport/udp. Start at [Listen].
//
// It shares its port with QUIC: [Listener.Socket] is a socket for quicserver.Config.Socket, and the listener takes its
// own packets from it. One goroutine reads, in batches, for all connections and QUIC; one looks after all timers; no
// connection has a goroutine. Config.Rest lets the reader sleep until a tick. What a tick sends leaves in one system
// call where the kernel has sendmmsg, if Config.Held is set and the loop calls Flush (transport.Flusher).
//
// The server keeps nothing about an address before the address has returned a challenge. No answer is longer than the
// packet that it answers, and a packet that belongs to no connection gets none.
package udpserver

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
	"github.com/backstep-net/backstep/transport/internal/udpwire"
)

// Ticket opens one connection; a client gets it with the join answer.
type Ticket = udpwire.Ticket

// Config configures a Listener. The zero Config listens on a free port of every interface, which it does not
// share.
type Config struct {
	// Addr is the UDP address, "host:port". Port 0 or "" picks a free one.
	Addr string
	// Hello is how long a connection may take to send its first message. Zero means transport.HelloTimeout.
	Hello time.Duration
	// Held is whether datagrams wait until Flush is called of one of the listener's connections, 40 ms at most:
	// for a loop that sends to many in each tick. False means that they leave at once.
	Held bool
	// Rest sleeps until what has arrived is needed, atMost so long: until shortly before the next tick. It returns
	// false at once if packets are needed as they arrive, and so does a nil Rest. While the reader sleeps the kernel
	// keeps packets with their times of arrival. Systems other than Linux read packets as they arrive.
	Rest func(atMost time.Duration) bool
	// Shared is whether QUIC reads [Listener.Socket]. False means that the listener reads it.
	Shared bool
}

// maxWaiting bounds the connections that wait for Accept.
const maxWaiting = 256

// peer is one connection of the listener.
type peer struct {
	conn    *udpwire.Conn
	public  [udpwire.KeyBytes]byte // of its client
	leave   func()                 // gives its place before the hello back
	helloBy time.Time
	hello   atomic.Bool // its first message has come
	out     *outbox
	source  atomic.Pointer[source] // where its packets are sent to, from which the server's come
}

// source is one of this machine's addresses, and the control data by which packets leave from it.
type source struct {
	address netip.Addr
	control []byte
}

func newSource(a netip.Addr) *source { return &source{a, sourceControl(a)} }

// Send implements udpwire.Sender.
func (p *peer) Send(packet []byte, to netip.AddrPort) {
	p.out.send(packet, to, p.source.Load().control)
}

// Flush implements udpwire.Sender.
func (p *peer) Flush() { p.out.Flush() }

// Listener is a transport.Listener.
type Listener struct {
	config  Config
	socket  *Socket
	doorman *udpwire.Doorman
	places  *pump.AcceptQueue // of connections before their hello
	waiting chan *udpwire.Conn
	done    chan struct{}
	wake    chan struct{} // holds one token: there is a connection to sweep
	working sync.WaitGroup
	touched []*udpwire.Conn // of the reading goroutine: connections of a batch
	scratch [udpwire.MaxPacket]byte
	begun   atomic.Uint64
	swept   atomic.Int64 // when timers were looked after, in ns since 1970

	mu     sync.RWMutex
	closed bool
	peers  map[uint32]*peer
}

var _ transport.Listener = (*Listener)(nil)

// Listen opens the port.
func Listen(c Config) (*Listener, error) {
	if c.Hello <= 0 {
		c.Hello = transport.HelloTimeout
	}
	addr, err := net.ResolveUDPAddr("udp", c.Addr)
	if err != nil {
		return nil, fmt.Errorf("udp: address %q: %w", c.Addr, err)
	}
	doorman, err := udpwire.NewDoorman()
	if err != nil {
		return nil, fmt.Errorf("udp: %w", err)
	}
	udp, err := net.ListenUDP("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("udp: %w", err)
	}
	l := &Listener{
		config: c, doorman: doorman, places: pump.NewAcceptQueue(), waiting: make(chan *udpwire.Conn, maxWaiting),
		done: make(chan struct{}), wake: make(chan struct{}, 1), peers: map[uint32]*peer{},
	}
	if l.socket, err = newSocket(udp, l, c.Rest); err != nil {
		return nil, fmt.Errorf("udp: %w", err)
	}
	l.working.Go(l.sweep)
	if !c.Shared {
		_ = l.socket.SetReadBuffer(socketBuffer)
		_ = l.socket.SetWriteBuffer(socketBuffer)
		l.working.Go(l.read)
	}
	return l, nil
}

// socketBuffer is what the kernel is asked to hold in each direction, in bytes.
const socketBuffer = 4 << 20

// Socket returns the socket for quicserver.Config.Socket, if Config.Shared is set. Its reader closes it, after the
// listener.
func (l *Listener) Socket() *Socket { return l.socket }

// Ticket returns a ticket for one connection.
func (l *Listener) Ticket() *Ticket { return l.doorman.Ticket(time.Now()) }

// read reads the socket where QUIC does not.
func (l *Listener) read() {
	for l.socket.discard() {
	}
}

// receive takes one packet, by the reading goroutine; answers follow at the end of the batch.
func (l *Listener) receive(b []byte, from netip.AddrPort, local netip.Addr, at time.Time) {
	if id, ok := udpwire.PacketID(b); ok {
		if p := l.find(id); p != nil && p.conn.Receive(b, from, at) {
			l.touched = append(l.touched, p.conn)
			if p.source.Load().address != local {
				p.source.Store(newSource(local))
			}
		}
		return
	}
	if reply := l.doorman.Request(l.scratch[:0], b, from, at); len(reply) > 0 {
		l.socket.out.send(reply, from, sourceControl(local))
		return
	}
	if a, ok := l.doorman.Response(b, from, at); ok {
		l.enter(&a, from, local, at)
	}
}

// batchEnd answers what the packets of a batch want answered.
func (l *Listener) batchEnd(now time.Time) {
	for i, c := range l.touched {
		c.Answer(now)
		l.touched[i] = nil
	}
	l.touched = l.touched[:0]
	l.doorman.Sweep(now)
	l.socket.out.Flush()
}

// find returns the connection of that ID, nil if there is none.
func (l *Listener) find(id uint32) *peer {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.peers[id]
}

// enter makes the connection of a client whose address is valid, or answers again where the first answer was lost.
func (l *Listener) enter(a *udpwire.Accepted, from netip.AddrPort, local netip.Addr, now time.Time) {
	if p := l.find(a.ID); p != nil {
		if p.public == a.Public && p.conn.Address() == from {
			p.conn.Greet(now)
		}
		return
	}
	if !a.New {
		return
	}
	p := &peer{public: a.Public, helloBy: now.Add(l.config.Hello), out: l.socket.out}
	p.source.Store(newSource(local))
	config := udpwire.Config{Sender: p, Keys: a.Keys, ID: a.ID, Remote: from, Server: true, Held: l.config.Held}
	config.Hello = func(c *udpwire.Conn) { l.greeted(p) }
	p.conn = udpwire.New(config, now)
	leave, ok := l.places.Reserve(from.String(), func() { p.conn.Close(pump.Busy) })
	if !ok {
		return
	}
	p.leave = leave
	l.mu.Lock()
	if !l.closed {
		l.peers[a.ID] = p
	}
	l.mu.Unlock()
	l.begun.Add(1)
	p.conn.Greet(now)
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// greeted hands a connection to Accept.
func (l *Listener) greeted(p *peer) {
	p.hello.Store(true)
	p.leave()
	select {
	case l.waiting <- p.conn:
	default:
		p.conn.Close("server busy")
	}
}

// sweep looks after the timers of all connections, as long as there are any. The reader does that itself while it
// sleeps until ticks; then sweep looks four times less often, for the case that the reader begins to wait for packets.
func (l *Listener) sweep() {
	interval := udpwire.SweepInterval
	if l.config.Rest != nil {
		interval *= 4
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		n := l.sweepAll(time.Now())
		if n == 0 {
			tick.Stop()
			select {
			case <-l.done:
				if l.sweepAll(time.Now()) == 0 { // a client may have come at the same time
					return
				}
			case <-l.wake:
			}
			tick.Reset(interval)
		}
		<-tick.C
	}
}

// rested looks after timers when the reader has slept.
func (l *Listener) rested(now time.Time) {
	if now.UnixNano()-l.swept.Load() >= int64(udpwire.SweepInterval) {
		l.sweepAll(now)
	}
}

// sweepAll calls each connection's timers, forgets those that are finished, and returns how many are left.
func (l *Listener) sweepAll(now time.Time) int {
	var finished []uint32
	l.swept.Store(now.UnixNano())
	l.mu.RLock()
	for id, p := range l.peers {
		if !p.hello.Load() && now.After(p.helloBy) {
			if !p.conn.Closed() {
				l.places.NoteUnheard()
			}
			p.conn.Close("no hello in time")
		}
		if !p.conn.Sweep(now) {
			p.leave()
			finished = append(finished, id)
		}
	}
	left := len(l.peers) - len(finished)
	l.mu.RUnlock()
	l.socket.out.Flush()
	if len(finished) > 0 {
		l.mu.Lock()
		for _, id := range finished {
			delete(l.peers, id)
		}
		l.mu.Unlock()
	}
	return left
}

// Unheard returns how many connections have sent no hello in time, or gave way to newer ones before.
func (l *Listener) Unheard() uint64 { return l.places.Unheard() }

// Handshakes returns how many connections have been begun since the port was opened.
func (l *Listener) Handshakes() uint64 { return l.begun.Load() }

// Accept implements transport.Listener. It skips connections that ended while they waited.
func (l *Listener) Accept(ctx context.Context) (transport.Conn, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-l.done:
			return nil, net.ErrClosed
		case c := <-l.waiting:
			if !c.Closed() {
				return c, nil
			}
		}
	}
}

// Addr implements transport.Listener.
func (l *Listener) Addr() net.Addr { return l.socket.LocalAddr() }

// Close implements transport.Listener. It closes every connection with the reason "server closed", and returns when
// the clients have confirmed it, after 300 ms at most. Whoever shares the socket closes it afterwards.
func (l *Listener) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	var open []*udpwire.Conn
	for _, p := range l.peers {
		open = append(open, p.conn)
	}
	l.mu.Unlock()
	close(l.done)
	for _, c := range open {
		c.Close("server closed")
	}
	for _, c := range open {
		<-c.Finished()
	}
	l.places.Close("")
	var err error
	if !l.config.Shared {
		err = l.socket.Close()
	}
	l.working.Wait()
	return err
}
