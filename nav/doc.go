// Package nav knows where feet can go: a mesh of convex pieces baked from the
// static collision world, and the ways over it. Bake makes a Mesh, Query finds
// ways, Follower turns a way into the velocity to ask movement for; start at Bake.
//
// # Why not a Recast port
//
// The maintained Go port (arl/go-detour) works, but drags a metrics library of
// 2018 into the module, sums in an order and with fused products that differ
// between processors, and erodes by whole voxels. This baker is the smallest
// sound one: it asks the world itself, with the body that will walk.
//
// # How a mesh is baked
//
//  1. Over every crossing of a square grid the world is asked with rays for
//     floors, and with the body whether it stands there: upright, only crouched,
//     or not. No erosion is needed for walls: whoever stands at a sample stands
//     clear of them.
//     Over deep water it is where the body swims.
//  2. Neighbouring samples no further apart in height than a step are linked.
//     A thing that blocks a body is at least as wide to it as the body, and the
//     cells are smaller, so nothing hides between two samples.
//  3. Samples near an edge that one can fall off are given up (Params.LedgeMargin).
//  4. Four samples linked in a ring make a cell; cells are gathered into
//     rectangles as large as they come, and what two rectangles share of their
//     borders is a portal. Heights stay those of the samples.
//  5. Where a border is the top of a drop, a link leads down; the level's own
//     links (lifts, jump pads) are added.
//
// What is not the static world — bodies that move, other characters — is not on
// it. The same world and Params give the same bits on every machine.
package nav
