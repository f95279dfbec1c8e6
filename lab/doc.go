// Package lab plays a match in virtual time and measures what its clients drew. It runs the real
// server and real clients with real packets over seeded bad networks, single-threaded, as fast as
// the machine allows and with the same result every time. Start at [Play] for a scenario file
// (package lab/scenario), or at [Run] for an experiment as a Go value; docs/lab.md defines every
// figure.
package lab
