// Package native makes a game's client a C library, for engines and programs that are not written in
// Go: Godot, Unity, Unreal, C. Start at [Export]. The whole main of a library is
//
//	func init() { native.Export(game) }
//
//	func main() { native.Main() }
//
// built as a C library, for which Go needs a C compiler, and run as it is for the game's header:
//
//	go build -buildmode=c-shared -o libgame.so ./game/clib
//	go run ./game/clib > game.h
//
// The other header, backstep.h in this folder, is the same for every game: connect, a frame into the
// caller's structs, fields, events, stats, close. The game's header declares what differs: its input
// (game_input, the command C) and its own state (game_self, S), found by package layout.
//
// The library plays as package client does: it joins over QUIC, and WebSocket where UDP does not pass,
// loads the level, comes back after a lost connection, and predicts with the game's own rules, bit for
// bit as the server. Nothing of a client belongs to the thread that made it, but two threads may not
// use one at a time. Different clients are independent.
package native
