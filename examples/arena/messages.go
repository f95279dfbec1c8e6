package arena

import (
	"errors"
	"unicode/utf8"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// errMessage is the error of an unknown message.
var errMessage = errors.New("arena: unknown message")

// The kinds of the arena's stream messages from the server.
const (
	messageScore = 1 + iota
	messageKill
	messageGoals
)

// The requests of a player in a stream message, one byte each.
const (
	messageSpectate = 1 + iota
	messagePlay
)

// Score is one line of the scoreboard.
type Score struct {
	Player    uint16 // its id, 1 … session.MaxPlayers
	Connected bool   // false: the player has left, and the line is removed
	Bot       bool   // the server plays it
	Team      uint8  // Red or Blue; 0 without teams
	Kills     uint16 // of other players, without teammates
	Deaths    uint16 // by any cause
	Name      string // UTF-8, at most 4·session.MaxName bytes
}

// Kill is one line of the kill feed.
type Kill struct {
	Killer, Victim uint16 // the same: nobody else was involved
	// Weapon is the number, from 1, of the weapon in Game.Weapons; 0 is none: a fall.
	Weapon   uint8
	Part     rig.Tag // the hit part, NoTag of a blast
	Distance float64 // metres, to 0.1
}

// message is any of the arena's messages; kind selects the field.
type message struct {
	kind  uint8
	score Score
	kill  Kill
	goals Goals
}

// pack packs the message in either direction.
func (n *message) pack(p *bits.Packer) {
	p.Byte(&n.kind)
	switch n.kind {
	case messageScore:
		n.score.pack(p)
	case messageKill:
		n.kill.pack(p)
	case messageGoals:
		n.goals.pack(p)
	default:
		p.Fail(errMessage)
	}
}

func (s *Score) pack(p *bits.Packer) {
	packPlayer(p, &s.Player)
	p.Bool(&s.Connected)
	p.Bool(&s.Bot)
	packTeam(p, &s.Team)
	p.Uint16(&s.Kills)
	p.Uint16(&s.Deaths)
	b := []byte(s.Name)
	p.Blob(&b, 4*session.MaxName)
	if p.Writing() {
		return
	}
	if !utf8.Valid(b) {
		p.Fail(errMessage)
		b = nil
	}
	s.Name = string(b)
}

func (k *Kill) pack(p *bits.Packer) {
	packPlayer(p, &k.Killer)
	packPlayer(p, &k.Victim)
	weapon, part := int(k.Weapon), int(k.Part)
	p.Ranged(&weapon, 0, shot.MaxWeapons)
	p.Ranged(&part, 0, rig.Tags-1)
	k.Weapon, k.Part = uint8(weapon), rig.Tag(part)
	p.Grid(&k.Distance, 0, 1000, 0.1)
}

func (g *Goals) pack(p *bits.Packer) {
	p.Uint16(&g.Red)
	p.Uint16(&g.Blue)
	packPlayer(p, &g.By)
	packTeam(p, &g.Team)
}

func packTeam(p *bits.Packer, team *uint8) {
	n := int(*team)
	p.Ranged(&n, 0, Blue)
	*team = uint8(n)
}

// packPlayer packs a player's id, an index of Player.Scores.
func packPlayer(p *bits.Packer, id *uint16) {
	n := int(*id)
	p.Ranged(&n, 0, session.MaxPlayers)
	*id = uint16(n)
}

// Status is sent to each player about itself, besides its state. It comes with the
// snapshots; the newest replaces all before.
type Status struct {
	Health  uint8        // 0 … FullHealth; 0 is dead
	Armour  uint8        // 0 … FullArmour
	Respawn clock.Micros // time from death to respawn, 0 … 65 s; 0 when alive
	Hurt    uint8        // counts hits taken; wraps
	From    geom.Vec3    // where the last hit came from, to 0.1 m
}

// Pack packs the status in either direction, its times to the millisecond.
func (s *Status) Pack(p *bits.Packer) {
	health, armour := int(s.Health), int(s.Armour)
	p.Ranged(&health, 0, FullHealth)
	p.Ranged(&armour, 0, FullArmour)
	ms := uint16(geom.Clamp(float64(s.Respawn/clock.Millisecond), 0, 65535))
	p.Uint16(&ms)
	p.Byte(&s.Hurt)
	p.Vec(&s.From, 10)
	if !p.Writing() {
		s.Health, s.Armour, s.Respawn = uint8(health), uint8(armour), clock.Micros(ms)*clock.Millisecond
	}
}
