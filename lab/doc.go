// Package lab plays a match in virtual time: the real server and real clients,
// real packets, over seeded bad networks, single-threaded, as fast as the machine
// goes and the same every time; and measures what the players saw. Start at
// Run for the first and at Play for the second.
//
// An experiment is a Go value, or a scenario file: see Play and package
// lab/scenario. docs/lab.md defines every figure.
package lab
