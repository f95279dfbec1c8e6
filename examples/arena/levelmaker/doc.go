// Package levelmaker generates the level that `backstep serve` plays by default: two bases, a tower each, a bridge over a sunk pool,
// hills, a corridor lane and a course lane, inside a ring of cliffs. Start at
// Build; the course constants say where a test finds stairs and ramps.
//
// Red's half is described once and turned by half a circle for blue. Lengths are
// metres, Y is up, north is −Z, red is in the south. What you see and what you
// bump into are separate where that pays: bevelled meshes merged per structure
// for the eye, plain boxes and hulls for the body.
package levelmaker

//go:generate go run ../../../cmd/backstep level build -o ../assets/arena.glb
