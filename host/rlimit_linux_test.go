package host_test

import (
	"syscall"
	"testing"
)

// limitDescriptors limits the descriptors of this process.
func limitDescriptors(t *testing.T, n uint64) {
	t.Helper()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		t.Fatal(err)
	}
}
