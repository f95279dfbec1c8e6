package geom_test

import (
	"fmt"
	"math"

	"github.com/backstep-net/backstep/geom"
)

func Example() {
	eye := geom.V(0, 1.52, 0)
	look := geom.Look(math.Pi/2, 0) // a quarter turn to the left of −Z is −X
	fmt.Printf("%.2f\n", eye.MulAdd(look, 10))
	// Output: {-10.00 1.52 -0.00}
}
