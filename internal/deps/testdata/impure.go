// Package impure has one of each fault that TestPurityCatches must name.
package impure

import (
	"errors"
	"math"
)

// ErrFine is assigned once, where it is declared.
var ErrFine = errors.New("impure: fine")

var table = [2]float64{1, 2}

var counter int

type thing struct{ n int }

func (t *thing) grow() { t.n++ }

var global thing

func init() {
	table[0] = 3 // bad
}

func goroutine(c chan int) { // bad
	go func() {}() // bad
	select {       // bad
	default:
	}
	_ = c
}

func sums(m map[string]float64, s []float64) (f float64) {
	for _, v := range m { // bad
		f += v
	}
	for _, v := range s {
		f += math.Sqrt(v) + table[1]
	}
	return math.Sin(f) // bad
}

func state() {
	counter++       // bad
	global.n = 4    // bad
	global.grow()   // bad
	p := &counter   // bad
	f := math.Hypot // bad
	var mine thing
	mine.grow()
	mine.n = *p
	_, _ = f, ErrFine
}
