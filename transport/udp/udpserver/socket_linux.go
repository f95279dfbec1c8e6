package udpserver

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"

	"github.com/backstep-net/backstep/transport/internal/udpwire"
)

const (
	// maxDatagram is how much of a datagram is read; quic-go takes 1,452 bytes.
	maxDatagram = 1500
	// maxControl is how much control data (arrival, ECN, the address that a packet was sent to) comes with one.
	maxControl = 192
)

// message is the kernel's struct mmsghdr.
type message struct {
	header unix.Msghdr
	length uint32
}

// Socket is a UDP socket that hands the packets of transport/udp to its listener and returns those of QUIC. quic-go
// reads and writes such a socket in batches.
//
// The runtime's poller does not know the socket: it would wake a thread for each packet, whether a goroutine wants
// the packet or not. A reader sleeps (Config.Rest) until packets are needed, and the kernel keeps what arrives and
// notes when. A reader that waits for the next packet waits for ready, an epoll of this socket alone, which reports
// one packet and is silent after it.
type Socket struct {
	file     *os.File // in blocking mode, so that the runtime leaves it alone
	raw      syscall.RawConn
	ready    *os.File
	armed    syscall.RawConn // of ready
	poll     int             // its descriptor
	local    net.Addr
	to       receiver
	pace     pace
	stopped  atomic.Bool
	out      *outbox
	arrivals arrivals
	six      bool // the socket's addresses are those of IPv6
	read     func(fd uintptr) bool
	arm      func(fd uintptr)
	wait     func(fd uintptr) bool

	got      int
	errno    syscall.Errno
	now      time.Time // when the batch was read
	at       int       // the next message of the batch that has not been looked at
	messages [batchSize]message
	vectors  [batchSize]unix.Iovec
	names    [batchSize]unix.RawSockaddrInet6
	control  [batchSize][maxControl]byte
	bytes    [batchSize][maxDatagram]byte
}

// newSocket takes over an open socket.
func newSocket(udp *net.UDPConn, to receiver, rest func(time.Duration) bool) (*Socket, error) {
	defer udp.Close()
	s := &Socket{to: to, local: udp.LocalAddr(), pace: pace{rest: rest}}
	if err := s.adopt(udp); err != nil {
		return nil, err
	}
	for i := range s.messages {
		s.vectors[i].Base = &s.bytes[i][0]
		s.vectors[i].SetLen(maxDatagram)
		h := &s.messages[i].header
		h.Name, h.Iov = (*byte)(unsafe.Pointer(&s.names[i])), &s.vectors[i]
		h.SetIovlen(1)
		h.Control = &s.control[i][0]
	}
	s.read, s.arm, s.wait = s.receiveMany, s.armOnce, s.takeReady // made once: a method value allocates
	s.out = newOutbox(s)
	return s, nil
}

// adopt makes a descriptor of our own for the socket, and the epoll beside it.
func (s *Socket) adopt(udp *net.UDPConn) (err error) {
	theirs, err := udp.SyscallConn()
	if err != nil {
		return err
	}
	fd, family := -1, 0
	if e := theirs.Control(func(old uintptr) {
		if fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0); err != nil {
			return
		}
		family, err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) // without it arrivals are when they are read
	}); e != nil {
		return e
	}
	if err == nil {
		err = unix.SetNonblock(fd, false) // os.NewFile hands those that do not block to the poller
	}
	if err != nil {
		return err
	}
	s.six = family == unix.AF_INET6
	s.file = os.NewFile(uintptr(fd), "udp")
	if s.raw, err = s.file.SyscallConn(); err == nil {
		err = s.openReady(fd)
	}
	if err != nil {
		s.file.Close()
	}
	return err
}

// openReady opens the epoll by which the reader waits for a packet. Nothing is armed yet.
func (s *Socket) openReady(fd int) (err error) {
	if s.poll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return err
	}
	err = unix.EpollCtl(s.poll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLONESHOT})
	if err == nil {
		err = unix.SetNonblock(s.poll, true)
	}
	s.ready = os.NewFile(uintptr(s.poll), "udp ready")
	if err == nil {
		s.armed, err = s.ready.SyscallConn()
	}
	if err != nil {
		s.ready.Close()
	}
	return err
}

// receiveMany receives a batch, which is empty if nothing is there.
func (s *Socket) receiveMany(fd uintptr) bool {
	for i := range s.messages {
		h := &s.messages[i].header
		h.Namelen = unix.SizeofSockaddrInet6
		h.SetControllen(maxControl)
	}
	n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, fd, uintptr(unsafe.Pointer(&s.messages[0])), batchSize, unix.MSG_DONTWAIT, 0, 0)
	if s.got, s.errno = int(n), errno; errno != 0 {
		s.got = 0
	}
	return true
}

// armOnce lets ready report the next packet, or one that waits already.
func (s *Socket) armOnce(fd uintptr) {
	_ = unix.EpollCtl(s.poll, unix.EPOLL_CTL_MOD, int(fd), &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT})
}

// takeReady takes the report of a packet, after which ready is silent.
func (s *Socket) takeReady(fd uintptr) bool {
	var event [1]unix.EpollEvent
	n, _ := unix.EpollWait(int(fd), event[:], 0)
	return n > 0
}

// fill receives the next batch, when it is due or when there is one.
func (s *Socket) fill() error {
	for {
		if s.got < batchSize { // the last batch has emptied the socket
			if err := s.rest(); err != nil {
				return err
			}
		}
		if err := s.raw.Read(s.read); err != nil {
			return net.ErrClosed
		}
		switch s.errno {
		case 0, unix.EAGAIN, unix.EINTR:
		default:
			return s.errno
		}
		if s.got > 0 {
			s.at, s.now = 0, time.Now()
			return nil
		}
	}
}

// rest returns when packets are due or, if none are, when there is one.
func (s *Socket) rest() error {
	if s.pace.sleep(time.Now()) {
		if s.stopped.Load() {
			return os.ErrDeadlineExceeded
		}
		s.to.rested(time.Now())
		return nil
	}
	if err := s.raw.Control(s.arm); err != nil {
		return net.ErrClosed
	}
	return s.armed.Read(s.wait)
}

// next receives until a packet of QUIC is there, and returns its index. The listener has taken its own by then.
func (s *Socket) next() (int, error) {
	for {
		mine := false
		for ; s.at < s.got; s.at++ {
			b := s.bytes[s.at][:s.messages[s.at].length]
			if len(b) == 0 {
				continue
			}
			s.pace.see(b[0], s.now)
			if !udpwire.IsPacket(b[0]) {
				s.at++
				return s.at - 1, nil
			}
			info := s.info(s.at)
			s.to.receive(b, s.address(s.at), info.local, info.arrived)
			mine = true
		}
		if mine {
			s.to.batchEnd(s.now)
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// discard reads packets of QUIC where there is no QUIC. It returns false when the socket is closed.
func (s *Socket) discard() bool {
	_, err := s.next()
	return err == nil
}

// address returns where a message came from.
func (s *Socket) address(i int) netip.AddrPort {
	n := &s.names[i]
	port := binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(&n.Port))[:])
	if n.Family == unix.AF_INET {
		four := (*unix.RawSockaddrInet4)(unsafe.Pointer(n))
		return netip.AddrPortFrom(netip.AddrFrom4(four.Addr), port)
	}
	a := netip.AddrFrom16(n.Addr).Unmap()
	if n.Scope_id != 0 { // of a link-local address, which means a machine only together with its interface
		a = a.WithZone(strconv.Itoa(int(n.Scope_id)))
	}
	return netip.AddrPortFrom(a, port)
}

// info is what the kernel says of a packet.
type info struct {
	// arrived is when the kernel received it; when it was read if the kernel does not say.
	arrived time.Time
	// local is the address that it was sent to, if the kernel says it: quic-go asks for that on a socket of every
	// address. An answer comes from there, since a client behind NAT hears from nowhere else.
	local netip.Addr
}

// info reads the control data of a message.
func (s *Socket) info(i int) (a info) {
	a.arrived = s.now
	for rest := s.control[i][:s.messages[i].header.Controllen]; len(rest) >= unix.SizeofCmsghdr; {
		header, body, next, err := unix.ParseOneSocketControlMessage(rest)
		if err != nil {
			return a
		}
		switch rest = next; {
		case header.Level == unix.SOL_SOCKET && header.Type == unix.SO_TIMESTAMPNS && len(body) >= timespecBytes:
			var t unix.Timespec
			copy((*[timespecBytes]byte)(unsafe.Pointer(&t))[:], body)
			a.arrived = udpwire.Arrival(s.now, t.Nano())
		case header.Level == unix.IPPROTO_IP && header.Type == unix.IP_PKTINFO && len(body) >= unix.SizeofInet4Pktinfo:
			a.local = netip.AddrFrom4([4]byte(body[4:])) // after the interface
		case header.Level == unix.IPPROTO_IPV6 && header.Type == unix.IPV6_PKTINFO && len(body) >= unix.SizeofInet6Pktinfo:
			a.local = netip.AddrFrom16([16]byte(body)).Unmap()
		}
	}
	return a
}

const timespecBytes = int(unsafe.Sizeof(unix.Timespec{}))

// ReadBatch is what quic-go reads with: it copies packets of QUIC into messages, until all that the kernel handed
// over in one call are taken.
func (s *Socket) ReadBatch(messages []ipv4.Message, _ int) (int, error) {
	i, err := s.next()
	if err != nil {
		return 0, err
	}
	n := 0
	for {
		h, m := &s.messages[i], &messages[n]
		m.N = copy(m.Buffers[0], s.bytes[i][:h.length])
		m.NN = copy(m.OOB, s.control[i][:h.header.Controllen])
		from := s.address(i)
		m.Flags, m.Addr = int(h.header.Flags), net.UDPAddrFromAddrPort(from)
		s.arrivals.note(from, m.N, s.info(i).arrived)
		n++
		if n == len(messages) || s.at == s.got || udpwire.IsPacket(s.bytes[s.at][0]) || s.messages[s.at].length == 0 {
			return n, nil
		}
		i = s.at
		s.at++
		s.pace.see(s.bytes[i][0], s.now)
	}
}

// WriteMsgUDP is what quic-go writes with. The packet leaves in a batch with those of other connections; one that
// the kernel does not take is lost.
func (s *Socket) WriteMsgUDP(b, control []byte, addr *net.UDPAddr) (n, oobn int, err error) {
	s.out.sendSoon(b, control, addr.AddrPort())
	return len(b), len(control), nil
}

// ReadMsgUDP is there for quic-go, which calls ReadBatch instead.
func (s *Socket) ReadMsgUDP([]byte, []byte) (n, oobn, flags int, addr *net.UDPAddr, err error) {
	return 0, 0, 0, nil, errors.ErrUnsupported
}

// ReadFrom is there for net.PacketConn; ReadBatch reads.
func (s *Socket) ReadFrom([]byte) (int, net.Addr, error) { return 0, nil, errors.ErrUnsupported }

// WriteTo implements net.PacketConn.
func (s *Socket) WriteTo(b []byte, addr net.Addr) (int, error) {
	to, ok := addr.(*net.UDPAddr)
	if !ok {
		return 0, net.InvalidAddrError("no address of UDP")
	}
	n, _, err := s.WriteMsgUDP(b, nil, to)
	return n, err
}

// LocalAddr implements net.PacketConn.
func (s *Socket) LocalAddr() net.Addr { return s.local }

// SyscallConn implements syscall.Conn.
func (s *Socket) SyscallConn() (syscall.RawConn, error) { return s.raw, nil }

// SetReadBuffer sets how many bytes the kernel keeps until they are read.
func (s *Socket) SetReadBuffer(bytes int) error { return s.set(unix.SO_RCVBUF, bytes) }

// SetWriteBuffer sets how many bytes the kernel keeps until they are sent.
func (s *Socket) SetWriteBuffer(bytes int) error { return s.set(unix.SO_SNDBUF, bytes) }

func (s *Socket) set(option, value int) (err error) {
	if e := s.raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, option, value) }); e != nil {
		return net.ErrClosed
	}
	return os.NewSyscallError("setsockopt", err)
}

// SetDeadline implements net.PacketConn.
func (s *Socket) SetDeadline(t time.Time) error { return s.SetReadDeadline(t) }

// SetReadDeadline implements net.PacketConn. One that is not zero ends reading at once: quic-go stops so.
func (s *Socket) SetReadDeadline(t time.Time) error {
	s.stopped.Store(!t.IsZero())
	return s.ready.SetReadDeadline(t)
}

// SetWriteDeadline implements net.PacketConn; no write waits.
func (s *Socket) SetWriteDeadline(time.Time) error { return nil }

// Close implements net.PacketConn.
func (s *Socket) Close() error {
	s.stopped.Store(true)
	s.ready.Close()
	if err := s.file.Close(); err != nil {
		return net.ErrClosed
	}
	return nil
}
