// Package level converts a .glb, the file every 3D tool can export, into the world of a
// match: solid geometry, movers, volumes such as water, spawn points, and the kill
// height. Start at [Read]; docs/level.md describes how to mark up a level.
//
// A level file is untrusted input: every number is checked against the file and against the
// limits below before it sizes or drives anything, and the error names the first fault.
// Reading gives the same result on every processor: products are rounded one by one, as in
// the core.
package level
