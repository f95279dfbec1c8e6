package host

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// timerfd is a timer of the kernel.
type timerfd struct {
	file *os.File
	fd   int
}

func newTimerfd() (*timerfd, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	return &timerfd{os.NewFile(uintptr(fd), "timerfd"), fd}, nil
}

// set makes wait return after d. Never call it after close.
func (t *timerfd) set(d time.Duration) {
	_ = unix.TimerfdSettime(t.fd, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(d, 1)))}, nil)
}

// wait returns true when the time has come, and false after close.
func (t *timerfd) wait() bool {
	var expirations [8]byte
	_, err := t.file.Read(expirations[:])
	return err == nil
}

func (t *timerfd) close() { t.file.Close() }
