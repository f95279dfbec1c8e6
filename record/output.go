package record

import (
	"encoding/binary"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/session/field"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Tick has the outputs of one tick. It is valid until the next one.
type Tick struct {
	// Snapshot has all entities, players included, each at its own stamp and quantised as in
	// docs/recording.md, without keyframes.
	Snapshot *track.Snapshot
	// Shots are the shots judged in the tick.
	Shots []Shot
	// Players are the seats that changed: taken, left, disconnected or reconnected. Each chunk begins
	// with all taken seats, and so does the first tick that File.Ticks yields, of which the last record of a seat counts.
	Players []Player
	// Fields are the game's fields that changed (session.Game.Fields). Each chunk begins with all that
	// ever did.
	Fields []Field
	// World is the level as it was in the tick: its triggered movers are where the match had them.
	World *collide.World
	// Messages are the game's own messages to players, in order.
	Messages []Message
	// Lost counts the ticks missing before this one because the disk was too slow.
	Lost int
}

// Shot is a shot and its receipt.
type Shot struct {
	Receipt shot.Receipt // the server's verdict
	Eye     geom.Vec3    // origin of the shot, to float32
	// Yaw and Pitch are those of its aim, in radians.
	Yaw, Pitch float64
}

// Player is the state of a player's seat.
type Player struct {
	ID   session.PlayerID // the seat, from 1
	Name string           // in the session
	// Taken reports whether the seat is taken, Connected whether the player is connected.
	Taken, Connected bool
}

// Field is a value that the game declares, of a player, an entity or, with session.OfMatch, the match.
type Field struct {
	ID     track.ID // whose it is
	Name   string   // as declared
	Number int64    // 0 of a text
	Text   string   // empty of a number
}

// Message is a message of the game's own, without its header on the wire. Equal messages to several
// players in a row are one.
type Message struct {
	To    []session.Peer // peers in the order of sending, at most 256
	Bytes []byte         // the payload
}

// The kinds of records among the outputs. A frame begins a tick.
const (
	outFrame = 1 + iota
	outShot
	outPlayer
	outSaid
	outLost
	outField
	outTriggers
)

const (
	maxName   = 96   // bytes
	maxField  = 32   // bytes of a field's name
	maxTo     = 256  // peers
	maxFrames = 1024 // in a chunk: a second of 1,000 ticks
)

func (p *Player) append(dst []byte) []byte {
	dst = binary.AppendUvarint(append(dst, outPlayer), uint64(p.ID))
	dst = append(dst, byte(flag(p.Taken, 1)|flag(p.Connected, 2)))
	return appendBytes(dst, []byte(p.Name))
}

func (p *Player) read(s *source) {
	p.ID = session.PlayerID(s.uvarint(session.MaxPlayers))
	b := s.byte()
	p.Taken, p.Connected = b&1 != 0, b&2 != 0
	p.Name = string(s.bytes(maxName))
	if p.ID == 0 || b > 3 {
		s.fail(errValue)
	}
}

func (f *Field) append(dst []byte) []byte {
	dst = binary.AppendUvarint(append(dst, outField), uint64(f.ID))
	dst = binary.AppendVarint(appendBytes(dst, []byte(f.Name)), f.Number)
	return appendBytes(dst, []byte(f.Text))
}

func (f *Field) read(s *source) {
	f.ID = track.ID(s.uvarint(uint64(track.MaxID)))
	f.Name = string(s.bytes(maxField))
	f.Number = s.varint()
	f.Text = string(s.bytes(field.MaxText))
}

// appendTriggers appends what has triggered a mover, in a frame at a match time: as in datagrams.
func appendTriggers(dst []byte, id collide.MoverID, log *collide.TriggerLog, at clock.Micros) []byte {
	var buffer [(collide.TriggerLogBits + 7) / 8]byte
	p := bits.NewWriter(buffer[:])
	log.Pack(&p, at)
	return appendBytes(binary.AppendUvarint(append(dst, outTriggers), uint64(id)), p.Bytes())
}

// triggers reads what appendTriggers wrote.
func (s *source) triggers(into *collide.Triggers, at clock.Micros) {
	id := collide.MoverID(s.uvarint(collide.MaxMovers))
	var p bits.Packer
	var log collide.TriggerLog
	p.Read(s.bytes((collide.TriggerLogBits + 7) / 8))
	log.Pack(&p, at)
	if p.End(); p.Err() != nil || id == collide.Static {
		s.fail(errValue)
		return
	}
	into.Replace(id, &log)
}

func (m *Message) append(dst []byte) []byte {
	dst = binary.AppendUvarint(append(dst, outSaid), uint64(len(m.To)))
	for _, peer := range m.To {
		dst = binary.AppendUvarint(dst, uint64(peer))
	}
	return appendBytes(dst, m.Bytes)
}

func (m *Message) read(s *source) {
	m.To = make([]session.Peer, 0, s.uvarint(maxTo))
	for range cap(m.To) {
		m.To = append(m.To, session.Peer(s.uvarint(1<<32-1)))
	}
	m.Bytes = s.bytes(session.MaxMessage)
}

func (h *Shot) append(dst []byte) []byte {
	r := &h.Receipt
	dst = binary.AppendUvarint(append(dst, outShot), uint64(r.Shot))
	dst = binary.AppendUvarint(dst, uint64(r.Shooter))
	dst = append(dst, r.Weapon)
	dst = binary.AppendVarint(dst, int64(r.ViewRequested))
	dst = binary.AppendVarint(dst, int64(r.ViewGranted))
	dst = append(dst, byte(r.Verdict), byte(r.Reason), byte(r.Outcome.Kind))
	dst = binary.AppendUvarint(dst, uint64(r.Outcome.Target))
	dst = append(dst, byte(r.Outcome.Hitbox), byte(r.Outcome.HitGroup), r.Outcome.Life, byte(flag(r.Agrees, 1)))
	dst = binary.AppendUvarint(dst, uint64(r.Damage))
	dst = appendFloat(dst, r.Outcome.Distance)
	dst = appendVec(dst, r.Outcome.Point)
	dst = appendVec(dst, h.Eye)
	dst = appendFloat(appendFloat(dst, h.Yaw), h.Pitch)
	dst = binary.LittleEndian.AppendUint16(append(dst, r.Scene.Count), r.Scene.Sum)
	dst = append(dst, r.EventCount)
	for i := range r.Events[:r.EventCount] {
		dst = appendHurt(dst, &r.Events[i])
	}
	return dst
}

func appendHurt(dst []byte, h *shot.DamageEvent) []byte {
	dst = binary.AppendUvarint(dst, uint64(h.Target))
	dst = append(dst, h.Life, byte(h.HitGroup), h.Count, h.Heads, byte(h.Reason))
	return binary.AppendUvarint(dst, uint64(h.Damage))
}

func (s *source) hurt(h *shot.DamageEvent) {
	h.Target = track.ID(s.uvarint(uint64(track.MaxID)))
	h.Life, h.HitGroup, h.Count, h.Heads, h.Reason = s.byte(), rig.HitGroup(s.byte()), s.byte(), s.byte(), shot.Reason(s.byte())
	h.Damage = uint16(s.uvarint(65535))
}

func appendVec(dst []byte, v geom.Vec3) []byte {
	return appendFloat(appendFloat(appendFloat(dst, v.X), v.Y), v.Z)
}

func (s *source) vec() geom.Vec3 { return geom.Vec3{X: s.float(), Y: s.float(), Z: s.float()} }

func (h *Shot) read(s *source) {
	r := &h.Receipt
	*h = Shot{}
	r.Shot = uint32(s.uvarint(1<<32 - 1))
	r.Shooter = track.ID(s.uvarint(uint64(track.MaxID)))
	r.Weapon = s.byte()
	r.ViewRequested, r.ViewGranted = clock.Micros(s.varint()), clock.Micros(s.varint())
	r.Verdict, r.Reason = shot.Verdict(s.byte()), shot.Reason(s.byte())
	r.Outcome.Kind = rewind.HitKind(s.byte())
	r.Outcome.Target = track.ID(s.uvarint(uint64(track.MaxID)))
	r.Outcome.Hitbox, r.Outcome.HitGroup, r.Outcome.Life = rig.HitboxID(s.byte()), rig.HitGroup(s.byte()), s.byte()
	r.Agrees = s.byte() == 1
	r.Damage = uint16(s.uvarint(65535))
	r.Outcome.Distance = s.float()
	r.Outcome.Point = s.vec()
	h.Eye = s.vec()
	h.Yaw, h.Pitch = s.float(), s.float()
	r.Scene.Count = s.byte()
	r.Scene.Sum = uint16(s.byte()) | uint16(s.byte())<<8
	r.EventCount = uint8(s.uvarint(shot.MaxDamageEvents))
	for i := range r.Events[:r.EventCount] {
		s.hurt(&r.Events[i])
	}
	if r.Verdict > shot.Launched {
		s.fail(errValue)
	}
}
