// Package levelmaker generates the level that `backstep serve` plays by default: two bases
// and towers, a bridge over a sunken pool, hills, a corridor lane and a course lane, inside
// a ring of cliffs; and a second, small one, the yard. Start at Build; the Course constants are the places of stairs and ramps
// for tests.
//
// Red's half is described once and rotated by half a turn for blue. Lengths are metres, Y
// is up, north is −Z, red is in the south. Drawn and solid geometry are separate where that
// is cheaper: bevelled meshes, merged per structure, are drawn; plain boxes and hulls are
// solid.
package levelmaker

//go:generate go run ../../../cmd/backstep level build -o ../assets/arena.glb
//go:generate go run ../../../cmd/backstep level build --yard -o ../assets/yard.glb
