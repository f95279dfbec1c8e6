// Package browser implements a game's client core for a browser: the client of package
// session as a WebAssembly module, which a page calls once a frame on its main thread. The
// main package of a game's core is
//
//	func init() { browser.Export(game) }
//
//	func main() { browser.Main() }
//
// built as a WASI reactor, and run natively to print the TypeScript types:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o game.wasm ./game/wasm
//	go run ./game/wasm > game.d.ts
//
// # The page reads Go values in place
//
// There is no encoding between the core and the page. The linear memory of the module holds
// ordinary Go values; a table has the offsets of their fields, made by reflection when the
// module starts (export layout, see [layout.Layout.AppendJSON]). A page reads from it:
//
//   - root "view", a [View]: the values of this frame, including the game's own state S;
//   - root "input", the game's command C: the page writes it before each frame;
//   - each root that the game adds with [Extend] or [ExtendInput].
//
// So a field that a game declares in Go is a property on its page, with its type in the
// generated TypeScript. Names are in lower camel case, a [clock.Micros] is a number of seconds, an
// enum is its name as a string ([Names]), fields of embedded structs are promoted. Maps,
// functions, channels, interfaces and unexported fields are left out.
//
// # How long values are valid
//
// A root never moves and lives as long as the instance. Slices, strings and pointers in it are
// valid until the next call of any export: a page copies values that it keeps. Go's collector
// does not move heap objects and runs only inside a call. When the memory grows, an ArrayBuffer
// on it is detached: a page recreates its views after each call that changed memory.buffer. A
// frame in the steady state allocates nothing.
//
// # Exports
//
// Times are microseconds of the page's monotonic clock, as float64: whole numbers below 2⁵³.
// Text is UTF-8. A function that can fail returns 0 for success; else 1, and the reason is
// in View.Error.
//
//	abi_version() int32               layout.Version
//	layout() address                  the table as JSON …
//	layout_length() int32             … and its length in bytes
//	inbox(length) address             allocates memory for bytes from the page, valid until its
//	                                  next call; 0 for more than 64 MiB
//	level_load(length) int32          loads the packed level in the inbox. Can fail
//	hello(length, now) int32          begins a session. The inbox has up to five texts separated by
//	                                  zero bytes: the player's name, the resume key
//	                                  (View.ResumeKey of the previous session, or empty), the hash
//	                                  of the level, the match, the connect token. Can fail
//	receive(channel, length, at) int32  processes the packet in the inbox, which arrived at that time;
//	                                  channel 0 is a datagram, 1 a stream message. Returns 1 for a
//	                                  malformed packet, which is counted and ignored
//	frame(now)                        one frame: reads the input, fills the view. Send
//	                                  View.Packets after it
//	tell(length) int32                sends the message in the inbox to the game on the server. Can fail
//	set_input_delay(milliseconds)     asks the server to delay the moves, 0 … 250, in this and
//	                                  later sessions
//	leave()                           gives up the seat; the next frame's packets contain the message
//	lost()                            reports a lost connection: there is no session until hello
//	movers_at(at)                     sets View.Movers to the level's movers at a match time, for a page
//	                                  that shows a recording; it needs no session
//	triangles(mover) address          the triangles of the level, for drawing: 0 is the static level,
//	                                  i+1 is View.Movers[i], in the space of its pose. Each is eleven
//	                                  float32: three corners counter-clockwise seen from outside, the number
//	                                  of the shape and its collide.Surface.Walk. The memory is valid until
//	                                  its next call; an unknown mover has no triangles
//	volumes() address                 the volumes of the level: each is seven float32, the lowest and the
//	                                  highest corner of the box around it, and its kind: 1 water, 2 kill,
//	                                  3 launch, 0 other. Valid like triangles
//	triangles_length() int32          the number of float32 of the newest call of triangles or volumes
//	sweep(x, y, z, dx, dy, dz, radius) float64  sweeps a sphere through the level and its movers in this
//	                                  frame, and returns the fraction of the way to the first contact, 0 … 1,
//	                                  for the wall collision of cameras
//
// A Go panic ends the instance: the reason is on its standard error.
package browser
