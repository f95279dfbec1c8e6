package clock_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
)

func ExampleSync() {
	var s clock.Sync
	// Sent at 1.000 s of our clock, answered at 7.030 s of the match, back at 1.060 s.
	s.Sample(1000*clock.Millisecond, 1060*clock.Millisecond, 7030*clock.Millisecond, 0)
	fmt.Println(s.Now(1100*clock.Millisecond), "µs of match time")
	fmt.Println(s.RTT(), "µs there and back")
	// Output:
	// 7100000 µs of match time
	// 60000 µs there and back
}

func ExampleMapping() {
	var m clock.Mapping
	// Three moves of 16 ms arrive together, 40 ms after the first was made.
	for _, stamp := range []clock.Micros{16000, 32000, 48000} {
		m.Map(stamp, stamp+8000)
	}
	fmt.Println(m.Map(64000, 90000) - m.Map(48000, 90000))
	// Output: 0
}
