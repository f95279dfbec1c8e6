package session

import (
	"bytes"

	"github.com/backstep-net/backstep/clock"
)

// waiting is an input of a fixed-tick client that came between two ticks and holds
// what happens once.
type waiting[C any] struct {
	some  bool
	input C
	aimed Claimed // with it
	held  C       // scratch: what goes on of an input
	none  C
}

// tick makes the commands that are due at match time now, none or several, each of one
// tick. What happens once, a shot or a press, rides in one of them: where none is due,
// it waits for the next.
func (c *Client[S, C]) tick(now clock.Micros, in *C) {
	w, used := &c.waits, false
	for stamp, ok := c.pacer.Due(now); ok; stamp, ok = c.pacer.Due(now) {
		switch {
		case w.some:
			w.some = false
			c.aimed, w.aimed = w.aimed, c.aimed
			c.make(stamp, c.pacer.Tick(), &w.input)
			c.aimed, w.aimed = w.aimed, c.aimed
		case !used:
			used = true
			c.make(stamp, c.pacer.Tick(), in)
		default:
			w.held = *in
			c.rules.Game.Carry(&w.held)
			c.make(stamp, c.pacer.Tick(), &w.held)
		}
	}
	if !used && !w.some && c.happensOnce(in) {
		w.some, w.input = true, *in
		c.aimed, w.aimed = w.aimed, c.aimed
	}
}

// Waiting reports whether a shot or another thing that happens once waits for its tick:
// what comes of that kind until then is lost. Only with ClientConfig.Tick.
func (c *Client[S, C]) Waiting() bool { return c.waits.some }

// happensOnce reports whether Carry would take anything from an input.
func (c *Client[S, C]) happensOnce(in *C) bool {
	c.waits.held = *in
	c.rules.Game.Carry(&c.waits.held)
	half := len(c.scratch) / 2
	whole := c.packed(c.scratch[:half], in)
	return !bytes.Equal(whole, c.packed(c.scratch[half:], &c.waits.held))
}

// packed returns an input as it travels, in into.
func (c *Client[S, C]) packed(into []byte, in *C) []byte {
	p := &c.packer
	p.Write(into)
	c.rules.Game.PackCommand(p, in, &c.waits.none)
	return p.Bytes()
}
