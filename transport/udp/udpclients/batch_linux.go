package udpclients

import (
	"encoding/binary"
	"net/netip"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/backstep-net/backstep/transport/internal/udpwire"
)

const (
	// batchSize is how many packets one system call receives or sends.
	batchSize = 64
	// buffer is what the kernel is asked to hold in each direction, in bytes.
	buffer = 4 << 20
	// infoBytes is the control data of a received packet: the address that it was sent to, and when it arrived.
	infoBytes = sourceBytes + unix.SizeofCmsghdr + int(unsafe.Sizeof(unix.Timespec{}))
	// sourceBytes is the control data that names the address from which a packet leaves.
	sourceBytes = unix.SizeofCmsghdr + (unix.SizeofInet4Pktinfo+7)&^7
)

// open opens the socket. No poller knows it, so no packet wakes anything.
func open() (fd int, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	for _, o := range []struct{ level, option, value int }{
		{unix.IPPROTO_IP, unix.IP_PKTINFO, 1},
		{unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1},
		{unix.SOL_SOCKET, unix.SO_RCVBUF, buffer},
		{unix.SOL_SOCKET, unix.SO_SNDBUF, buffer},
	} {
		if err == nil {
			err = unix.SetsockoptInt(fd, o.level, o.option, o.value)
		}
	}
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrInet4{})
	}
	if err != nil {
		unix.Close(fd)
	}
	return fd, err
}

// sourceControl returns the control data by which a packet leaves from an address.
func sourceControl(from [4]byte) (c [sourceBytes]byte) {
	copy(c[:], unix.PktInfo4(&unix.Inet4Pktinfo{Spec_dst: from}))
	return c
}

// message is the kernel's struct mmsghdr.
type message struct {
	header unix.Msghdr
	length uint32
}

// batch is what one system call receives or sends.
type batch struct {
	messages [batchSize]message
	vectors  [batchSize]unix.Iovec
	names    [batchSize]unix.RawSockaddrInet4 // of those that are sent
	control  [batchSize][infoBytes]byte
	bytes    [batchSize][udpwire.MaxPacket]byte
}

func newBatch() *batch {
	b := &batch{}
	for i := range b.messages {
		b.vectors[i].Base = &b.bytes[i][0]
		b.vectors[i].SetLen(len(b.bytes[i]))
		h := &b.messages[i].header
		h.Iov, h.Control = &b.vectors[i], &b.control[i][0]
		h.SetIovlen(1)
	}
	return b
}

// receive receives what is there, and returns how many packets that are: fewer than batchSize mean that no more are.
func (b *batch) receive(fd int) int {
	for i := range b.messages {
		b.messages[i].header.SetControllen(infoBytes)
	}
	for {
		// Raw, as the call never waits: the runtime need not look for other work.
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(b)), batchSize, unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			return int(n)
		case unix.EINTR:
		default: // nothing is there, or the socket is closed
			return 0
		}
	}
}

// packet returns the bytes of a received packet.
func (b *batch) packet(i int) []byte { return b.bytes[i][:b.messages[i].length] }

// info returns to which address a packet was sent, and when it arrived.
func (b *batch) info(i int, now time.Time) (to uint32, at time.Time) {
	at = now
	for rest := b.control[i][:b.messages[i].header.Controllen]; len(rest) >= unix.SizeofCmsghdr; {
		header, body, next, err := unix.ParseOneSocketControlMessage(rest)
		if err != nil {
			break
		}
		switch rest = next; {
		case header.Level == unix.SOL_SOCKET && header.Type == unix.SO_TIMESTAMPNS:
			t := (*unix.Timespec)(unsafe.Pointer(&body[0]))
			at = udpwire.Arrival(now, t.Nano())
		case header.Level == unix.IPPROTO_IP && header.Type == unix.IP_PKTINFO:
			to = binary.BigEndian.Uint32(body[8:]) // after the interface and the address of an answer
		}
	}
	return to, at
}

// outbox holds packets until flush.
type outbox struct {
	mu    sync.Mutex
	fd    int // −1 once it is closed
	n     int
	batch *batch
}

// send queues a packet.
func (o *outbox) send(packet []byte, to netip.AddrPort, source *[sourceBytes]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n == batchSize {
		o.flushLocked()
	}
	i, b := o.n, o.batch
	o.n++
	b.vectors[i].SetLen(copy(b.bytes[i][:], packet))
	copy(b.control[i][:], source[:])
	n := &b.names[i]
	n.Family, n.Addr = unix.AF_INET, to.Addr().As4()
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&n.Port))[:], to.Port())
	h := &b.messages[i].header
	h.Name, h.Namelen = (*byte)(unsafe.Pointer(n)), unix.SizeofSockaddrInet4
	h.SetControllen(sourceBytes)
}

// flush sends what is queued. What the kernel does not take is lost, as on the way.
func (o *outbox) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushLocked()
}

func (o *outbox) flushLocked() {
	for from := 0; from < o.n && o.fd >= 0; {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(o.fd), uintptr(unsafe.Pointer(&o.batch.messages[from])), uintptr(o.n-from), unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			from += int(n)
		case unix.EINTR:
		case unix.EAGAIN: // its buffer is full
			from = o.n
		default: // the first cannot be sent, the next may
			from++
		}
	}
	o.n = 0
}

// close closes the socket; packets sent later are lost.
func (o *outbox) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	fd := o.fd
	if o.fd, o.n = -1, 0; fd < 0 {
		return nil
	}
	return unix.Close(fd)
}
