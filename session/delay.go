package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// maxDelay is the longest input delay. It is sent in milliseconds.
const maxDelay = 250 * clock.Millisecond

// How often a client may change its input delay.
const (
	delayEvery = clock.Second
	// On a server, since requests that were sent apart arrive at once after a link has held them: for up to 15 s
	// (transport.IdleTimeout), while a player drags a slider.
	delayBurst = 20
)

// delayRequest is the input delay of a client, and the one that it last sent.
type delayRequest struct {
	wanted, sent clock.Micros
	at           clock.Micros // local time when it was sent
	ever         bool         // it was sent before
}

// packDelay packs an input delay.
func packDelay(p *bits.Packer, d *clock.Micros) {
	ms := int(*d / clock.Millisecond)
	p.Ranged(&ms, 0, int(maxDelay/clock.Millisecond))
	*d = clock.Micros(ms) * clock.Millisecond
}

// SetInputDelay changes ClientConfig.InputDelay, 0 … 250 ms, from the next Frame on. The
// server gets it in whole milliseconds, and at most once a second.
func (c *Client[S, C]) SetInputDelay(d clock.Micros) {
	if d < 0 || d > maxDelay {
		panic("session: an input delay is 0 to 250 ms")
	}
	c.uplink.delay.wanted = d
}

// sendDelay sends the server the wanted delay if it knows another.
func (c *Client[S, C]) sendDelay(local clock.Micros) {
	w := &c.uplink.delay
	if w.wanted == w.sent || w.ever && local-w.at < delayEvery {
		return
	}
	w.sent, w.at, w.ever = w.wanted, local, true
	d := w.wanted
	c.message(0, messageDelay, func(p *bits.Packer) { packDelay(p, &d) })
}

// receiveDelay changes for how long a player's commands wait, as far as the server grants it.
func (s *Server[S, C]) receiveDelay(t *seat[S, C]) error {
	var d clock.Micros
	packDelay(&s.packer, &d)
	s.packer.End()
	if err := s.packer.Err(); err != nil {
		return err
	}
	if !t.limits.delays.take(s.now, 1, 1, delayBurst) {
		return errFlood
	}
	t.inputDelay = min(d, s.config.MaxInputDelay)
	if t.authority != nil {
		t.authority.InputDelay = t.inputDelay
	}
	return nil
}
