package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
	"github.com/backstep-net/backstep/session"
)

// serverDecoder is a server in a match of three, and what one of them sends.
func serverDecoder(t testing.TB) structured.Decoder {
	r, all := capture(t)
	d := structured.Decoder{Name: "session.Server.datagrams", Target: "FuzzServerReceive", Rest: "bool(false)\n",
		Read: func(p *bits.Packer) { r.m.ReadDatagram(1, p) }}
	for _, f := range all[len(all)/2:] {
		if f.up && f.ch == session.Datagram && f.peer == 1 && len(d.Seeds) < 64 {
			d.Seeds = append(d.Seeds, f.bytes)
		}
	}
	n := 0
	d.Decode = func(b []byte) (bool, error) {
		if n++; n&0x3fff == 0 { // the moves that were taken are run, and time goes on
			r.tick++
			r.m.Tick(r.now())
			r.m.Outgoing()
		}
		if n&63 == 0 {
			r.m.Forgive(1)
		}
		return r.m.Receive(1, session.Datagram, r.now(), b) == nil, nil
	}
	return d
}

// clientDecoder is a client in such a match, and what its server sends.
func clientDecoder(t testing.TB) structured.Decoder {
	r, _ := capture(t)
	g := r.clients[0]
	d := structured.Decoder{Name: "session.Client.datagrams", Target: "FuzzClientReceive", Rest: "bool(false)\n",
		MaxBytes: 4 << 10, // the points of pellets, and what explains a shot, are the game's to keep
		Read:     func(p *bits.Packer) { g.ReadDatagram(p) }}
	g.frozen = true // what is sent from now on is new to it
	r.seen = func(f flight) {
		if !f.up && f.ch == session.Datagram && f.peer == 1 && len(d.Seeds) < 64 {
			d.Seeds = append(d.Seeds, f.bytes)
		}
	}
	r.run(60)
	r.seen = nil
	d.Decode = func(b []byte) (bool, error) {
		err := g.toyClient.Receive(session.Datagram, r.local(g), b)
		g.Events()
		return err == nil, nil
	}
	return d
}

// Inputs that know the format find no datagram, in either direction, that panics or allocates at the
// server. [THR-13, THR-14]
func TestStructuredInputs(t *testing.T) {
	structured.Run(t, serverDecoder(t), clientDecoder(t))
}
