// Package browser is the client core of any game in a browser: the session of package
// session as a WebAssembly module, which a page calls once a frame on its main thread. A
// whole main of a game is
//
//	func init() { browser.Export(game) }
//
//	func main() { browser.Main() }
//
// built as a reactor, and run natively for the types of its page:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o game.wasm ./game/wasm
//	go run ./game/wasm > game.d.ts
//
// # The page reads Go values in place
//
// There is no encoding between the core and the page. The linear memory of the module holds
// ordinary Go values; a table says where their fields are, found by reflection when the
// module starts (export layout, see [layout.Layout.AppendJSON]). A page reads from it:
//
//   - root "view", a [View]: what this frame draws, among it the game's own state S;
//   - root "input", the game's command C: the page writes it before each frame;
//   - each root that the game adds with [Extend] or [ExtendInput].
//
// So a field that a game declares in Go is a property on its page, with its type in the
// generated TypeScript. Names are lower camel case, a [clock.Micros] is a number of seconds, an
// enum is its name as a string ([Names]), fields of embedded structs are the struct's own. Maps,
// functions, channels, interfaces and fields that are not exported are left out.
//
// # How long values are valid
//
// A root never moves and lives as long as the instance. What it refers to (slices, strings,
// pointers) is valid until the next call of any export: a page copies what it keeps. Go's
// collector moves nothing on the heap and runs only inside a call. When the memory grows, an
// ArrayBuffer on it is detached: a page makes its views anew after each call that
// changed memory.buffer. A frame in the steady state allocates nothing.
//
// # The exports
//
// Times are microseconds of the page's monotonic clock, as float64: whole numbers below 2⁵³.
// Text is UTF-8. A function that can fail returns 0 for success; else 1, and the reason is
// in View.Error.
//
//	abi_version() int32               layout.Version
//	layout() address                  the table as JSON …
//	layout_length() int32             … and its length in bytes
//	inbox(length) address             memory for so many bytes of the page, until the next call
//	                                  of it; 0 if they are more than 64 MiB
//	level_load(length) int32          the inbox has the packed level. Can fail
//	hello(length, now) int32          begins a session. The inbox has up to five texts with a
//	                                  zero byte between: the player's name, the resume key
//	                                  (View.ResumeKey of the session before, or nothing), the hash
//	                                  of the level, the match, the connect token. Can fail
//	receive(channel, length, at) int32  the inbox has a packet that arrived then; channel 0 is
//	                                  a datagram, 1 a stream message. 1 means malformed: it
//	                                  is counted and ignored
//	frame(now)                        one frame: reads the input, fills the view. Send
//	                                  View.Packets after it
//	tell(length) int32                the inbox has a message for the game on the server. Can fail
//	set_input_delay(milliseconds)     asks the server to delay the moves, 0 … 250, in this and
//	                                  later sessions
//	leave()                           gives the seat up; the next frame's packets contain it
//	lost()                            the connection is gone: the view is of no session until hello
//	bodies_at(at)                     sets View.Bodies to the level's bodies at a match time, for a page
//	                                  that shows a recording; it needs no session
//	triangles(body) address           the triangles of the level, to draw it: body 0 is what stands still,
//	                                  body i+1 is View.Bodies[i], in the space of its pose. Each is eleven
//	                                  float32: three corners counter-clockwise seen from outside, the number
//	                                  of the shape and its collide.Surface.Walk. The memory is valid until the
//	                                  next call of it; of a body that the level does not have there are none …
//	volumes() address                 the volumes of the level: each is seven float32, the lowest and the
//	                                  highest corner of the box around it, and its kind: 1 water, 2 kills,
//	                                  3 launches, 0 other. Valid as triangles …
//	triangles_length() int32          … and how many float32 the newest call of either returned
//	sweep(x, y, z, dx, dy, dz, radius) float64  moves a ball through the level and its bodies as they stand in
//	                                  this frame, and returns the share of the way to the first touch, 0 … 1:
//	                                  for cameras that do not pass walls
//
// A Go panic ends the instance: the reason is on its standard error.
package browser
