// Command smallest is the browser core of the smallest game, the jetpack example, with a
// bare interface: it measures how large a core is that links only what such a game uses.
package main

import (
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

var (
	model   = movement.DefaultModel()
	client  = session.NewClient(jetpack.Game(&model), session.ClientConfig{})
	memory  [1 << 20]byte
	command jetpack.Command
)

func main() {}

//go:wasmexport buffer
func buffer() unsafe.Pointer { return unsafe.Pointer(&memory) }

//go:wasmexport level
func level(length int32) int32 {
	world, err := collide.Unpack(memory[:length])
	if err != nil {
		return int32(copy(memory[:], err.Error()))
	}
	client.EnterWorld(world)
	client.Hello("player", session.Key{})
	return 0
}

//go:wasmexport receive
func receive(channel, length int32, at float64) int32 {
	if err := client.Receive(session.Channel(channel), clock.Micros(at), memory[:length]); err != nil {
		return int32(copy(memory[:], err.Error()))
	}
	return 0
}

//go:wasmexport frame
func frame(at float64, jet int32) int32 {
	command.Jet = jet != 0
	client.Frame(clock.Micros(at), &command)
	n := 0
	for _, p := range client.Outgoing() {
		n += copy(memory[n:], p.Bytes)
	}
	return int32(n)
}
