// Package lab plays a match in virtual time: the real server and real clients,
// real packets, over seeded bad networks, single-threaded, as fast as the machine
// goes and the same every time; and measures what the players saw. Start at Run.
//
// It has no file format yet: experiments are Go values.
package lab
