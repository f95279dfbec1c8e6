package layout_test

import (
	"fmt"

	"github.com/backstep-net/backstep/client/layout"
	"github.com/backstep-net/backstep/clock"
)

// Gate is an enum, and Door what a page reads.
type Gate uint8

type Door struct {
	Number int16
	Gate   Gate
	Since  clock.Micros
}

// The types of a value that a page reads, and where they lie.
func ExampleAdd() {
	var table layout.Table
	layout.Name[Gate](&table, "closed", "open")
	layout.Add(&table, "door", &Door{}, false)
	l := table.Layout()
	for _, f := range l.Types[l.Roots[0].Type].Fields {
		fmt.Println(f.Name, f.Offset, l.Types[f.Type].Kind)
	}
	// Output:
	// number 0 int16
	// gate 2 enum
	// since 8 seconds
}
