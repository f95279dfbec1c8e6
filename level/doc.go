// Package level turns a .glb, the file every 3D tool can export, into the world
// a match is played in: what is solid, what moves and how, where there is water,
// where players appear, and how deep they may fall. Start at Read; docs/level.md says how a level is marked up.
//
// A level comes from outside, so nothing in it is believed: every number is
// checked against the file and against the limits below before it sizes or
// drives anything, and the first thing that is wrong is named in the error.
// The file is read the same on every processor: products are rounded one by one,
// as in the core.
package level
