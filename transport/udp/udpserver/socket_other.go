//go:build !linux

package udpserver

import (
	"net"
	"net/netip"
	"time"

	"golang.org/x/net/ipv4"

	"github.com/backstep-net/backstep/transport/internal/udpwire"
)

// Socket is a UDP socket that hands the packets of transport/udp to its listener and returns those of QUIC, one with
// each system call.
type Socket struct {
	*net.UDPConn
	to       receiver
	out      *outbox
	arrivals arrivals // none is noted: packets are read as they arrive
	scratch  [2048]byte
}

func newSocket(udp *net.UDPConn, to receiver, _ func(time.Duration) bool) (*Socket, error) {
	s := &Socket{UDPConn: udp, to: to}
	s.out = newOutbox(s)
	return s, nil
}

// mine takes a packet that is of transport/udp.
func (s *Socket) mine(b []byte, from netip.AddrPort) bool {
	if len(b) == 0 || !udpwire.IsPacket(b[0]) {
		return false
	}
	now := time.Now()
	s.to.receive(b, netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), netip.Addr{}, now)
	s.to.batchEnd(now)
	return true
}

// discard reads a packet of QUIC where there is no QUIC. It returns false when the socket is closed.
func (s *Socket) discard() bool {
	_, _, _, _, err := s.ReadMsgUDP(s.scratch[:], nil)
	return err == nil
}

// ReadMsgUDP is the socket's, without the packets of transport/udp.
func (s *Socket) ReadMsgUDP(b, oob []byte) (n, oobn, flags int, addr *net.UDPAddr, err error) {
	for {
		n, oobn, flags, addr, err = s.UDPConn.ReadMsgUDP(b, oob)
		if err != nil || !s.mine(b[:n], addr.AddrPort()) {
			return n, oobn, flags, addr, err
		}
	}
}

// ReadFrom is the socket's, without the packets of transport/udp.
func (s *Socket) ReadFrom(b []byte) (int, net.Addr, error) {
	n, _, _, addr, err := s.ReadMsgUDP(b, nil)
	return n, addr, err
}

// ReadBatch reads one message.
func (s *Socket) ReadBatch(messages []ipv4.Message, _ int) (int, error) {
	m := &messages[0]
	var addr *net.UDPAddr
	var err error
	m.N, m.NN, m.Flags, addr, err = s.ReadMsgUDP(m.Buffers[0], m.OOB)
	if err != nil {
		return 0, err
	}
	m.Addr = addr
	return 1, nil
}

// sendBatch has no state here.
type sendBatch struct{}

func (*sendBatch) init(*outbox) {}

// send sends what the outbox holds, one with each system call.
func (*sendBatch) send(o *outbox) {
	for i := range o.n {
		_, _ = o.socket.WriteToUDPAddrPort(o.bytes[i][:o.sizes[i]], o.to[i])
	}
}

// sourceControl is empty: the system chooses the address.
func sourceControl(netip.Addr) []byte { return nil }

// readControl copies control data.
func readControl(to, control []byte) (n, segment int) { return copy(to, control), 0 }
