package collide

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// CheckpointTriggers packs the logs of the triggered movers of this world at match time at, in
// either direction. Reading, the world must be that of a new match. The cause of a trigger and
// the snapshot that first carried it are left out: every client of a restored match is a new
// one and gets all triggers.
func (w *World) CheckpointTriggers(p *bits.Packer, at clock.Micros) {
	for i := range w.movers {
		if w.movers[i].Trigger.Kind != Untriggered && w.triggers != nil && p.Err() == nil {
			w.triggers.checkpoint(p, &w.movers[i], MoverID(i+1), at)
		}
	}
}

// checkpoint packs the log of one mover.
func (t *Triggers) checkpoint(p *bits.Packer, b *Mover, id MoverID, at clock.Micros) {
	used := t.Log(id).Used()
	if p.Bool(&used); !used {
		return
	}
	if p.Writing() {
		t.Log(id).Pack(p, at)
		return
	}
	l := t.grow(id)
	l.Pack(p, at)
	most := int(l.Start.Waypoint)
	for i := range l.Entries() {
		most = max(most, int(l.entries[i].Waypoint))
	}
	if most > b.waypoints() || !l.Used() {
		*l = TriggerLog{}
		p.Fail(bits.ErrRange)
		return
	}
	t.changes++
	t.changed[id-1] = t.changes
}
