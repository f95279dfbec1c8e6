package fleet

import "time"

// Hastened is after how long a hastened agent repeats what had no effect.
const Hastened = 150 * time.Millisecond

// Hasten makes an agent act each 10 ms.
func Hasten(c *Config) {
	c.pace = pace{poll: 10 * time.Millisecond, health: 20 * time.Millisecond, again: Hastened, call: 100 * time.Millisecond}
}

// Seen returns the state that the watch has shown last.
func Seen(a *Agent) string { return a.seen.Status.State }
