// Package avoid keeps walkers from walking into each other: each gets, of all
// velocities that are safe if everybody does their share, the one nearest to what
// it wishes. Start at Crowd.Solve.
//
// The rule is optimal reciprocal collision avoidance (van den Berg, Guy, Lin and
// Manocha, Reciprocal n-Body Collision Avoidance, 2011). For a pair of walkers it
// takes the relative velocities that would let them touch within Horizon, finds the
// smallest change of the present one that leaves that set, and lets each walker
// take its share of it [VOL-07]. That bounds its velocity by a line; what the
// lines of all its neighbours leave is searched by a linear programme in the plane.
// Where nothing is left, the velocity that is least unsafe is taken.
//
// It is level: heights only tell who is on another floor, and Crowd.Separated who is
// behind a wall. The result is the
// velocity to ask movement for (movement.Command.Request); walls are movement's
// own business, or nav.Mesh.Along's.
package avoid
