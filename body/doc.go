// Package body simulates rigid bodies (balls, boxes, capsules), with the same bits on every
// processor. Start at [World]; [World.Step] advances it.
//
// A Body is plain data. It collides with the level of package collide and its movers, with
// other bodies, and with Pushers: characters, which push and are not pushed back. The solver is
// soft-contact substepping with warm starting, as Box3D's: contacts are found once in at most
// 1/60 s and solved four times, each time as a damped spring of up to 30 Hz (60 Hz against the
// level), and then once more without it, so that the force that separates bodies adds no energy.
//
// Equal worlds with equal steps stay equal bit for bit. The same time divided into other steps gives other
// bits and nearly the same motion: in free flight without damping, the same parabola.
//
// A step is divided into equal pieces of at most 1/60 s. A piece goes through these files:
//
//   - broadphase.go: sweep-and-prune along X finds the pairs that may touch.
//   - capsule.go, box.go, hull.go: where two bodies touch, or will within the piece, as a manifold.
//   - level.go, boxlevel.go: the same for a body and the level, and what stops fast bodies at walls.
//   - contact.go: manifolds become contacts with materials, effective masses and the impulses of the
//     piece before.
//   - solve.go: the substeps. The literature is Catto, "Solver2D" (2024), and Macklin et al., "Small
//     Steps in Physics Simulation" (2019).
//   - sleep.go: islands of bodies that rest go to sleep, and wake.
//
// Units are metres, kilograms, seconds and radians. Every product is rounded on its own
// (docs/decisions/rounded-products.md), which is why sums of products look as they do.
//
// docs/bodies.md has the tunables, the limits and the figures.
package body
