package combat

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session/notice"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Player is combat's part of one player on the server. The zero Player has fired nothing.
type Player struct {
	shooter     shot.FireState
	flying      int          // its projectiles in the air
	shotRecords *shotRecords // of its last shots, nil before the first

	receipts notice.Queue[Receipt, *Receipt]
	shots    notice.Queue[SeenShot, *SeenShot]
	damage   notice.Queue[Damage, *Damage]
}

// Reconnected returns the Player of a new connection that takes the seat over. The projectiles in the
// air fly on; everything else begins anew.
func (p *Player) Reconnected() Player { return Player{flying: p.flying} }

// Fill puts as many of the notices that the player has not acknowledged as fit into so
// many bits into n; the rest is not sent before the tick next.
func (p *Player) Fill(n *Notices, room int, next uint32) {
	n.Receipts, room = p.receipts.Oldest(room, next)
	n.Damage, room = p.damage.Oldest(room, next)
	n.Shots, _ = p.shots.Oldest(room, next)
}

// Acknowledge removes the notices that the datagram of a tick, or one before it, carried.
func (p *Player) Acknowledge(tick uint32) {
	p.receipts.Acknowledge(tick)
	p.shots.Acknowledge(tick)
	p.damage.Acknowledge(tick)
}

// Waiting returns how many notices the player has not acknowledged.
func (p *Player) Waiting() int { return p.receipts.Len() + p.shots.Len() + p.damage.Len() }

// ShotDebug returns the record of one of the player's last shots; into is room for its samples.
func (p *Player) ShotDebug(number uint32, into []track.Entity) ShotDebug {
	return p.shotRecords.find(number).debug(number, into)
}

// keep stores the record of a shot that was judged.
func (p *Player) keep(r *shot.Receipt, eye geom.Vec3, platform clock.Micros, tested []track.Entity) {
	if p.shotRecords == nil {
		p.shotRecords = new(shotRecords)
	}
	p.shotRecords.keep(r, eye, platform, tested)
}
