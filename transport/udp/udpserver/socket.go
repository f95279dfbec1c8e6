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
	receive(b []byte, from netip.AddrPort, now time.Time)
	batchEnd(now time.Time)
}

// outbox holds packets until Flush. It is a udpwire.Sender.
type outbox struct {
	mu     sync.Mutex
	socket *Socket
	n      int
	to     [batchSize]netip.AddrPort
	sizes  [batchSize]int
	bytes  [batchSize][udpwire.MaxPacket]byte
	batch  sendBatch
}

func newOutbox(s *Socket) *outbox {
	o := &outbox{socket: s}
	o.batch.init(o)
	return o
}

// Send implements udpwire.Sender.
func (o *outbox) Send(packet []byte, to netip.AddrPort) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n == batchSize {
		o.flush()
	}
	o.to[o.n] = to
	o.sizes[o.n] = copy(o.bytes[o.n][:], packet)
	o.n++
}

// Flush implements udpwire.Sender.
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
