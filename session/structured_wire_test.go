package session

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
	"github.com/backstep-net/backstep/session/notice"
	"github.com/backstep-net/backstep/track"
)

// serverTicks is what a server has sent that reads headers.
func serverTicks() *ackCodec {
	return &ackCodec{width: tickBits, newest: 100_000, schedule: schedule{60, 25}}
}

func helloDecoder() structured.Decoder {
	d := structured.Packed("session.hello", "FuzzHello", (*hello).pack, nil, nil,
		hello{magic: magic, version: Version, format: 7, match: "duel", name: "Ada", key: Key{1, 2}, token: "v4.local.x", options: "team=red"})
	d.MaxBytes = 8 << 10 // its texts are copied
	return d
}

func welcomeDecoder() structured.Decoder {
	d := structured.Packed("session.welcome", "FuzzWelcome", (*welcome).pack, nil, nil,
		welcome{seats: 128, player: 3, key: Key{1}, sent: schedule{60, 30}, level: "level", block: true, optOut: true, seed: 1 << 60, info: []byte("{}"), weapons: []byte{1, 2}})
	d.MaxBytes = 4 << 10
	return d
}

func clientHeaderDecoder() structured.Decoder {
	pack := func(h *clientHeader, p *bits.Packer) { h.pack(p, serverTicks()) }
	return structured.Packed("session.clientHeader", "FuzzClientHeader", pack, nil, func(h *clientHeader) error {
		if h.received.Newest > 100_000 || h.ackDelay < noAckDelay {
			return fmt.Errorf("out of range: %+v", *h)
		}
		return nil
	}, clientHeader{sequence: 7}, clientHeader{sequence: 7, received: track.Received{Newest: 99_998, Mask: 1<<20 - 2}, ackDelay: 8000, moves: true})
}

func serverHeaderDecoder() structured.Decoder {
	pack := func(h *serverHeader, p *bits.Packer) {
		h.pack(p, &ackCodec{width: sequenceBits, newest: 100_000})
	}
	return structured.Packed("session.serverHeader", "FuzzServerHeader", pack, nil, nil,
		serverHeader{tick: 1, ackDelay: noAckDelay}, serverHeader{tick: 3675, skipped: 3, received: track.Received{Newest: 99_456, Mask: 1<<64 - 4}, ackDelay: 8000})
}

// noticesDecoder reads into lists that exist already, as a client does.
func noticesDecoder() structured.Decoder {
	pack := func(n *notices, p *bits.Packer) { n.pack(p, 61*clock.Second) }
	reset := func(n *notices) {
		clear(n.triggers[:cap(n.triggers)])
		clear(n.combat.Receipts.Items[:cap(n.combat.Receipts.Items)])
		clear(n.combat.Shots.Items[:cap(n.combat.Shots.Items)])
		clear(n.combat.Damage.Items[:cap(n.combat.Damage.Items)])
	}
	shots := notice.List[combat.SeenShot, *combat.SeenShot]{First: 7, Items: []combat.SeenShot{
		{Shooter: 2, Weapon: 1, More: 2}, {Shooter: 1, Ended: true, At: 60 * clock.Second}}}
	return structured.Packed("session.notices", "FuzzNotices", pack, reset, nil, notices{},
		notices{hasFields: true, triggers: someTriggers(), combat: combat.Notices{Shots: shots}},
		notices{triggers: triggerUpdates{{1, collide.TriggerLog{}}}})
}

func delayDecoder() structured.Decoder {
	return structured.Packed("session.delay", "FuzzDelay", func(d *clock.Micros, p *bits.Packer) { packDelay(p, d) }, nil, nil, 0, 100*clock.Millisecond)
}

// Inputs that know the format find no message of the protocol that panics, is accepted in two forms or
// allocates more than its texts. [THR-13, THR-14]
func TestStructuredWire(t *testing.T) {
	structured.Run(t, helloDecoder(), welcomeDecoder(), clientHeaderDecoder(), serverHeaderDecoder(), noticesDecoder(), delayDecoder())
}

// FuzzHello: any bytes are a hello or an error. [THR-13]
func FuzzHello(f *testing.F) { structured.Fuzz(f, helloDecoder()) }

// FuzzWelcome: any bytes are a welcome or an error. [THR-13]
func FuzzWelcome(f *testing.F) { structured.Fuzz(f, welcomeDecoder()) }

// FuzzClientHeader: the head of a client's datagram. [THR-13]
func FuzzClientHeader(f *testing.F) { structured.Fuzz(f, clientHeaderDecoder()) }

// FuzzServerHeader: the head of the server's datagram. [THR-13]
func FuzzServerHeader(f *testing.F) { structured.Fuzz(f, serverHeaderDecoder()) }

// FuzzDelay: the input delay that a client asks for. [THR-13]
func FuzzDelay(f *testing.F) { structured.Fuzz(f, delayDecoder()) }

// FuzzReadHello: what a host reads of a hello before it knows the match is what the match reads. [THR-13]
func FuzzReadHello(f *testing.F) {
	for _, b := range helloDecoder().Seeds {
		f.Add(append([]byte{messageHello}, b...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		info, err := ReadHello(b)
		if err != nil || info == (HelloInfo{}) {
			return
		}
		var p bits.Packer
		var h hello
		p.Read(b[1:])
		h.pack(&p)
		if info != (HelloInfo{h.match, h.token, h.key != Key{}}) {
			t.Fatalf("got %+v of %+v", info, h)
		}
	})
}
