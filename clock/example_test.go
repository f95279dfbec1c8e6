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

func ExamplePacer() {
	p := clock.NewPacer(60, 40)
	p.Due(1_000_000) // begins the count
	for now := clock.Micros(1_000_000); now <= 1_040_000; now += 8000 {
		for stamp, ok := p.Due(now); ok; stamp, ok = p.Due(now) {
			fmt.Println("at", now, "a tick of", p.Tick(), "ends at", stamp)
		}
	}
	// Output:
	// at 1024000 a tick of 16680 ends at 1016680
	// at 1040000 a tick of 16680 ends at 1033360
}

func ExamplePingNotice() {
	var n clock.PingNotice // every 20 s, above 200 ms, for 5 s
	for now := clock.Micros(0); now < 30*clock.Second; now += clock.Second {
		if n.Update(now, 250*clock.Millisecond) {
			fmt.Println("at", now/clock.Second, "s shown:", n.Shown())
		}
	}
	// Output:
	// at 20 s shown: true
	// at 25 s shown: false
}

func ExampleRateLink() {
	fmt.Println(clock.RateLink(80*clock.Millisecond, 5*clock.Millisecond, 0.001, 0.02))
	// Output: good
}
