// Package collide is the solid world: what a body bumps into, stands on and
// hides behind. Geometry is gathered by a Builder, baked once into a World that
// never changes and may be shared by any number of goroutines, and asked through
// a View, which is the world as one command meets it. Start at View.
//
// What moves is a function of match time: a Body is a world of its own on a Path,
// and a View asks it in its own space, where the Path has it at the View's instant.
// So nothing is ever moved, and the past can be asked like the present (GAP-46: a
// game judges doors at the instant the shooter saw by setting View.At). What
// follows no path, other characters, is handed in with the View as Obstacles.
// Volumes are regions that stop nothing: water, kill, jump pads, gravity.
//
// Every solid is triangles to the queries: a box or a convex hull is its faces,
// and remembers besides that it is convex, so that a body deep inside it can be
// told which way is out. Triangles collide from both sides; a sweep that begins
// inside a solid meets that solid only where it leads further in. A query allocates
// nothing and its answer does not depend on the order of the tree: of two hits at
// the same distance the one whose face opposes the motion more wins, then the
// lower body, then the lower face number.
package collide
