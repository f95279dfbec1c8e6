package field

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/track"
)

// Checkpoint packs all fields that are not zero, by owner and field, in either direction. When reading,
// the table must be new: its fields count as changed at the tick. What clients were sent is left out,
// because every client of a restored match is new.
func (t *Table) Checkpoint(p *bits.Packer, tick uint32) {
	if p.Writing() {
		t.write(p)
	} else {
		t.read(p, tick)
	}
}

// write packs each field that is not zero behind a bit, and a bit for the end.
func (t *Table) write(p *bits.Packer) {
	more := true
	for id, row := range t.rows {
		for f := range row {
			v := &row[f].value
			if v.number == 0 && len(v.text) == 0 {
				continue
			}
			p.Bool(&more)
			e := entry{id: track.ID(id), field: f, value: *v}
			e.pack(p, t.specs)
		}
	}
	more = false
	p.Bool(&more)
}

// read sets what write has packed: each field once, in the same order.
func (t *Table) read(p *bits.Packer, tick uint32) {
	for last := cellRef(0); ; {
		more := false
		if p.Bool(&more); !more || p.Err() != nil || len(t.specs) == 0 {
			if more {
				p.Fail(bits.ErrRange)
			}
			return
		}
		var e entry
		e.pack(p, t.specs)
		// Only the form that write packs (ascending, not zero, without an age), so that equal tables have
		// equal bytes.
		r := refOf(e.id, e.field)
		if p.Err() != nil || r <= last || e.number == 0 && len(e.text) == 0 || e.age != 0 {
			p.Fail(bits.ErrRange)
			return
		}
		if last = r; t.specs[e.field].Text > 0 {
			t.SetText(e.id, e.field, string(e.text), tick)
		} else {
			t.SetNumber(e.id, e.field, e.number, tick)
		}
	}
}
