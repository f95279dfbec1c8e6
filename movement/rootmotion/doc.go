// Package rootmotion implements motion that is not steered: for a while a source sets
// or adds to a character's velocity and turns it, for a dash, a knock-back, a leap, a
// pull or the root track of an animation. Start at Group, which a character's
// state holds, and at Constant, Radial, MoveTo, JumpTo and Play, which make what
// Group.Apply takes.
//
// Everything here is plain data and pure functions of it. A Group is part of the
// state that one move hands to the next, so a correction carries it [GAP-30] and
// a replay repeats it; the tables that sources point into, a Library, belong to
// the character's model and are equal on client and server.
//
// # One move [RMS-03]
//
// The character's step calls in this order; package movement does:
//
//	Finish   before forces and launches: what has ended goes, and leaves the
//	         velocity that its finish policy says
//	Prepare  after a launch: what was applied since becomes active, and every
//	         source's time advances by the whole move
//	then for each slice of the move:
//	Finish   what ended between slices
//	Until    a slice ends where a source does, so that what follows is the same
//	         at every frame rate [RMS-15]
//	Drive    the velocity that replaces the character's own, and what is added
//	and where it applies:
//	Landed   a leap ends on the ground
//	Turn     how far the sources turned the character
//
// Because Prepare advances the time first, a moment inside the move is given as
// the seconds that are left of it.
package rootmotion
