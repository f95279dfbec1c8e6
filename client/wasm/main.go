// Command wasm is the arena's client core for a browser: a WASI reactor whose
// exported functions take bytes and times and whose state is read in place. Start
// at frame; layout.go says where everything lies.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o backstep.wasm ./client/wasm
//
// Times are microseconds of the page's own steady clock, as float64: whole
// numbers below 2⁵³. Functions that may refuse return the length of an error text
// that they left at the start of the inbox, 0 where all is well.
package main

import (
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// maxLevel bounds a packed level, in bytes.
const maxLevel = 64 << 20

// core is the whole of the instance's state beside the blocks.
var core struct {
	level  []byte         // as reserved for the page to fill
	world  *collide.World // nil until level_load
	hash   string         // of the level, as the page was told
	player *arena.Player  // nil until hello
	delay  clock.Micros   // for which moves are to be held back
	told   story          // what the page knows
	traces bool           // whether the page shows how others are drawn
	shots  bool           // whether it shows how shots were judged
}

// main is never called in a reactor; the linker wants it.
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

// levelReserve returns where the page may put a packed level of so many bytes,
// nil where that is too many.
//
//go:wasmexport level_reserve
func levelReserve(length int32) unsafe.Pointer {
	if length <= 0 || length > maxLevel {
		return nil
	}
	core.level = make([]byte, length)
	return unsafe.Pointer(&core.level[0])
}

// levelLoad unpacks the level that was put into the reserved place.
//
//go:wasmexport level_load
func levelLoad(length int32) int32 {
	if length < 0 || int(length) > len(core.level) {
		return refuse("wasm: the level is longer than what was reserved")
	}
	world, err := collide.Unpack(core.level[:length])
	core.level = nil
	if err != nil {
		return refuse(err.Error())
	}
	core.world = world
	return 0
}

// hello begins a session. The inbox holds three strings behind their lengths:
// the name, the resume key in hex or nothing, and the hash of the level.
//
//go:wasmexport hello
func hello(length int32, now float64) int32 {
	r := strings{rest: inboxBlock[:min(max(length, 0), InboxBytes)]}
	name, resume, hash := r.next(), r.next(), r.next()
	if core.world == nil {
		return refuse("wasm: hello before a level was loaded")
	}
	if err := session.CheckName(name); err != nil {
		return refuse(err.Error())
	}
	core.hash = hash
	core.player = arena.NewPlayer(session.ClientConfig{InputDelay: core.delay})
	core.told.begin()
	proofs.forget()
	core.player.Hello(name, parseKey(resume))
	return 0
}

// receive takes the first length bytes of the inbox as one packet that arrived at
// a time. It returns 1 where the packet made no sense.
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

// frame is one picture: the input block becomes a command, the state block what
// to draw, the events block what has happened, the outbox what to send. It returns
// the number of packets.
//
//go:wasmexport frame
func frame(now float64) int32 {
	outboxBlock.reset()
	eventBlock.reset()
	local := clock.Micros(now)
	feel(local)
	p := core.player
	if p == nil {
		return 0
	}
	p.Play(local, wanted())
	core.told.tell(p, local)
	proofs.watch(p, local)
	drawState(p, local)
	for _, packet := range p.Outgoing() {
		outboxBlock.packet(byte(packet.Channel), packet.Bytes)
	}
	return int32(outboxBlock.records)
}

// lost says that the connection is gone: the player stands still until hello.
//
//go:wasmexport lost
func lost(now float64) {
	core.player = nil
}

// leave gives the seat up; the next frame's packets say so.
//
//go:wasmexport leave
func leave(now float64) {
	if core.player != nil && core.player.Phase() != session.Ended {
		core.player.Leave()
	}
}

// watch asks to fly about as a spectator, with 0 to play again; the server decides.
//
//go:wasmexport watch
func watch(on int32) {
	if core.player != nil && core.player.Phase() == session.Playing {
		core.player.Watch(on != 0)
	}
}

// delayInput asks the server to hold moves back for so long, now and in later
// sessions; what is not 0 to 250 ms becomes the nearest that is.
//
//go:wasmexport delay_input
func delayInput(milliseconds int32) {
	core.delay = clock.Micros(min(max(milliseconds, 0), 250)) * clock.Millisecond
	if core.player != nil {
		core.player.Client.SetInputDelay(core.delay)
	}
}

// trace switches the records at TraceBase on, or off with 0.
//
//go:wasmexport trace
func trace(on int32) { core.traces = on != 0 }

// shots switches the records at ProofBase on, or off with 0.
//
//go:wasmexport shots
func shots(on int32) {
	core.shots = on != 0
	proofs.chosen = 0
}

// reason leaves in the inbox, in words, why a shot was refused or did no damage, and
// returns the length.
//
//go:wasmexport reason
func reason(number int32) int32 {
	return int32(copy(inboxBlock[:], shot.Reason(min(max(number, 0), 255)).String()))
}

// machines writes where the level's moving bodies are at a match time, for a page that
// shows a recording; no session is needed.
//
//go:wasmexport machines
func machines(at float64) {
	drawBodies(&collide.WorldAt{World: core.world, At: clock.Micros(at)})
}

// refuse leaves why in the inbox and returns its length.
func refuse(why string) int32 { return int32(copy(inboxBlock[:], why)) }

// strings reads strings, each behind its length in one byte; past the end they
// are empty.
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

// parseKey reads a key of hexText; anything else is no key.
func parseKey(text string) (key session.Key) {
	if len(text) != 2*len(key) {
		return session.Key{}
	}
	for i := range key {
		high, low := digit(text[2*i]), digit(text[2*i+1])
		if high > 15 || low > 15 {
			return session.Key{}
		}
		key[i] = high<<4 | low
	}
	return key
}

func digit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}

// hexText is the key as the page keeps it.
func hexText(key session.Key) string {
	const digits = "0123456789abcdef"
	text := make([]byte, 0, 2*len(key))
	for _, b := range key {
		text = append(text, digits[b>>4], digits[b&15])
	}
	return string(text)
}
