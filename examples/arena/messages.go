package arena

import (
	"errors"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// errMessage is the error of an unknown message.
var errMessage = errors.New("arena: unknown message")

// The kinds of the arena's stream messages from the server.
const (
	messageKill = 1 + iota
	messageKillcam
)

// The requests of a player in a stream message, one byte each; a vote is followed by the index of a level.
const (
	messageSpectate = 1 + iota
	messagePlay
	messageVote
)

// Kill is one line of the kill feed.
type Kill struct {
	Killer, Victim uint16 // the same: nobody else was involved
	// Weapon is the number, from 1, of the weapon in Game.Weapons; 0 is none: a fall.
	Weapon   uint8
	HitGroup rig.HitGroup // that was hit, NoHitGroup of a blast
	Distance float64      // metres, to 0.1
}

// pack packs the message in either direction.
func (k *Kill) pack(p *bits.Packer) {
	kind := uint8(messageKill)
	if p.Byte(&kind); kind != messageKill {
		p.Fail(errMessage)
	}
	packPlayer(p, &k.Killer)
	packPlayer(p, &k.Victim)
	weapon, group := int(k.Weapon), int(k.HitGroup)
	p.Ranged(&weapon, 0, shot.MaxWeapons)
	p.Ranged(&group, 0, rig.HitGroups-1)
	k.Weapon, k.HitGroup = uint8(weapon), rig.HitGroup(group)
	p.Grid(&k.Distance, 0, 1000, 0.1)
}

// packPlayer packs a player's id, that of Player.Score.
func packPlayer(p *bits.Packer, id *uint16) {
	n := int(*id)
	p.Ranged(&n, 0, session.MaxPlayers)
	*id = uint16(n)
}
