// Package swarm plays random matches with faults and attacks, and checks invariants at each tick.
// Start at [Run]; docs/testing.md has the list of invariants.
//
// A seed draws a [Case]: a level, players and their scripts, bad links, faults, cheats, hostile
// clients. The case becomes a scenario file, which lab.Play plays with a game from [Watch]. A case
// that breaks an invariant is shrunk: fewer players, fewer faults, a shorter match, as long as the
// same invariant breaks. What is left is a small scenario file that `backstep lab run` plays again.
package swarm
