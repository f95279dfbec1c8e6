package websocket

import "github.com/backstep-net/backstep/transport"

// framing is the part of a pump.Wire that is the same in a browser: a message is a byte for its channel, and itself.
type framing struct{ remote string }

// Kind implements pump.Wire.
func (framing) Kind() string { return "websocket" }

// Remote implements pump.Wire.
func (f framing) Remote() string { return f.remote }

// Measure implements pump.Wire: nothing is known.
func (framing) Measure(*transport.Stats) {}

// AppendFrame implements pump.Wire.
func (framing) AppendFrame(dst, msg []byte) []byte {
	return append(append(dst, byte(transport.Stream)), msg...)
}
