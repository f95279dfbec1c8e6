package field

import (
	"unicode/utf8"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/track"
)

// Table is the fields of a match on its server. Changes are numbered in the order in which they
// happen, and each field is listed once, at its newest change: a client lacks those after the change
// that it acknowledged last.
type Table struct {
	specs   []Spec
	team    int                // index of the field "team"; −1: none
	rows    track.ByID[[]cell] // of each owner; nil until a field is set
	changes uint64             // how many there ever were
	oldest  cellRef            // of the list
	newest  cellRef
}

// cell is one field of one owner.
type cell struct {
	value
	change  uint64  // number of its newest change; 0: it never changed
	tick    uint32  // of that
	before  cellRef // the neighbours in the list; 0 at an end
	after   cellRef
	touched bool // in the list
}

// cellRef names a cell: owner and field, plus one; 0 is none. The list is linked by references and
// not by pointers, since what is packed of a cell begins with its owner and field.
type cellRef uint32

// refOf returns the reference of an owner's field.
func refOf(id track.ID, f int) cellRef { return cellRef(int(id)*MaxFields + f + 1) }

// id and field are the cell that is named; r must not be 0.
func (r cellRef) id() track.ID { return track.ID((r - 1) / MaxFields) }
func (r cellRef) field() int   { return int((r - 1) % MaxFields) }

// NewTable returns a table of zeros. It panics where the specs cannot be declared.
func NewTable(specs []Spec) *Table {
	Check(specs)
	return &Table{specs: specs, team: Index(specs, TeamName)}
}

// Number returns a number.
func (t *Table) Number(id track.ID, f int) int64 {
	row := t.rows.Get(id)
	if row == nil {
		return 0
	}
	return row[f].number
}

// Text returns a text, valid until it changes.
func (t *Table) Text(id track.ID, f int) []byte {
	row := t.rows.Get(id)
	if row == nil {
		return nil
	}
	return row[f].text
}

// SetNumber sets a number, clamped to its range, at a tick. Setting the same number again costs
// nothing, so a game may set all of its fields each tick.
func (t *Table) SetNumber(id track.ID, f int, v int64, tick uint32) {
	v = t.specs[f].clamp(v)
	if t.Number(id, f) == v {
		return
	}
	c := t.cell(id, f)
	c.number = v
	t.change(c, refOf(id, f), tick)
	if f == t.team {
		t.joined(id, tick)
	}
}

// SetText sets a text, cut to its length between two characters, at a tick.
func (t *Table) SetText(id track.ID, f int, text string, tick uint32) {
	// Half a character would be refused by the clients.
	n := min(len(text), t.specs[f].Text)
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	text = text[:n]
	if string(t.Text(id, f)) == text {
		return
	}
	c := t.cell(id, f)
	c.text = append(c.text[:0], text...)
	t.change(c, refOf(id, f), tick)
}

// Clear sets all fields of an owner to zero, for the next of its id.
//
// Each becomes a change that is sent: a client that misses the player's leaving must not give its
// score to the next.
func (t *Table) Clear(id track.ID, tick uint32) {
	for f := range t.rows.Get(id) {
		if t.specs[f].Text > 0 {
			t.SetText(id, f, "", tick)
		} else {
			t.SetNumber(id, f, 0, tick)
		}
	}
}

// joined sends a player's team fields to its new team-mates.
func (t *Table) joined(id track.ID, tick uint32) {
	// They become changes of now. Team-mates that have them get them twice, which spares a list for each
	// pair of players.
	for f := range t.specs {
		if c := &t.rows[id][f]; t.specs[f].Audience == Team && c.touched {
			t.change(c, refOf(id, f), tick)
		}
	}
}

// cell returns a cell to be changed. Most ids of a match never have fields.
func (t *Table) cell(id track.ID, f int) *cell {
	row := t.rows.At(id)
	if *row == nil {
		*row = make([]cell, len(t.specs))
	}
	return &(*row)[f]
}

// of returns the cell that a reference names.
func (t *Table) of(r cellRef) *cell { return &t.rows[r.id()][r.field()] }

// change moves a cell to the end of the list.
func (t *Table) change(c *cell, r cellRef, tick uint32) {
	if c.touched {
		t.unlink(c)
	}
	t.changes++
	c.change, c.tick, c.touched = t.changes, tick, true
	c.before, c.after = t.newest, 0
	if t.newest != 0 {
		t.of(t.newest).after = r
	} else {
		t.oldest = r
	}
	t.newest = r
}

// unlink takes a cell out of the list, whose ends may be the cell itself. A field that changes each
// tick is listed once, so the list is never longer than the fields there are.
func (t *Table) unlink(c *cell) {
	if c.before != 0 {
		t.of(c.before).after = c.after
	} else {
		t.oldest = c.after
	}
	if c.after != 0 {
		t.of(c.after).before = c.before
	} else {
		t.newest = c.before
	}
}

// Cursor is how far one client has received a Table. The zero Cursor is the beginning.
type Cursor struct {
	acked uint64 // number of the change up to which the client has everything
	// What the newest datagrams had. Acknowledgements of older ones come too late to be of use: a
	// client that is a second behind gets the changes once more.
	sent [64]struct {
		tick uint32
		upTo uint64 // all changes up to this one are in the datagram, or were acknowledged
	}
	team int64 // of the player at the last Update
}

// Acknowledge records that the datagram of a tick has arrived.
func (c *Cursor) Acknowledge(tick uint32) {
	if s := &c.sent[tick%uint32(len(c.sent))]; s.tick == tick {
		c.acked = max(c.acked, s.upTo)
	}
}

// Update begins a datagram for the client of a player, and reports whether there is anything that
// it has not acknowledged. A player that has changed its team lacks what its new team-mates may see,
// and what it may not see counts as acknowledged.
func (t *Table) Update(c *Cursor, viewer track.ID) bool {
	if t.team >= 0 && t.Number(viewer, t.team) != c.team {
		// Datagrams on their way were packed for the old team. Without sent, their acknowledgements no longer
		// count.
		*c = Cursor{team: t.Number(viewer, t.team)}
	}
	// From the newest back: in nearly every tick there are none or few that are not acknowledged.
	for r := t.newest; r != 0 && t.of(r).change > c.acked; r = t.of(r).before {
		if t.sees(viewer, r) {
			return true
		}
	}
	// Changes that it may not see count too, so that the next Update does not walk over them again.
	c.acked = t.changes
	return false
}

// Changed calls visit with each field whose newest change is after the one of a number, oldest first,
// and returns the number of the newest change of all. The text is valid until it changes.
func (t *Table) Changed(since uint64, visit func(id track.ID, f int, number int64, text []byte)) uint64 {
	for r := t.after(since); r != 0; r = t.of(r).after {
		k := t.of(r)
		visit(r.id(), r.field(), k.number, k.text)
	}
	return t.changes
}

// sees reports whether a player is of the audience of a cell.
func (t *Table) sees(viewer track.ID, r cellRef) bool {
	switch t.specs[r.field()].Audience {
	case Owner:
		return r.id() == viewer
	case Team:
		own := t.Number(viewer, t.team)
		return r.id() == viewer || own != 0 && own == t.Number(r.id(), t.team)
	}
	return true
}

// Pack writes what the client of a player lacks into its datagram of a tick, oldest first, as far
// as there is room for in bits.
//
// What does not fit waits for the next tick: upTo is the last change that did, so an acknowledgement
// of this datagram never covers one that was left out.
func (t *Table) Pack(p *bits.Packer, c *Cursor, viewer track.ID, tick uint32, room int) {
	upTo, more := c.acked, true
	for r := t.after(c.acked); r != 0; r = t.of(r).after {
		k := t.of(r)
		if t.sees(viewer, r) {
			// Counted with the longest form of its number and age, so that what fits is known before it is written.
			if room -= entryBits + track.IDBits(r.id()) + 8*(len(k.text)+2); room < 0 {
				break
			}
			p.Bool(&more)
			e := entry{id: r.id(), field: r.field(), age: uint64(tick - k.tick), value: k.value}
			e.pack(p, t.specs)
		}
		upTo = k.change
	}
	more = false
	p.Bool(&more)
	s := &c.sent[tick%uint32(len(c.sent))]
	s.tick, s.upTo = tick, upTo
}

// after returns the oldest change after one of a number. It begins at the newest: a client lacks few changes,
// and the list is as long as all fields.
func (t *Table) after(change uint64) cellRef {
	found := cellRef(0)
	for r := t.newest; r != 0 && t.of(r).change > change; r = t.of(r).before {
		found = r
	}
	return found
}
