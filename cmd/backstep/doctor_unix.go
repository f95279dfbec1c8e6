//go:build unix

package main

import (
	"math"
	"net"
	"runtime"
	"syscall"
)

// descriptorLimit returns how many files this process may have open.
func descriptorLimit() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return int(min(uint64(l.Cur), math.MaxInt32))
}

// bufferSizes asks for buffers of so many bytes and returns those that the kernel grants.
func bufferSizes(conn *net.UDPConn, size int) (receive, send int) {
	receive, send = -1, -1
	_ = conn.SetReadBuffer(size) // what is granted says what came of it
	_ = conn.SetWriteBuffer(size)
	raw, err := conn.SyscallConn()
	if err != nil {
		return receive, send
	}
	_ = raw.Control(func(fd uintptr) {
		force(int(fd), size)
		receive = bufferSize(int(fd), syscall.SO_RCVBUF)
		send = bufferSize(int(fd), syscall.SO_SNDBUF)
	})
	return receive, send
}

func bufferSize(fd, option int) int {
	n, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, option)
	switch {
	case err != nil:
		return -1
	case runtime.GOOS == "linux":
		return n / 2 // it doubles what it grants, for its own use
	}
	return n
}
