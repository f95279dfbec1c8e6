// Package record keeps matches: a file of what a match was told and what came of it,
// written while it runs, readable up to the last second whatever ends it, and enough to
// play the whole match again. Start at Create, which begins a file, and Open, which
// reads one.
//
// A Writer's Recorder stands between a host and a match: all that the match is told goes
// through it (the inputs), and after each tick it looks at what came of it (the outputs).
// The inputs alone make the match again, bit for bit: Verify does so and compares hashes.
// The outputs are for looking at, without the game: who was where, shots with their
// receipts, who came and went, what the game said.
//
// docs/recording.md has the file, byte by byte.
package record
