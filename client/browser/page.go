package browser

import (
	"errors"
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

// Page drives the core of this program as a page does, through its exports: for tests of
// a game's core. There is one core, so there is one page: the zero Page.
type Page struct{}

// Write writes into the inbox and returns the length, for exports that read it.
func (Page) Write(b []byte) int32 {
	return int32(copy(unsafe.Slice((*byte)(inbox(int32(len(b)))), len(b)), b))
}

// Load loads a packed level.
func (p Page) Load(packed []byte) error { return result(levelLoad(p.Write(packed))) }

// Hello begins a session: with a resume key, "" for none, and the hash of the level.
func (p Page) Hello(name, key, hash string, now clock.Micros) error {
	return result(hello(p.Write([]byte(name+"\x00"+key+"\x00"+hash)), float64(now)))
}

// Receive passes in a packet.
func (p Page) Receive(packet session.Packet, at clock.Micros) {
	receive(int32(packet.Channel), p.Write(packet.Bytes), float64(at))
}

// Frame draws a frame; View.Packets is what to send.
func (Page) Frame(now clock.Micros) { frame(float64(now)) }

// Lost says that the connection is gone.
func (Page) Lost() { lost() }

// Leave gives the seat up.
func (Page) Leave() { leave() }

// result returns the error of a call.
func result(failed int32) error {
	if failed == 0 {
		return nil
	}
	return errors.New(*core.failure())
}
