//go:build !linux

package host

import (
	"errors"
	"time"
)

// timerfd is a timer of the kernel, which only Linux has.
type timerfd struct{}

func newTimerfd() (*timerfd, error) { return nil, errors.ErrUnsupported }

func (*timerfd) set(time.Duration) {}
func (*timerfd) wait() bool        { return false }
func (*timerfd) close()            {}
