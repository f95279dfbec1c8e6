package conformance_test

import (
	"fmt"

	"github.com/backstep-net/backstep/internal/conformance"
)

// A message on the stream: the player wants an input delay of 40 ms.
func Example() {
	v := conformance.Vector{From: "client", Channel: 1, Bytes: conformance.Hex{6, 40}}
	lines, err := v.Read()
	fmt.Print(conformance.Trace(lines))
	fmt.Println(v.Stream.Delay, err)
	// Output:
	//     0    8  kind                       6
	//     8    8  delay, ms                  40
	// 40 <nil>
}
