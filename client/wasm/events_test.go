package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// bodyReader reads the body of an event field by field, as web/src/client/events.ts does.
type bodyReader struct {
	t *testing.T
	b []byte
}

func (r *bodyReader) take(n int) []byte {
	r.t.Helper()
	if len(r.b) < n {
		r.t.Fatalf("the event ends %d bytes early", n-len(r.b))
	}
	got := r.b[:n]
	r.b = r.b[n:]
	return got
}

func (r *bodyReader) u8() int      { return int(r.take(1)[0]) }
func (r *bodyReader) u16() int     { return int(binary.LittleEndian.Uint16(r.take(2))) }
func (r *bodyReader) u32() int     { return int(binary.LittleEndian.Uint32(r.take(4))) }
func (r *bodyReader) text() string { return string(r.take(r.u8())) }
func (r *bodyReader) f32() float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(r.take(4))))
}
func (r *bodyReader) vector() geom.Vec3 { return geom.V(r.f32(), r.f32(), r.f32()) }

// end reports bytes that the page would not read.
func (r *bodyReader) end() {
	r.t.Helper()
	if len(r.b) != 0 {
		r.t.Errorf("%d bytes are left of an event", len(r.b))
	}
}

// read returns the events of one kind since the last call.
func (p *page) read(kind byte) []*bodyReader {
	var list []*bodyReader
	for _, b := range p.events[kind] {
		list = append(list, &bodyReader{p.t, b})
	}
	delete(p.events, kind)
	return list
}

// shotAt has the partner fire at the page's player for a time.
func (p *page) shotAt(d clock.Micros) {
	p.t.Helper()
	for end := p.now + d - 1000; p.now < end; {
		for _, r := range p.other.player.Remotes() {
			p.other.in.Yaw, p.other.in.Pitch = arena.Aim(p.other.player.Eye(), r.Position.Add(geom.V(0, 1.1, 0)))
		}
		p.other.in.Fire = len(p.other.player.Remotes()) > 0
		p.run(clock.Second / 60)
	}
	p.other.in.Fire = false
}

// apart puts the page's player and its partner at rest, d metres from each other.
func (p *page) apart(d float64) {
	p.t.Helper()
	p.place(session.PlayerID(stateBlock[StateSelf]), geom.V(0, .02, 0))
	p.place(p.other.player.ID(), geom.V(0, .02, -d))
	p.run(clock.Second)
}

func (p *page) place(id session.PlayerID, at geom.Vec3) {
	p.t.Helper()
	h, ok := p.match.State(id)
	if !ok {
		p.t.Fatalf("there is no player %d", id)
	}
	h.Position, h.Velocity = at, geom.Vec3{}
	p.match.SetState(id, h)
}

// The page learns of each hit: how much, from where, by which player and weapon. The damage
// sums up to the health that was lost; then come the kill, the time until the respawn, and
// the respawn.
func TestThePageSeesItsPlayerShotDeadAndRespawn(t *testing.T) {
	still(t)
	p := newPage(t)
	o := p.join()
	p.apart(6)
	p.events = map[byte][][]byte{}
	p.shotAt(clock.Second)
	self, other, lost := int(stateBlock[StateSelf]), int(o.player.ID()), 0
	for _, e := range p.read(EventDamage) {
		damage, from := e.u16(), e.vector()
		by, weapon, part, ago := e.u32(), e.u8(), e.u8(), e.f32()
		e.end()
		lost += damage
		if by != other || weapon != 0 || part < 1 || part > 4 || ago < 0 || ago > .2 {
			t.Errorf("damage by %d, weapon %d, part %d, %v s ago; want player %d with the rifle just now", by, weapon, part, ago, other)
		}
		if d := from.Sub(geom.V(0, 1.52, -6)).Len(); d > .3 {
			t.Errorf("fired from %v, %.2f m from the shooter's eye", from, d)
		}
	}
	if lost != 100 || stateBlock[StateDead] != 1 || stateBlock[StateHealth] != 0 {
		t.Fatalf("%d damage, dead %v, health %v; want 100, dead, 0", lost, stateBlock[StateDead], stateBlock[StateHealth])
	}
	kills := p.read(EventKill)
	if len(kills) != 1 {
		t.Fatalf("%d kills, want 1", len(kills))
	}
	k := kills[0]
	if killer, victim, _, weapon := k.u32(), k.u32(), k.u8(), k.u8(); killer != other || victim != self || weapon != 1 {
		t.Errorf("player %d killed %d with weapon %d, want %d, %d, 1", killer, victim, weapon, other, self)
	}
	k.end()
	if left := stateBlock[StateRespawn]; left <= 1.5 || left > 3 {
		t.Errorf("%v s until the respawn, want up to 3", left)
	}
	if stateBlock[StateDeaths] != 1 || stateBlock[RemoteBase+RemoteKills] != 1 {
		t.Errorf("%v deaths, the other has %v kills; want 1 and 1", stateBlock[StateDeaths], stateBlock[RemoteBase+RemoteKills])
	}
	p.run(3 * clock.Second)
	spawned := p.read(EventSpawned)
	if len(spawned) != 1 || stateBlock[StateDead] != 0 || stateBlock[StateHealth] != 100 || stateBlock[StateRespawn] != 0 {
		t.Fatalf("%d respawns, dead %v, health %v, %v s left; want one whole life", len(spawned), stateBlock[StateDead], stateBlock[StateHealth], stateBlock[StateRespawn])
	}
	spawned[0].f32()
	spawned[0].end()
}

// Damage without an attacker, such as a fall below the level, is reported too, once, and
// the world is the killer.
func TestDamageWithoutAnAttackerIsReported(t *testing.T) {
	still(t)
	p := newPage(t)
	p.hello("Ann", "", "floor")
	p.run(2 * clock.Second)
	p.read(EventDamage)
	p.place(session.PlayerID(stateBlock[StateSelf]), geom.V(0, -60, 0))
	p.run(clock.Second)
	damage := p.read(EventDamage)
	if len(damage) != 1 {
		t.Fatalf("%d times damage, want 1", len(damage))
	}
	if by := func() int { e := damage[0]; e.u16(); e.vector(); return e.u32() }(); by != 0 {
		t.Errorf("by player %d, want 0, the world", by)
	}
	kills := p.read(EventKill)
	if len(kills) != 1 {
		t.Fatalf("%d kills, want 1", len(kills))
	}
	if killer, victim := kills[0].u32(), kills[0].u32(); killer != 0 || victim != int(stateBlock[StateSelf]) {
		t.Errorf("player %d killed %d, want 0 and the player", killer, victim)
	}
}

// A shot of another player is drawn from its eye to where it ended, and looks like a hit if
// it ended in a drawn player. Names and joins are reported before.
func TestThePageDrawsTheShotsOfOthers(t *testing.T) {
	still(t)
	p := newPage(t)
	o := p.join()
	names := map[int]string{}
	for _, e := range p.read(EventJoined) {
		id := e.u32()
		if bot, team := e.u8(), e.u8(); bot != 0 || team != 0 {
			t.Errorf("player %d: bot %d, team %d; want neither", id, bot, team)
		}
		names[id] = e.text()
		e.end()
	}
	if len(names) != 2 || names[int(o.player.ID())] != "Bob" || names[int(stateBlock[StateSelf])] != "Ann" {
		t.Errorf("joined: %v, want Ann and Bob", names)
	}
	p.apart(6)
	p.read(EventShot)
	o.in.Yaw, o.in.Pitch, o.in.Fire = 0, -.3, true // into the floor, away from the page's player
	p.run(clock.Second / 60)
	o.in.Fire = false
	p.run(clock.Second / 2)
	shots := p.read(EventShot)
	if len(shots) != 1 {
		t.Fatalf("%d shots, want 1", len(shots))
	}
	e := shots[0]
	shooter, weapon, from, to, hit := e.u32(), e.u8(), e.vector(), e.vector(), e.u8()
	if e.u8() != 0 {
		t.Error("a rifle has no other pellets")
	}
	e.end()
	if shooter != int(o.player.ID()) || weapon != 0 || hit != 0 || math.Abs(to.Y) > .05 || to.Z > from.Z || from.Sub(geom.V(0, 1.52, -6)).Len() > .3 {
		t.Errorf("player %d, weapon %d, from %v to %v, hit %d; want player %d into the floor ahead", shooter, weapon, from, to, hit, o.player.ID())
	}
}

// The table of weapons reaches the page once, before the first frame of play.
func TestThePageReceivesTheWeapons(t *testing.T) {
	p := newPage(t)
	p.hello("Ann", "", "floor")
	p.run(2 * clock.Second)
	tables := p.read(EventWeapons)
	if len(tables) != 1 {
		t.Fatalf("%d tables, want 1", len(tables))
	}
	e, weapons := tables[0], core.player.Game().Weapons()
	if n := e.u8(); n != len(weapons) {
		t.Fatalf("%d weapons, want %d", n, len(weapons))
	}
	for i := range weapons {
		w := &weapons[i]
		name, kind, magazine := e.text(), e.u8(), e.u8()
		reload, draw := e.f32(), e.f32()
		if name != w.Name || shot.Kind(kind) != w.Kind || magazine != int(w.Magazine) || math.Abs(reload-w.Reload.Seconds()) > 1e-6 || math.Abs(draw-w.Draw.Seconds()) > 1e-6 {
			t.Errorf("weapon %d: got %s %d %d %v %v, want %+v", i, name, kind, magazine, reload, draw, w)
		}
	}
	e.end()
}

// A player becomes a spectator, which flies through everything, and a player again no
// sooner than after a death.
func TestThePageSpectatesAndPlaysAgain(t *testing.T) {
	still(t)
	p := newPage(t)
	spectate(1) // without a session: nothing
	p.hello("Ann", "", "floor")
	spectate(1) // not playing yet: nothing
	p.run(2 * clock.Second)
	if stateBlock[StateSpectating] != 0 {
		t.Fatal("a spectator from the beginning")
	}
	spectate(1)
	p.run(clock.Second)
	if stateBlock[StateSpectating] != 1 || stateBlock[StateMode] != 4 {
		t.Errorf("spectating %v, mode %v; want 1 and flying", stateBlock[StateSpectating], stateBlock[StateMode])
	}
	spectate(0)
	p.run(4 * clock.Second)
	if stateBlock[StateSpectating] != 0 || stateBlock[StateMode] != 1 || stateBlock[StateHealth] != 100 {
		t.Errorf("spectating %v, mode %v, health %v; want a walking player", stateBlock[StateSpectating], stateBlock[StateMode], stateBlock[StateHealth])
	}
}

// A player that leaves is reported, and its figure is gone.
func TestAPlayerThatLeavesIsReported(t *testing.T) {
	still(t)
	p := newPage(t)
	o := p.join()
	id := int(o.player.ID())
	o.player.Leave()
	p.run(clock.Second)
	left := p.read(EventLeft)
	if len(left) != 1 || left[0].u32() != id || stateBlock[StateRemotes] != 0 || stateBlock[StateFigures] != 0 {
		t.Errorf("%d left, %v remotes, %v figures; want player %d gone", len(left), stateBlock[StateRemotes], stateBlock[StateFigures], id)
	}
}

// Whatever is written into an event, the page reads the same. Events beyond the block are
// dropped whole and counted.
func TestEventsAreReadAsTheyWereWritten(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 1))
	for round := range 200 {
		b := new(block)
		type sent struct {
			kind byte
			a    uint32
			v    geom.Vec3
			text string
		}
		var all []sent
		for range r.IntN(400) {
			text := make([]byte, r.IntN(300))
			for i := range text {
				text[i] = byte(r.IntN(256))
			}
			v := geom.V(float64(float32(r.NormFloat64())), float64(float32(r.NormFloat64())), 0)
			s := sent{byte(1 + r.IntN(14)), r.Uint32(), v, string(text)}
			records := b.records
			vector(b.event(s.kind).u32(s.a), s.v).text(s.text).flag(true).end()
			if b.records > records {
				all = append(all, s)
			} else if b.used+EventHeader+maxEvent <= EventBytes {
				t.Fatalf("seed %d, round %d: dropped with %d bytes used", seed, round, b.used)
			}
		}
		rest := b.bytes[:b.used]
		for i, s := range all {
			n := int(binary.LittleEndian.Uint16(rest))
			e := bodyReader{t, rest[EventHeader : EventHeader+n]}
			if rest[2] != s.kind || e.u32() != int(s.a) || e.vector() != s.v || e.text() != s.text[:min(len(s.text), 255)] || e.u8() != 1 {
				t.Fatalf("seed %d, round %d: event %d differs", seed, round, i)
			}
			e.end()
			rest = rest[EventHeader+n:]
		}
		if len(rest) != 0 {
			t.Fatalf("seed %d, round %d: %d bytes too many", seed, round, len(rest))
		}
	}
}

// Packets beyond the outbox are dropped whole and counted; what is in it stays readable.
func TestPacketsBeyondTheOutboxAreDropped(t *testing.T) {
	b := new(block)
	b.packet(ChannelStream, make([]byte, math.MaxUint16+1))
	if b.used != 0 || b.dropped != 1 {
		t.Errorf("a packet that is too long: %d bytes used, %d dropped; want 0 and 1", b.used, b.dropped)
	}
	body := make([]byte, 1000)
	fits := OutboxBytes / (len(body) + OutboxHeader)
	for range fits + 3 {
		b.packet(ChannelDatagram, body)
	}
	if b.records != fits || b.dropped != 4 || b.used != fits*(len(body)+OutboxHeader) {
		t.Errorf("%d packets of 1,000 bytes, %d dropped; want %d and 4", b.records, b.dropped, fits)
	}
	if b.reset(); b.used != 0 || b.records != 0 || b.dropped != 4 {
		t.Errorf("after a frame: %d bytes, %d records, %d dropped; want an empty block that still counts", b.used, b.records, b.dropped)
	}
}
