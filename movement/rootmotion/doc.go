// Package rootmotion implements motion that input does not steer: for a while a source
// replaces a character's velocity or adds to it, and turns the character. Dashes,
// knock-backs, leaps, pulls and the root tracks of animations are sources. Start at
// Group, which is part of a character's state, and at Constant, Radial, [MoveTo], [JumpTo]
// and Play, which make the sources that [Group.Apply] starts.
//
// Everything here is plain data and pure functions of it. A Group is part of the
// state that one move hands to the next, so a correction carries it [GAP-30] and
// a replay repeats it; the tables that sources point into, a Library, belong to
// the character's model and are equal on client and server.
//
// # One move [RMS-03]
//
// The step of package movement calls the methods of Group in this order:
//
//	Finish   before forces and launches: removes the sources that have ended, and
//	         applies their finish policies to the velocity
//	Prepare  after a launch: the pending sources become active, and the time of every
//	         source advances by the whole move
//	then for each slice of the move:
//	Finish   for the sources that ended since the last slice
//	Until    the slice ends where a source does, so that the rest of the move is the
//	         same at every frame rate [RMS-15]
//	Drive    the velocity that replaces the character's own, and the one that is added
//	and where they apply:
//	Landed   the character has landed, which ends leaps
//	Turn     the angle by which the sources turned the character
//
// Because Prepare advances the time first, an instant within the move is given as
// the seconds that are left of the move.
package rootmotion
