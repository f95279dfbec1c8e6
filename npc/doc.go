// Package npc implements server-controlled characters. The server steers them along paths of a navigation mesh;
// clients draw, collide with and hit them like players. Start at [New].
//
//	npcs := npc.New(npc.Config{Match: server, World: level, Mesh: mesh, Kinds: map[track.Kind]npc.Kind{Guard: {}}})
//
//	id := npcs.Spawn(Guard, at, 0)
//	npcs.Steer(id, goal)
//	npcs.Step(now)                     // in session.ServerConfig.Simulate
//	for _, e := range npcs.Events() { … } // arrived, unreachable, died
//
// A character is a [movement.State] that [movement.Step] moves, with commands that steering makes
// (steering.go) in place of a player's. It is replicated as an entity of a kind of the game's; with
// session.Game.IsCharacter reporting that kind on both ends, it is hit in the view that the shooter saw
// and, with ServerConfig.PlayersBlock, blocks players and is blocked by them. Receipts name its id.
// With a [damage.Ledger] it has health, and dies when that is 0.
//
// Equal crowds with equal steps stay equal bit for bit. A Step allocates only for a path longer than any
// before. Its work is bounded: one move for each character, and Config.Paths searches.
package npc
