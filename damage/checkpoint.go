package damage

import (
	"github.com/backstep-net/backstep/bits"
)

// Checkpoint packs the vitals of all ids, in either direction; see session.Server.Checkpoint. Call it after
// ApplyQueued. The log is left out, and the receipts that were applied: the clients of a restored match count
// their shots anew.
func (l *Ledger) Checkpoint(p *bits.Packer) {
	for i := range l.entries {
		v := &l.entries[i].vitals
		some := *v != Vitals{}
		if p.Bool(&some); !some {
			*v = Vitals{} // also where the ledger that is read into has been used
			continue
		}
		team := uint8(v.Team)
		p.Uint16(&v.Health)
		p.Uint16(&v.Armour)
		p.Byte(&team)
		p.Byte(&v.Life)
		v.Team = Team(team)
		if v.Health > l.rules.Health || v.Armour > l.rules.Armour || *v == (Vitals{}) {
			p.Fail(bits.ErrRange)
		}
	}
}
