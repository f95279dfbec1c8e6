package arena

import (
	"errors"
	"strconv"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// Checkpoint packs the match in either direction; see session.Server.Checkpoint. Reading, the match must be a
// new one of the same configuration. It leaves out the kill feed, the log of damage and the contacts of bodies.
func (m *Match) Checkpoint(p *bits.Packer) {
	if m.Server.Checkpoint(p); p.Err() != nil {
		return
	}
	m.ledger.Checkpoint(p)
	p.Uint(&m.random, 64)
	for id := range m.fighters {
		m.fighters[id].checkpoint(p)
	}
	m.round.checkpoint(p)
	if m.entities.Server != nil {
		m.checkpointEntities(p)
	}
	if !p.Writing() && p.Err() == nil {
		m.readShown()
	}
}

// checkpoint packs what the fields do not show.
func (f *fighter) checkpoint(p *bits.Packer) {
	p.Bool(&f.dead)
	p.Bool(&f.spectates)
	p.Byte(&f.life)
	packTime(p, &f.falls, maxMatchTime)
	packTime(p, &f.respawn, maxMatchTime)
	packTime(p, &f.protected, maxMatchTime)
	vote := int(f.vote)
	p.Ranged(&vote, 0, MaxLevels)
	f.vote = uint8(vote)
}

// maxMatchTime is far longer than a match.
const maxMatchTime = clock.Micros(1) << 50

// readShown sets scores, status, round and goals to what the fields show: they are in the checkpoint once.
func (m *Match) readShown() {
	shown := serverFields{m.Server}
	for id := 1; id < len(m.fighters); id++ {
		if s := readScore(shown, track.ID(id)); s.Connected {
			m.fighters[id].score, m.fighters[id].status = s, readStatus(shown, track.ID(id))
		}
	}
	m.round.shown, m.entities.pitch.stand = readRound(shown), readGoals(shown)
}

// checkpointEntities packs the bodies, the pitch and the health packs.
func (m *Match) checkpointEntities(p *bits.Packer) {
	g := &m.entities
	g.Server.Checkpoint(p)
	for i := range g.loose {
		l := &g.loose[i]
		packID(p, &l.id)
		packTime(p, &l.strayedAt, maxMatchTime)
		if p.Err() != nil || !g.Has(l.id) || g.Kind(l.id) != l.kind {
			p.Fail(bits.ErrRange)
			return
		}
	}
	p.Uint16(&g.pitch.last)
	packTime(p, &g.pitch.back, maxMatchTime)
	p.Bool(&g.pitch.scored)
	for i := range g.packs {
		k := &g.packs[i]
		packID(p, &k.id)
		packTime(p, &k.back, maxMatchTime)
		if kind, there := m.Server.EntityKind(k.id); k.id != 0 && (!there || kind != KindHealth) {
			p.Fail(bits.ErrRange)
		}
	}
}

// packID packs the id of an entity, 0 for none.
func packID(p *bits.Packer, id *track.ID) {
	v := uint16(*id)
	p.Uint16(&v)
	*id = track.ID(v)
}

// Checkpoint packs the match and the keys of its bots, by which they come back to their seats like everybody.
func (c *Bots) Checkpoint(p *bits.Packer) {
	if c.Match.Checkpoint(p); p.Err() != nil {
		return
	}
	n := uint16(len(c.bots))
	if p.Uint16(&n); int(n) != len(c.bots) {
		p.Fail(errors.New("arena: the checkpoint has " + strconv.Itoa(int(n)) + " bots, and this match has " + strconv.Itoa(len(c.bots))))
		return
	}
	for i := range c.bots {
		b := &c.bots[i]
		if k := b.player.Key(); p.Writing() && k != (session.Key{}) {
			b.key = k
		}
		for k := range b.key {
			p.Byte(&b.key[k])
		}
	}
}
