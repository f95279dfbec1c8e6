package udpwire

import (
	"testing"
	"time"
)

// A stamp of the kernel is a time of this process; one from before the clock was set counts as now.
func TestArrival(t *testing.T) {
	now := time.Now()
	for _, c := range []struct{ age, want time.Duration }{
		{0, 0}, {3 * time.Millisecond, 3 * time.Millisecond}, {-time.Millisecond, 0}, {time.Hour, 0},
	} {
		if got := now.Sub(Arrival(now, now.UnixNano()-int64(c.age))); got != c.want {
			t.Errorf("a stamp %v old: arrived %v ago, want %v", c.age, got, c.want)
		}
	}
}
