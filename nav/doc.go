// Package nav is pathfinding on a navigation mesh of convex polygons, baked from the static
// collision world. Bake makes a Mesh, Query finds paths, and Follower turns a path into the
// velocity to request from movement. Start at [Bake].
//
// # Why not a Recast port
//
// The maintained Go port (arl/go-detour) works, but adds a metrics library of 2018 to the
// module, sums in an order and with fused products that differ between processors, and
// erodes by whole voxels. This baker is the smallest correct one: it queries the world
// itself, with the capsule that will walk.
//
// # How a mesh is baked
//
//  1. At every crossing of a square grid, rays find the floors, and the capsule is tested
//     there: it fits upright, only crouched, or not at all. Walls need no erosion: a
//     capsule that fits at a sample is clear of them. Over deep water the sample is at the
//     height at which the body swims.
//  2. Neighbouring samples whose heights differ by at most a step are linked. An obstacle
//     blocks a capsule over at least the width of the capsule, and the cells are smaller,
//     so nothing hides between two samples.
//  3. Samples near an edge that a body can fall off are removed (Params.LedgeMargin).
//  4. Four samples linked in a ring make a cell. Cells are merged into rectangles as large
//     as possible, and the shared part of the borders of two rectangles is a portal.
//     Heights remain those of the samples.
//  5. Where a border is the top of a drop, a link leads down. The links of the level
//     (lifts, jump pads) are added.
//
// The steps are in sample.go, field.go, rects.go, drops.go and bake.go. mesh.go and move.go query the
// mesh, path.go and funnel.go find paths, follow.go follows them.
//
// Only the static world is on the mesh: movers and other characters are not. The
// same world and Params give the same bits on every machine.
package nav
