//go:build !linux

package bench

import "time"

// started is the instant from which threadTime counts.
var started = time.Now()

// threadTime returns the time that has passed: here other programs on the machine count.
func threadTime() time.Duration { return time.Since(started) }
