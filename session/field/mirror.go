package field

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// maxHistory is how many changes of a number a client keeps that its view may not have come to.
// A number that changes more often within the delay of a view shows its newest values only.
const maxHistory = 32

// maxEntries is the most entries of a datagram. A server counts at least entryBits for each, so its
// datagrams have room for fewer than 80; a forged one must not make the client allocate more.
const maxEntries = 256

// Mirror is the fields of a match as one client has received them.
type Mirror struct {
	specs []Spec
	team  int                  // index of the field "team"; −1: none
	rows  track.ByID[[]copied] // of each owner; nil while all are zero
	read  []entry              // of the datagram that is being read
}

// copied is one field as a client has it. Texts have no history: a name is drawn as it is now.
type copied struct {
	tick    uint32 // of the newest datagram with it
	text    string
	history []change // of a number, oldest first
}

// change is a value since a match time.
type change struct {
	at     clock.Micros
	number int64
}

// NewMirror returns a mirror of zeros. It panics where the specs cannot be declared.
func NewMirror(specs []Spec) *Mirror {
	Check(specs)
	return &Mirror{specs: specs, team: Index(specs, TeamName)}
}

// Read reads the fields of a datagram, for Apply.
func (m *Mirror) Read(p *bits.Packer) {
	m.read = m.read[:0]
	more := false
	for p.Bool(&more); more && p.Err() == nil; p.Bool(&more) {
		if len(m.specs) == 0 || len(m.read) == maxEntries {
			p.Fail(bits.ErrRange)
			return
		}
		var e entry
		e.pack(p, m.specs)
		m.read = append(m.read, e)
	}
}

// Apply applies the fields that were read last, from the datagram of a tick; at returns the match time of
// a tick. Older values change nothing.
func (m *Mirror) Apply(tick uint32, at func(tick uint32) clock.Micros) {
	for i := range m.read {
		e := &m.read[i]
		row := m.rows.At(e.id)
		if *row == nil {
			*row = make([]copied, len(m.specs))
		}
		// Datagrams overtake each other.
		c := &(*row)[e.field]
		if tick <= c.tick {
			continue
		}
		c.tick = tick
		if m.specs[e.field].Text > 0 {
			// Compared first: a text that is repeated until it is acknowledged is allocated once.
			if string(e.text) != c.text {
				c.text = string(e.text)
			}
			continue
		}
		changed := tick - uint32(min(e.age, uint64(tick)))
		if c.add(change{at(changed), e.number}) && e.field == m.team {
			m.forgetTeam(*row, changed, at(changed))
		}
	}
	m.read = m.read[:0]
}

// forgetTeam sets the Team fields of an owner to zero from the tick in which its team changed, at the match time at.
// Otherwise its old team-mates would read them as those of the next player of its id. What was sent in that tick or
// later is for its new ones.
func (m *Mirror) forgetTeam(row []copied, changed uint32, at clock.Micros) {
	for f := range row {
		c := &row[f]
		if m.specs[f].Audience != Team || f == m.team || c.tick >= changed {
			continue
		}
		if c.text = ""; len(c.history) > 0 {
			c.add(change{at: at})
		}
	}
}

// add appends a change, and reports whether it is one. A number that is repeated until it is acknowledged is none, nor
// is one whose age says that it is older than what is known.
func (c *copied) add(n change) bool {
	if k := len(c.history); k > 0 && (c.history[k-1].number == n.number || c.history[k-1].at > n.at) {
		return false
	}
	if len(c.history) == maxHistory {
		c.history = append(c.history[:0], c.history[1:]...)
	}
	c.history = append(c.history, n)
	return true
}

// Number returns a number at a match time. Before its first change it is 0. Of more than 32 changes the
// first are forgotten, and before the oldest known one it is the number of that.
//
// A score drawn at the time of the view rises when the hit is seen, not a tenth of a second before it.
func (m *Mirror) Number(id track.ID, f int, at clock.Micros) int64 {
	row := m.rows.Get(id)
	if row == nil || len(row[f].history) == 0 {
		return 0
	}
	h := row[f].history
	// From the newest back: a view is a few ticks behind, and there are few changes in these.
	k := len(h) - 1
	for k > 0 && h[k].at > at {
		k--
	}
	if h[k].at > at && len(h) < maxHistory {
		return 0 // it was not set yet
	}
	return h[k].number
}

// Newest returns a number as it was last sent.
func (m *Mirror) Newest(id track.ID, f int) int64 { return m.Number(id, f, math.MaxInt64) }

// Text returns a text as it was last sent.
func (m *Mirror) Text(id track.ID, f int) string {
	row := m.rows.Get(id)
	if row == nil {
		return ""
	}
	return row[f].text
}
