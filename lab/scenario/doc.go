// Package scenario reads scenario files, which describe experiments: the world, the network, the
// players and their scripts, and what the result must be. Start at [Open]; docs/scenarios.md is the
// reference of the format.
//
// A [Scenario] is plain data: defaults filled in, checked, in SI units (metres, radians,
// [clock.Micros]). Errors have the line and the nearest valid word, at most
// [strictyaml.MaxErrors] at once. [File.Set] overrides keys from the command line before the
// file is checked. [Cursor] plays a player's script frame by frame, and [FrameTime] says when the
// frames are.
package scenario
