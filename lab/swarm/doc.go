// Package swarm plays random matches with faults and attacks, and checks invariants at each tick.
// Start at [Run]; docs/testing.md has the list of invariants.
//
// A seed determines a [Case]: a level, players and their scripts, bad links, faults, cheats, hostile
// clients. The case becomes a scenario file, which lab.Play plays with a game from [Watch]. A case
// that breaks an invariant is shrunk (fewer players, fewer faults, a shorter match) while the
// same invariant breaks. The result is a small scenario file that `backstep lab run` plays again.
package swarm
