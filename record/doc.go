// Package record writes and reads recordings of matches. Start at [Create], which begins a file, and
// [Open], which reads one; docs/recording.md describes the file byte by byte.
//
// A Writer's [Recorder] stands between a host and a match. It records the inputs of the match as
// they pass, and the outputs after each tick. The inputs replay the match bit for bit: Verify does
// so and compares hashes. The outputs can be shown without the game: poses, shots with their
// receipts, players joining and leaving, messages of the game. A file is readable up to its last
// second, also after a crash.
package record
