// Package body is rigid bodies: balls, boxes and capsules that fall, roll, stack and are
// kicked about, the same bits on every processor. Start at World; Step is the whole of it.
//
// A Body is plain data. What it meets is the level of package collide with its moving
// bodies, the other bodies, and Pushers: characters, who push and are not pushed back.
// The solver is soft-contact substepping with warm starting, as Box3D's: contacts are
// found once in at most 1/60 s and solved four times, each time as a critically damped
// spring of 30 Hz or more and then once more without it, so that what pushes bodies
// apart adds no energy.
//
// Equal worlds that are stepped alike stay equal bit for bit. The same time cut in other
// pieces gives other bits, and nearly the same motion: in free flight without damping, the
// same parabola. Games that want another solver hand in their own Engine.
//
// docs/bodies.md has the tunables, the limits and the figures.
package body
