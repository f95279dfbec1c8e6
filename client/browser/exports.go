package browser

import (
	"unsafe"

	"github.com/backstep-net/backstep/client/layout"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// maxInbox is the most that a page hands over at once, in bytes: a packed level.
const maxInbox = 64 << 20

// core is the core of this program's game.
var core interface {
	failure() *string
	load(packed []byte) error
	hello(text string) error
	receive(channel session.Channel, at clock.Micros, packet []byte) error
	tell(message []byte) error
	delay(milliseconds int32)
	leave()
	lost()
	frame(local clock.Micros)
	moversAt(at clock.Micros)
	level() *collide.World
	levelNow() *collide.WorldAt
}

// shared is what the page reads and writes besides the roots.
var shared struct {
	inbox     []byte
	layout    []byte    // JSON
	triangles []float32 // or volumes
}

//go:wasmexport abi_version
func abiVersion() int32 { return layout.Version }

//go:wasmexport layout
func layoutJSON() unsafe.Pointer {
	shared.layout = table.Layout().AppendJSON(shared.layout[:0])
	return unsafe.Pointer(unsafe.SliceData(shared.layout))
}

//go:wasmexport layout_length
func layoutLength() int32 { return int32(len(shared.layout)) }

//go:wasmexport inbox
func inbox(length int32) unsafe.Pointer {
	if length < 0 || length > maxInbox {
		return nil
	}
	if int(length) > cap(shared.inbox) {
		shared.inbox = make([]byte, max(int(length), session.MaxMessage))
	}
	shared.inbox = shared.inbox[:cap(shared.inbox)]
	return unsafe.Pointer(unsafe.SliceData(shared.inbox))
}

// report tells the page how a call went.
func report(err error) int32 {
	if err != nil {
		*core.failure() = err.Error()
		return 1
	}
	*core.failure() = ""
	return 0
}

//go:wasmexport level_load
func levelLoad(length int32) int32 {
	packed := Inbox(length)
	shared.inbox = nil // a level is far longer than all that follows
	return report(core.load(packed))
}

//go:wasmexport hello
func hello(length int32, now float64) int32 { return report(core.hello(string(Inbox(length)))) }

//go:wasmexport receive
func receive(channel, length int32, at float64) int32 {
	if channel != 0 && channel != 1 {
		return 1
	}
	if core.receive(session.Channel(channel), clock.Micros(at), Inbox(length)) != nil {
		return 1
	}
	return 0
}

//go:wasmexport frame
func frame(now float64) { core.frame(clock.Micros(now)) }

//go:wasmexport tell
func tell(length int32) int32 { return report(core.tell(Inbox(length))) }

//go:wasmexport set_input_delay
func setInputDelay(milliseconds int32) { core.delay(milliseconds) }

//go:wasmexport leave
func leave() { core.leave() }

//go:wasmexport lost
func lost() { core.lost() }

//go:wasmexport movers_at
func moversAt(at float64) { core.moversAt(clock.Micros(at)) }

//go:wasmexport triangles
func triangles(mover int32) unsafe.Pointer {
	shared.triangles = trianglesOf(core.level(), int(mover))
	return unsafe.Pointer(unsafe.SliceData(shared.triangles))
}

//go:wasmexport volumes
func volumes() unsafe.Pointer {
	shared.triangles = volumesOf(core.level())
	return unsafe.Pointer(unsafe.SliceData(shared.triangles))
}

//go:wasmexport triangles_length
func trianglesLength() int32 { return int32(len(shared.triangles)) }

//go:wasmexport sweep
func sweep(x, y, z, dx, dy, dz, radius float64) float64 {
	return core.levelNow().CameraReach(geom.V(x, y, z), geom.V(dx, dy, dz), radius)
}
