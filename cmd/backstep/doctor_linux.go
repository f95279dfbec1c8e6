package main

import "syscall"

// force asks for buffers beyond the limit, as QUIC does: the kernel grants them to an administrator.
func force(fd, size int) {
	_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUFFORCE, size)
	_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_SNDBUFFORCE, size)
}

// clockUnset reports whether the kernel reports an unsynchronised wall clock.
func clockUnset() bool {
	const unsynchronised = 5 // TIME_ERROR
	state, err := syscall.Adjtimex(&syscall.Timex{})
	return err == nil && state == unsynchronised
}
