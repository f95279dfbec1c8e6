// Command wasm is the arena's client core for a browser: a WASI reactor. Its exported
// functions take bytes and times; the page reads its state in place. Start at frame;
// layout.go defines the memory layout.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o backstep.wasm ./client/wasm
//
// Times are microseconds of the page's monotonic clock, as float64: whole numbers below
// 2⁵³. Functions that can fail return the length of an error text at the start of the
// inbox, 0 for success.
package main

import (
	"strconv"
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// maxLevel is the largest packed level, in bytes.
const maxLevel = 64 << 20

// core is all state of the instance except the blocks.
var core struct {
	level  []byte         // reserved for the page to fill
	world  *collide.World // nil until level_load
	hash   string         // the level's hash, as the page got it from the server
	player *arena.Player  // nil until hello
	delay  clock.Micros   // by which the server should delay the moves
	events pageEvents     // what the page knows
	// debugRemotes and debugShots fill the debug records, which cost time each frame.
	debugRemotes, debugShots bool
}

// main is never called in a reactor; the linker requires it.
func main() {}

//go:wasmexport abi_version
func abiVersion() int32 { return ABIVersion }

//go:wasmexport inbox
func inbox() unsafe.Pointer { return unsafe.Pointer(&inboxBlock) }

//go:wasmexport outbox
func outbox() unsafe.Pointer { return unsafe.Pointer(&outboxBlock.bytes) }

//go:wasmexport outbox_length
func outboxLength() int32 { return int32(outboxBlock.used) }

//go:wasmexport input
func inputs() unsafe.Pointer { return unsafe.Pointer(&inputBlock) }

//go:wasmexport state
func state() unsafe.Pointer { return unsafe.Pointer(&stateBlock) }

//go:wasmexport events
func events() unsafe.Pointer { return unsafe.Pointer(&eventBlock.bytes) }

//go:wasmexport events_length
func eventsLength() int32 { return int32(eventBlock.used) }

// levelReserve returns memory for a packed level of that many bytes, nil if that is too
// many.
//
//go:wasmexport level_reserve
func levelReserve(length int32) unsafe.Pointer {
	if length <= 0 || length > maxLevel {
		return nil
	}
	core.level = make([]byte, length)
	return unsafe.Pointer(&core.level[0])
}

// levelLoad unpacks the level in the reserved memory.
//
//go:wasmexport level_load
func levelLoad(length int32) int32 {
	if length < 0 || int(length) > len(core.level) {
		return refuse("wasm: the level is longer than the reserved memory")
	}
	world, err := collide.Unpack(core.level[:length])
	core.level = nil
	if err != nil {
		return refuse(err.Error())
	}
	core.world = world
	return 0
}

// hello begins a session. The inbox holds three strings with their lengths: the name, the
// resume key in hex or nothing, and the hash of the level.
//
//go:wasmexport hello
func hello(length int32, now float64) int32 {
	r := strings{rest: inboxBlock[:min(max(length, 0), InboxBytes)]}
	name, resume, hash := r.next(), r.next(), r.next()
	if core.world == nil {
		return refuse("wasm: hello before level_load")
	}
	if err := session.CheckName(name); err != nil {
		return refuse(err.Error())
	}
	core.hash = hash
	core.player = arena.NewPlayer(session.ClientConfig{InputDelay: core.delay})
	core.events.begin()
	shotRecords.reset()
	core.player.Hello(name, parseKey(resume))
	return 0
}

// receive processes the first length bytes of the inbox as one packet that arrived at a
// time. It returns 1 for a malformed packet.
//
//go:wasmexport receive
func receive(channel, length int32, at float64) int32 {
	if core.player == nil || length < 0 || length > InboxBytes {
		return 1
	}
	way := session.Datagram
	if channel == ChannelStream {
		way = session.Stream
	}
	if err := core.player.Receive(way, clock.Micros(at), inboxBlock[:length]); err != nil {
		return 1
	}
	return 0
}

// frame runs one frame: it turns the input block into a command and fills the state block
// with what to draw, the events block with what happened, and the outbox with what to send.
// It returns the number of packets.
//
//go:wasmexport frame
func frame(now float64) int32 {
	outboxBlock.reset()
	eventBlock.reset()
	local := clock.Micros(now)
	readDevices(local)
	p := core.player
	if p == nil {
		return 0
	}
	p.Play(local, playerInput())
	core.events.write(p, local)
	shotRecords.update(p, local)
	drawState(p, local)
	for _, packet := range p.Outgoing() {
		outboxBlock.packet(byte(packet.Channel), packet.Bytes)
	}
	return int32(outboxBlock.records)
}

// lost reports that the connection is gone: the player stands still until hello.
//
//go:wasmexport lost
func lost(now float64) {
	core.player = nil
}

// leave gives the seat up; the next frame's packets contain the message.
//
//go:wasmexport leave
func leave(now float64) {
	if core.player != nil && core.player.Phase() != session.Ended {
		core.player.Leave()
	}
}

// spectate asks the server to become a spectator, with 0 to play again.
//
//go:wasmexport spectate
func spectate(on int32) {
	if core.player != nil && core.player.Phase() == session.Playing {
		core.player.Spectate(on != 0)
	}
}

// setInputDelay asks the server to delay the moves by that time, in this and later sessions,
// clamped to 0 … 250 ms.
//
//go:wasmexport set_input_delay
func setInputDelay(milliseconds int32) {
	core.delay = clock.Micros(min(max(milliseconds, 0), 250)) * clock.Millisecond
	if core.player != nil {
		core.player.Client.SetInputDelay(core.delay)
	}
}

// debugRemotes enables the records at RemoteDebugBase, 0 disables them.
//
//go:wasmexport debug_remotes
func debugRemotes(on int32) { core.debugRemotes = on != 0 }

// debugShots enables the records at ShotDebugBase, 0 disables them.
//
//go:wasmexport debug_shots
func debugShots(on int32) {
	core.debugShots = on != 0
	shotRecords.chosen = 0
}

// reasonText writes why a shot was refused or did no damage into the inbox, as text, and
// returns its length.
//
//go:wasmexport reason_text
func reasonText(number int32) int32 {
	return int32(copy(inboxBlock[:], shot.Reason(min(max(number, 0), 255)).String()))
}

// poseBodies writes the poses of the level's moving bodies at a match time, for a page that
// shows a recording; it needs no session.
//
//go:wasmexport pose_bodies
func poseBodies(at float64) {
	drawBodies(&collide.WorldAt{World: core.world, At: clock.Micros(at)})
}

// refuse writes an error into the inbox and returns its length.
func refuse(why string) int32 { return int32(copy(inboxBlock[:], why)) }

// strings reads strings with a length byte; past the end they are empty.
type strings struct{ rest []byte }

func (s *strings) next() string {
	if len(s.rest) == 0 {
		return ""
	}
	n := min(int(s.rest[0]), len(s.rest)-1)
	text := string(s.rest[1 : 1+n])
	s.rest = s.rest[1+n:]
	return text
}

// parseKey reads a key in hex; anything else is the zero key.
func parseKey(text string) (key session.Key) {
	if len(text) != 2*len(key) {
		return key
	}
	for i := range key {
		b, err := strconv.ParseUint(text[2*i:2*i+2], 16, 8)
		if err != nil {
			return session.Key{}
		}
		key[i] = byte(b)
	}
	return key
}

// keyText returns a key in hex. Package encoding/hex would link fmt, 90 kB of the download.
func keyText(key session.Key) []byte {
	var text []byte
	for _, b := range key {
		text = append(text, "0123456789abcdef"[b>>4], "0123456789abcdef"[b&15])
	}
	return text
}
