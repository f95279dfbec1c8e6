package session

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session/notice"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

var update = flag.Bool("update", false, "rewrite testdata")

// written returns what a message packs to, and its bits.
func written(pack func(*bits.Packer)) ([]byte, int) {
	var p bits.Packer
	p.Write(make([]byte, 8192))
	pack(&p)
	if p.Err() != nil {
		panic(p.Err())
	}
	return bytes.Clone(p.Bytes()), p.Bits()
}

// The bounds by which the space of a datagram is planned hold for the largest that can be
// said; so a correction of 780 bytes always fits beside notices and an entity. [HIT-01]
func TestTheLargestNoticesFit(t *testing.T) {
	far := geom.V(1e9, -1e9, 1e9)
	pack := func(n *notices) int {
		_, size := written(func(p *bits.Packer) { n.pack(p, 1<<40) })
		return size
	}
	n := notices{hasFields: true}
	base := pack(&n)
	if base > countBits {
		t.Errorf("no notices but fields take %d bits, planned are %d", base, countBits)
	}
	for _, g := range []combat.SeenShot{
		{Shooter: MaxPlayers, Weapon: shot.MaxWeapons - 1, Ended: true, To: far},
		{Shooter: MaxPlayers, Weapon: shot.MaxWeapons - 1, From: far, To: far.Neg()},
		{Shooter: MaxPlayers, From: far, To: far.Neg(), Ends: [shot.MaxPellets - 1]geom.Vec3{far, far, far, far, far}, More: 5},
	} {
		n.combat.Shots.Items = []combat.SeenShot{g}
		if size := pack(&n) - base - 16; size > g.MaxBits() {
			t.Errorf("a sight takes %d bits, planned are %d", size, g.MaxBits())
		}
	}
	n.combat.Shots.Items = nil
	n.combat.Damage.Items = []combat.Damage{{By: MaxPlayers, Weapon: shot.MaxWeapons - 1, HitGroup: rig.HitGroups - 1, Amount: 65535, From: far, Ago: 4095 * clock.Millisecond}}
	if size, most := pack(&n)-base-16, n.combat.Damage.Items[0].MaxBits(); size > most {
		t.Errorf("damage takes %d bits, planned are %d", size, most)
	}
	h := serverHeader{tick: 1, received: track.Received{Newest: 99}}
	_, head := written(func(p *bits.Packer) { h.pack(p, &ackCodec{width: sequenceBits}) })
	if verdict := 1 + 85 + maxState*8; head+verdict+countBits+replicate.MinBits > maxDatagram*8 {
		t.Errorf("a correction of %d bytes does not fit: %d bits", maxState, head+verdict+countBits+replicate.MinBits)
	}
}

// No notices have one encoding: a single bit.
func TestNoNoticesAreOneBit(t *testing.T) {
	n := notices{}
	if _, size := written(func(p *bits.Packer) { n.pack(p, 0) }); size != 1 {
		t.Errorf("%d bits, want 1", size)
	}
	b, _ := written(func(p *bits.Packer) {
		yes, no, zero := true, false, 0
		p.Bool(&yes)
		p.Bool(&no)
		p.Bool(&no)
		for range 3 {
			p.Ranged(&zero, 0, notice.MaxSent)
		}
	})
	var p bits.Packer
	p.Read(b)
	if n.pack(&p, 0); p.Err() != bits.ErrRange {
		t.Errorf("empty notices: %v, want %v", p.Err(), bits.ErrRange)
	}
}

// A budget lets its burst pass at once and its rate in the long run, and is full
// again after a pause.
func TestAllowance(t *testing.T) {
	var a allowance
	count := func(now clock.Micros, tries int) (n int) {
		for range tries {
			if a.take(now, 1, 30, 120) {
				n++
			}
		}
		return n
	}
	if n := count(0, 1000); n != 120 {
		t.Errorf("at once: %d, want 120", n)
	}
	n := 0
	for s := range clock.Micros(100) {
		n += count((s+1)*clock.Second/10, 100)
	}
	if n != 300 {
		t.Errorf("in ten seconds: %d, want 300", n)
	}
	if n := count(60*clock.Second, 1000); n != 120 {
		t.Errorf("after a pause: %d, want 120", n)
	}
	if a.take(1e15, 200, 30, 120) {
		t.Error("more than ever fits is taken")
	}
}

// GAP-04: the format is frozen; a change of these bytes is a new protocol.
func TestGoldenMessages(t *testing.T) {
	var got bytes.Buffer
	line := func(name string, pack func(*bits.Packer)) {
		b, n := written(pack)
		fmt.Fprintf(&got, "%s, %d bits: %s\n", name, n, hex.EncodeToString(b))
	}
	key := Key{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	h := hello{magic, Version, 0xBADC0DE5, "red", "Ada ❤", key, "v4.local.x", "team=red"}
	line("hello", h.pack)
	w := welcome{128, 7, key, schedule{60, 30}, "9f86d081", true, false, 0x0123456789ABCDEF, []byte("terms"), []byte("arms")}
	line("welcome", w.pack)
	place := 3
	line("queued", func(p *bits.Packer) { p.Ranged(&place, 1, MaxQueue) })
	wish := 120 * clock.Millisecond
	line("input delay", func(p *bits.Packer) { packDelay(p, &wish) })
	ticks, halves := ackCodec{width: tickBits}, ackCodec{width: tickBits, schedule: schedule{60, 30}}
	client := func(name string, of *ackCodec, c clientHeader) { line(name, func(p *bits.Packer) { c.pack(p, of) }) }
	all := track.Received{Newest: 3675, Mask: 1<<64 - 1}
	client("client's header", &ticks, clientHeader{sequence: 123456, received: all, ackDelay: noAckDelay, moves: true})
	client("client's header with an acknowledgement delay", &ticks, clientHeader{sequence: 123456, received: all, ackDelay: 16000, moves: true})
	all.Mask &^= 1<<5 | 1<<63
	client("client's header, two missing", &ticks, clientHeader{sequence: 123456, received: all, ackDelay: noAckDelay, moves: true})
	all.Mask = 0xF0F0F0F0F0F0F0F0
	client("client's header, many missing", &ticks, clientHeader{sequence: 123456, received: all, ackDelay: noAckDelay, moves: true})
	client("client's header, every other tick sent", &halves, clientHeader{sequence: 123456, received: track.Received{Newest: 3676, Mask: 0xAAAAAAAAAAAAAAAA}, ackDelay: noAckDelay, moves: true})
	client("client's first header", &ticks, clientHeader{sequence: 1, ackDelay: noAckDelay})
	server := func(name string, h serverHeader) {
		line(name, func(p *bits.Packer) { h.pack(p, &ackCodec{width: sequenceBits}) })
	}
	server("server's header", serverHeader{tick: 3675, received: track.Received{Newest: 123456, Mask: 1<<64 - 1}, ackDelay: 8000})
	server("server's header, two missing", serverHeader{tick: 3675, received: track.Received{Newest: 123456, Mask: 1<<64 - 4}, ackDelay: noAckDelay})
	server("server's first header", serverHeader{tick: 1, ackDelay: noAckDelay})
	n := notices{hasFields: true, triggers: someTriggers(), combat: combat.Notices{Receipts: notice.List[combat.Receipt, *combat.Receipt]{Items: []combat.Receipt{{Receipt: shot.Receipt{Shot: 9, Shooter: 1, Verdict: shot.Miss}}}, First: 12},
		Shots: notice.List[combat.SeenShot, *combat.SeenShot]{Items: []combat.SeenShot{
			{Shooter: 2, Weapon: 1, From: geom.V(1, 2, 3), To: geom.V(-4, 5, -6), Ends: [shot.MaxPellets - 1]geom.Vec3{geom.V(-4, 6, -6)}, More: 1},
			{Shooter: 128, Weapon: 2, Ended: true, At: 61 * clock.Second, To: geom.V(9, 0, 9)}}, First: 3},
		Damage: notice.List[combat.Damage, *combat.Damage]{Items: []combat.Damage{{By: 2, Weapon: 1, HitGroup: rig.Head, Amount: 60, From: geom.V(1, 2, 3), Ago: 120 * clock.Millisecond}}, First: 65535}}}
	line("news", func(p *bits.Packer) { n.pack(p, 61*clock.Second+33*clock.Millisecond) })
	e := combat.ShotDebug{Shot: 9, Known: true, Receipt: n.combat.Receipts.Items[0].Receipt, Eye: geom.V(1, 1.6, 2), Platform: 61 * clock.Second,
		Targets: []track.Entity{{ID: 2, Sample: track.Sample{At: 60 * clock.Second, Pose: track.Pose{Position: geom.V(1, 2, 3), Yaw: 1}}}}}
	line("evidence", e.Pack)
	const file = "testdata/messages.hex"
	if *update {
		os.MkdirAll("testdata", 0o755)
		os.WriteFile(file, got.Bytes(), 0o644)
	}
	want, err := os.ReadFile(file)
	if err != nil || got.String() != string(want) {
		t.Errorf("got\n%swant\n%s%v", got.String(), want, err)
	}
}

// FuzzShotDebug: THR-13: any bytes are evidence or an error, and what was read is written
// as the same bytes.
func FuzzShotDebug(f *testing.F) {
	e := combat.ShotDebug{Shot: 9, Known: true, Receipt: shot.Receipt{Shot: 9, Shooter: 1, Verdict: shot.Miss}, Eye: geom.V(1, 1.6, 2), Platform: 61 * clock.Second,
		Targets: []track.Entity{{ID: 2, Sample: track.Sample{At: 60 * clock.Second, Pose: track.Pose{Position: geom.V(1, 2, 3), Yaw: 1}}},
			{ID: 130, Sample: track.Sample{
				GameData: track.GameData{Kind: 3},
				Pose:     track.Pose{Up: geom.V(0, -1, 0), Rotation: geom.Quat{W: 1}, Asleep: true},
			}}}}
	b, _ := written(e.Pack)
	f.Add(b)
	b, _ = written((&combat.ShotDebug{Shot: 7}).Pack)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var p bits.Packer
		var e combat.ShotDebug
		p.Read(b)
		e.Pack(&p)
		if p.End(); p.Err() != nil {
			return
		}
		for i := range e.Targets {
			if s := &e.Targets[i]; !s.Position.Finite() || s.ID == 0 || s.ID > track.MaxID {
				t.Fatalf("out of range: %+v", s)
			}
		}
		if again, _ := written(e.Pack); !bytes.Equal(again, b) {
			t.Fatalf("read %x, wrote %x", b, again)
		}
	})
}

// FuzzNotices: the same for the notices of a client. [HIT-01]
func FuzzNotices(f *testing.F) { // THR-13
	n := notices{hasFields: true, triggers: someTriggers(), combat: combat.Notices{Receipts: notice.List[combat.Receipt, *combat.Receipt]{Items: []combat.Receipt{{Receipt: shot.Receipt{Shot: 9, Shooter: 1, Verdict: shot.Launched}}}, First: 65535},
		Shots:  notice.List[combat.SeenShot, *combat.SeenShot]{Items: []combat.SeenShot{{Shooter: 2, Weapon: 1, More: 2}, {Shooter: 1, Ended: true, At: 999 * clock.Millisecond}}, First: 7},
		Damage: notice.List[combat.Damage, *combat.Damage]{Items: []combat.Damage{{By: 1, HitGroup: rig.Head, Amount: 60}}, First: 1}}}
	b, _ := written(func(p *bits.Packer) { n.pack(p, clock.Second) })
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var p bits.Packer
		var n notices
		p.Read(b)
		n.pack(&p, clock.Second)
		if p.End(); p.Err() != nil {
			return
		}
		if again, _ := written(func(p *bits.Packer) { n.pack(p, clock.Second) }); !bytes.Equal(again, b) {
			t.Fatalf("read %x, wrote %x", b, again)
		}
	})
}

// someTriggers are the logs of two movers: a gate that was opened, and a door that was pressed
// twice since it last rested.
func someTriggers() triggerUpdates {
	var log collide.Triggers
	var b collide.Builder
	path := collide.Path{Keys: []collide.Key{{}, {At: clock.Second, Position: geom.V(1, 0, 0)}}}
	for _, name := range []string{"gate", "door"} {
		b.TriggeredMover(name, path, collide.Trigger{Kind: collide.Toggle}, func(b *collide.Builder) {
			b.Box(geom.Vec3{}, geom.V(1, 1, 1), geom.IdentityQuat, collide.Surface{})
		})
	}
	w, err := b.Bake()
	if err != nil {
		panic(err)
	}
	w = w.WithTriggers(&log)
	for _, t := range []struct {
		mover    collide.MoverID
		waypoint int
		at       clock.Micros
	}{{1, 2, 60 * clock.Second}, {2, collide.Press, 55 * clock.Second}, {2, 1, 60500 * clock.Millisecond}, {2, collide.Press, 61 * clock.Second}} {
		log.Open(collide.TriggerCause{Now: t.at}, 0)
		view := collide.WorldAt{World: w, At: t.at}
		view.Trigger(t.mover, t.waypoint)
		log.Close()
	}
	return triggerUpdates{{1, *log.Log(1)}, {2, *log.Log(2)}}
}

// The longest welcome, with as much MatchInfo and as many weapons as there may be, fits into a message: it panicked
// when the first player joined.
func TestTheLongestWelcomeFits(t *testing.T) {
	w := welcome{MaxPlayers, 7, Key{1}, schedule{60, 30}, strings.Repeat("x", maxText), true, false, 1, make([]byte, MaxMessage), make([]byte, MaxMessage)}
	var o output
	o.message(1, messageWelcome, w.pack)
	if n := len(o.Outgoing()[0].Bytes); n < 2*MaxMessage+maxText {
		t.Errorf("got %d bytes", n)
	}
}
