package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
)

// glideRules is glide as a predict.Owner simulates it.
type glideRules struct{ glide }

func (g *glideRules) Step(s *geom.Vec3, c *predict.Command[uint8]) {
	g.glide.Step(nil, s, &c.Input, c.Duration)
}

func (*glideRules) ClearOneTime(*uint8) {}

func (*glideRules) Important(_, _ *geom.Vec3, _ *predict.Command[uint8]) bool { return false }

func (*glideRules) Combine(_, _ *geom.Vec3, _, _ *predict.Command[uint8]) bool { return false }

func (*glideRules) Differ(_, _ *geom.Vec3, into []predict.Difference) []predict.Difference {
	return into
}

// takeover is a player that takes its seat over by a new connection again and again, with datagrams of its own
// making.
type takeover struct {
	t      *testing.T
	server *glideServer
	tick   int64
	key    session.Key
	peer   session.Peer
	sent   uint64 // datagrams of the connection
	owner  *predict.Owner[geom.Vec3, uint8]
}

func newTakeover(t *testing.T) *takeover {
	n := byte(0)
	server := session.NewServer(gameOf[geom.Vec3, uint8](&glide{}), session.ServerConfig{World: plane(t), LevelHash: "plane",
		NewKey: func() session.Key { n++; return session.Key{1: n, 15: 1} }})
	c := &takeover{t: t, server: server, tick: 600}
	c.serve()
	return c
}

func (c *takeover) now() clock.Micros { return clock.TickTime(c.tick, 60) }

// serve plays a tick of the server.
func (c *takeover) serve() {
	c.tick++
	c.server.Tick(c.now())
	c.server.Send()
	c.server.Outgoing()
}

// connect takes the seat over, or joins.
func (c *takeover) connect() {
	if c.peer != 0 {
		c.server.Disconnect(c.peer)
	}
	c.peer++
	client := session.NewClient(gameOf[geom.Vec3, uint8](&glide{}), session.ClientConfig{})
	client.Hello("x", c.key)
	for _, out := range client.Outgoing() {
		if err := c.server.Receive(c.peer, out.Channel, c.now(), out.Bytes); err != nil {
			c.t.Fatal(err)
		}
	}
	if c.peer == 1 {
		c.server.SetState(1, geom.Vec3{})
	}
	for _, out := range c.server.Outgoing() {
		if err := client.Receive(out.Channel, 1000, out.Bytes); err != nil {
			c.t.Fatal(err)
		}
	}
	c.key = client.Key()
	state, _ := c.server.State(1)
	c.owner, c.sent = predict.NewOwner[geom.Vec3, uint8](&glideRules{}, state), 0
}

// move makes a move that ends at a stamp and sends it.
func (c *takeover) move(stamp, lasts clock.Micros) {
	c.owner.Advance(stamp, lasts, 0)
	var p bits.Packer
	p.Write(make([]byte, 1000))
	kind, yes, no := uint64(1), true, false
	c.sent++
	low := c.sent % 1024
	p.Uint(&kind, 3)
	p.Uint(&low, 10)
	p.Bool(&no) // acknowledges nothing
	p.Bool(&yes)
	c.owner.Pack(&p, 600)
	if err := c.server.Receive(c.peer, session.Datagram, c.now(), p.Bytes()); err != nil {
		c.t.Fatal(err)
	}
}

// A player that takes its own seat over by a new connection twice a second gains no time by that: neither by moves
// that lie before the takeover, nor by moves that last longer than their stamps advance. [THR-18]
func TestTakeoversGainNoTime(t *testing.T) {
	const slack = 250 * clock.Millisecond // the default of predict.Limits.MaxTimeDiscrepancy
	for _, cheat := range []struct {
		name    string
		early   clock.Micros // first moves of each connection that lie before it
		stretch clock.Micros // how much longer each other move lasts than its stamp advances
	}{
		{"honest moves", 0, 0}, {"moves before the takeover", 240 * clock.Millisecond, 0}, {"moves that last longer", 0, 12 * clock.Millisecond},
	} {
		c := newTakeover(t)
		begin := c.now()
		for range 20 {
			c.connect()
			for at := c.now() - cheat.early; at < c.now(); at += 8 * clock.Millisecond {
				c.move(at, 8*clock.Millisecond)
			}
			for range 30 {
				c.serve()
				c.move(c.now(), clock.TickTime(1, 60)+cheat.stretch)
			}
		}
		c.serve()
		s, _ := c.server.State(1)
		ran := clock.Micros(s.X / glideWays[0].X * 1e6)
		gained := ran - (c.now() - begin)
		if honest := cheat.early+cheat.stretch == 0; gained > slack+phase || honest && gained < -clock.Second {
			t.Errorf("%s: gained %v ms in %v s", cheat.name, gained/1000, (c.now() - begin).Seconds())
		}
	}
}
