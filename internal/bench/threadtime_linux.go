package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time of this thread so far: what other programs on the machine take does not count.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic("bench: the thread's clock: " + err.Error()) // Linux has it since 2.6.12
	}
	return time.Duration(t.Nano())
}
