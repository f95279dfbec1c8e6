package mem_test

import (
	"fmt"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
)

// Four datagrams over a jittery link: some are overtaken.
func Example() {
	link := mem.NewLink(mem.Network{RTT: 100 * time.Millisecond, Jitter: 60 * time.Millisecond}, 5)
	for i := range 4 {
		at := time.Duration(i) * 16 * time.Millisecond
		link.Send(at, transport.Datagram, fmt.Append(nil, "tick ", i))
	}
	for _, a := range link.Deliver(time.Second, nil) {
		fmt.Printf("%3d ms: %s\n", a.At.Milliseconds(), a.Bytes)
	}
	// Output:
	//  75 ms: tick 0
	// 117 ms: tick 3
	// 124 ms: tick 1
	// 138 ms: tick 2
}
