// Package collide answers collision queries: rays, sweeps, overlaps and contacts of
// capsules with the level. A Builder collects geometry and bakes it into a World, which is
// immutable and may be shared by any number of goroutines. Queries go through a [WorldAt],
// which is the world at one instant. Start at WorldAt.
//
// The pose of a mover is a function of match time, and for triggered movers (doors, lifts) also of
// the log of the match: see Trigger, Triggers and [World.WithTriggers]. A Mover is a world of its own on a
// Path, and a WorldAt queries it in the space of the mover, at the pose of the Path at WorldAt.At.
// So nothing is ever moved, and the past is queried like the present: a game judges doors
// at the instant that the shooter saw by setting WorldAt.At [GAP-46]. Characters, which follow no path,
// are passed in as WorldAt.Obstacles. Volumes are regions that
// stop nothing: water, kill zones, jump pads, gravity.
//
// All queries work on triangles. A box or a convex hull is stored as its faces and also as
// a convex solid, so that the way out can be computed for a capsule deep inside it. Triangles
// collide from both sides. A sweep that begins inside a solid hits that solid only if the
// motion leads further in. Queries do not allocate, and their results do not depend on the
// order of the tree: of two hits at the same distance the one whose face opposes the motion
// more wins, then the lower mover, then the lower triangle number.
package collide
