//go:build unix

package host

import (
	"math"
	"syscall"
)

// descriptors returns how many descriptors this process may have, 0 where that is not known.
func descriptors() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return int(min(uint64(l.Cur), math.MaxInt32))
}
