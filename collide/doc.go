// Package collide is the solid world: what a body bumps into, stands on and
// hides behind. Geometry is gathered by a Builder, baked once into a World that
// never changes and may be shared by any number of goroutines, and asked through
// a View, which is the world as one command meets it. Start at View.
//
// Every solid is triangles to the queries: a box or a convex hull is its faces,
// and remembers besides that it is convex, so that a body deep inside it can be
// told which way is out. Triangles collide from both sides; a sweep that begins
// inside a solid meets that solid only where it leads further in. A query allocates
// nothing and its answer does not depend on the order of the tree: of two hits at
// the same distance the one whose face opposes the motion more wins, then the
// lower face number.
package collide
