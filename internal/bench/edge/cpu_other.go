//go:build !unix

package edge

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
