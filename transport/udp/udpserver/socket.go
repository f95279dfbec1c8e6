package udpserver

import (
	"net/netip"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport/internal/udpwire"
)

// batchSize is how many packets one system call receives or sends.
const batchSize = 64

// receiver takes the packets of this protocol from a socket.
type receiver interface {
	// receive takes a packet that came from an address and was sent to local, which is zero where nobody knows.
	receive(b []byte, from netip.AddrPort, local netip.Addr, now time.Time)
	batchEnd(now time.Time)
}

// outbox holds packets until Flush.
type outbox struct {
	mu     sync.Mutex
	socket *Socket
	n      int
	to     [batchSize]netip.AddrPort
	from   [batchSize]netip.Addr // of this machine; zero: the kernel chooses
	sizes  [batchSize]int
	bytes  [batchSize][udpwire.MaxPacket]byte
	batch  sendBatch
}

func newOutbox(s *Socket) *outbox {
	o := &outbox{socket: s}
	o.batch.init(o)
	return o
}

// send queues a packet from one of this machine's addresses.
func (o *outbox) send(packet []byte, to netip.AddrPort, from netip.Addr) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n == batchSize {
		o.flush()
	}
	o.to[o.n], o.from[o.n] = to, from
	o.sizes[o.n] = copy(o.bytes[o.n][:], packet)
	o.n++
}

// Flush sends what is queued.
func (o *outbox) Flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
}

func (o *outbox) flush() {
	if o.n > 0 {
		o.batch.send(o)
		o.n = 0
	}
}
