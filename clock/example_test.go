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
	// Moves of 16 ms, which but for the first arrive in pairs.
	for i := clock.Micros(0); i < 5; i++ {
		stamp, arrived := i*16000, 20000+(i+i%2)*16000
		fmt.Println("arrived", arrived, "stands for", m.Map(stamp, arrived))
	}
	// Output:
	// arrived 20000 stands for 17000
	// arrived 52000 stands for 33000
	// arrived 52000 stands for 49000
	// arrived 84000 stands for 65000
	// arrived 84000 stands for 81000
}
