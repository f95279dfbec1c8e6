package udpserver

import (
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport/internal/udpwire"
)

const (
	// batchSize is how many packets one system call receives or sends.
	batchSize = 64
	// maxPacket is the longest packet that is sent: one of quic-go's.
	maxPacket = 1500
	// maxSendControl is how much control data goes with a packet: the address that it leaves from, and ECN.
	maxSendControl = 96

	// maxWait is the longest time for which a reader leaves packets to the kernel, so that acknowledgements are not
	// later where the next tick is far away. While handshakes are under way the time is hurryWait at most: a
	// handshake is several round trips. One that has begun counts for hurryTime.
	maxWait   = 20 * time.Millisecond
	hurryWait = time.Millisecond
	hurryTime = 300 * time.Millisecond
	// maxKept is how many packets the reader leaves to the kernel, by the rate at which they came: a system's default
	// buffer holds a few hundred.
	maxKept = 128
)

// receiver takes the packets of this protocol from a socket.
type receiver interface {
	// receive takes a packet that came from an address at a time and was sent to local, which is zero if the system
	// does not report it.
	receive(b []byte, from netip.AddrPort, local netip.Addr, at time.Time)
	batchEnd(now time.Time)
	// rested is called after each sleep of the reader.
	rested(now time.Time)
}

// pace decides how long a reader leaves packets to the kernel.
type pace struct {
	rest    func(atMost time.Duration) bool // Config.Rest
	hurry   time.Time                       // until then handshakes are under way
	packets int                             // that were read since the last sleep began
	slept   time.Time                       // when it began
}

// see notes a packet by its first byte.
func (p *pace) see(first byte, now time.Time) {
	p.packets++
	if udpwire.IsHandshake(first) {
		p.hurry = now.Add(hurryTime)
	}
}

// sleep sleeps until packets are due. It returns false at once if they are due as they arrive.
func (p *pace) sleep(now time.Time) bool {
	if p.rest == nil {
		return false
	}
	return p.rest(p.longest(now))
}

// longest returns how long the reader sleeps at most, from now.
func (p *pace) longest(now time.Time) time.Duration {
	longest := maxWait
	if now.Before(p.hurry) {
		longest = hurryWait
	}
	if p.packets > 0 {
		longest = min(longest, now.Sub(p.slept)*maxKept/time.Duration(p.packets))
	}
	p.packets, p.slept = 0, now
	return longest
}

// outbox holds packets until Flush.
type outbox struct {
	mu       sync.Mutex
	socket   *Socket
	claimed  bool // a caller of sendSoon is about to flush
	n        int
	to       [batchSize]netip.AddrPort
	sizes    [batchSize]int
	controls [batchSize]int // the bytes of control
	bytes    [batchSize][maxPacket]byte
	control  [batchSize][maxSendControl]byte
	batch    sendBatch
}

func newOutbox(s *Socket) *outbox {
	o := &outbox{socket: s}
	o.batch.init(o)
	return o
}

// send queues a packet; control says which of this machine's addresses it leaves from.
func (o *outbox) send(packet []byte, to netip.AddrPort, control []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.put(packet, to)
	o.controls[n] = copy(o.control[n][:], control)
}

// put adds a packet without control data and returns its index.
func (o *outbox) put(packet []byte, to netip.AddrPort) (i int) {
	if o.n == batchSize {
		o.flush()
	}
	i = o.n
	o.to[i], o.controls[i] = to, 0
	o.sizes[i] = copy(o.bytes[i][:], packet)
	o.n++
	return i
}

// sendSoon queues packets of one address, end to end, of which control says the size if they are several. The first
// caller lets other goroutines run, which may be connections that have packets too, and then flushes.
func (o *outbox) sendSoon(packets []byte, control []byte, to netip.AddrPort) {
	if o.queue(packets, control, to) {
		runtime.Gosched()
		o.Flush()
	}
}

// queue queues packets and reports whether its caller has to flush.
func (o *outbox) queue(packets []byte, control []byte, to netip.AddrPort) (first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		i := o.put(packets, to)
		n, segment := readControl(o.control[i][:], control)
		o.controls[i] = n
		if segment == 0 || segment >= len(packets) {
			break
		}
		o.sizes[i] = segment
		packets = packets[segment:]
	}
	first = !o.claimed
	o.claimed = true
	return first
}

// Flush sends what is queued.
func (o *outbox) Flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
}

func (o *outbox) flush() {
	o.claimed = false
	if o.n > 0 {
		o.batch.send(o)
		o.n = 0
	}
}
