// Package native builds a game's client as a C library, for engines and programs in other
// languages: Godot, Unity, Unreal, C. Start at [Export]. The main package of a library is
//
//	func init() { native.Export(game) }
//
//	func main() { native.Main() }
//
// built as a C library, for which Go needs a C compiler, and run natively to print the game's header:
//
//	go build -buildmode=c-shared -o libgame.so ./game/clib
//	go run ./game/clib > game.h
//
// The header backstep.h in this folder is the same for every game: connect, a frame into the
// caller's structs, fields, events, stats, close. The game's header declares its input
// (game_input, the command C) and its own state (game_self, S), found by package layout.
//
// The library wraps package client: it joins over UDP, QUIC or WebSocket, loads the level,
// reconnects after a lost connection, and predicts with the game's own rules, with the same bits
// as the server. A client is not bound to the thread that made it, but only one thread may
// use it at a time. Different clients are independent.
package native
