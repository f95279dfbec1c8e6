package field

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

const (
	team = iota
	score
	secret
	plan
	label
	wide
)

var specs = []Spec{
	{Name: "team", Max: 3}, {Name: "score", Max: 9999}, {Name: "secret", Audience: Owner, Min: -5, Max: 5},
	{Name: "plan", Audience: Team, Max: 100}, {Name: "name", Text: 24}, {Name: "wide"},
}

func tickTime(tick uint32) clock.Micros { return clock.TickTime(int64(tick), 60) }

// client is a mirror at the end of a lossy link.
type client struct {
	id     track.ID
	cursor Cursor
	mirror *Mirror
	bits   int
}

// send sends a client the datagram of a tick, if it needs one; lost, it neither arrives nor is
// acknowledged.
func (c *client) send(t *testing.T, table *Table, tick uint32, room int, lost bool) {
	t.Helper()
	if !table.Update(&c.cursor, c.id) {
		return
	}
	var w, r bits.Packer
	w.Write(make([]byte, 1200))
	table.Pack(&w, &c.cursor, c.id, tick, room)
	if w.Err() != nil || w.Bits() > room+1 {
		t.Fatalf("tick %d: %v, %d bits of %d", tick, w.Err(), w.Bits(), room)
	}
	c.bits += w.Bits()
	if lost {
		return
	}
	r.Read(w.Bytes())
	c.mirror.Read(&r)
	if r.End(); r.Err() != nil {
		t.Fatalf("tick %d: %v", tick, r.Err())
	}
	c.mirror.Apply(tick, tickTime)
	c.cursor.Acknowledge(tick)
}

// Random changes over links that lose half, in little room: when it is quiet every client has what
// its audience may have and nothing else, as a plain copy of all values says: also of an id whose player has
// left, and whose next is in another team. [WIR-18]
func TestEveryClientHasWhatItMay(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		table := NewTable(specs)
		clients := make([]*client, 5, 6)
		for i := range clients {
			clients[i] = &client{id: track.ID(i + 1), mirror: NewMirror(specs)}
		}
		clients = append(clients, &client{id: loyal, mirror: NewMirror(specs)})
		table.SetNumber(loyal, team, 1, 1)
		tick := uint32(1)
		for ; tick < 900; tick++ {
			if tick < 600 {
				alter(r, table, tick)
			}
			for _, c := range clients {
				c.send(t, table, tick, 400+r.IntN(800), r.IntN(2) == 0)
			}
		}
		for _, c := range clients {
			if table.Update(&c.cursor, c.id) {
				t.Errorf("seed %d: client %d still lacks something", seed, c.id)
			}
			compare(t, seed, table, c)
		}
	}
}

// loyal is a client that never changes its team.
const loyal = 7

// alter changes a few values.
func alter(r *rand.Rand, table *Table, tick uint32) {
	for range r.IntN(3) {
		id := track.ID(r.IntN(7))
		switch f := r.IntN(len(specs)); f {
		case team:
			if r.IntN(20) == 0 {
				table.SetNumber(id, f, int64(r.IntN(4)), tick)
			}
		case label:
			table.SetText(id, f, strings.Repeat("ä", r.IntN(20)), tick)
		case wide:
			table.SetNumber(id, f, int64(r.Uint64()), tick)
		default:
			table.SetNumber(id, f, int64(r.IntN(30)-10), tick)
		}
	}
	if r.IntN(60) == 0 {
		table.Clear(track.ID(r.IntN(7)), tick)
	}
}

// compare compares what a client has with what it may have.
func compare(t *testing.T, seed uint64, table *Table, c *client) {
	t.Helper()
	for id := range track.ID(7) {
		for f := range specs {
			if f == label {
				if got, want := c.mirror.Text(id, f), string(table.Text(id, f)); got != want {
					t.Errorf("seed %d, client %d: text of %d: got %q want %q", seed, c.id, id, got, want)
				}
				continue
			}
			got, want := c.mirror.Newest(id, f), table.Number(id, f)
			mates := table.Number(c.id, team) != 0 && table.Number(c.id, team) == table.Number(id, team)
			switch {
			case f == secret && id != c.id:
				want = 0
			case f == plan && id != c.id && !mates && c.id != loyal:
				continue // it may have left the team of that player, with what it knew
			case f == plan && id != c.id && !mates:
				want = 0
			}
			if got != want {
				t.Errorf("seed %d, client %d: %s of %d: got %d want %d", seed, c.id, specs[f].Name, id, got, want)
			}
		}
	}
}

// While nothing changes nothing is sent, however often it was set to what it is. [WIR-18]
func TestUnchangedCostsNothing(t *testing.T) {
	table, c := NewTable(specs), &client{id: 1, mirror: NewMirror(specs)}
	table.SetNumber(2, score, 7, 1)
	c.send(t, table, 1, 1000, false)
	sent := c.bits
	for tick := uint32(2); tick < 500; tick++ {
		table.SetNumber(2, score, 7, tick)
		table.SetText(3, label, "", tick)
		c.send(t, table, tick, 1000, false)
	}
	if sent == 0 || c.bits != sent {
		t.Errorf("got %d bits, then %d more; want some, then none", sent, c.bits-sent)
	}
}

// A number is read at the time of the view: the change is seen when the view comes to it, also if
// the datagram with it was late.
func TestNumbersAtTheViewTime(t *testing.T) {
	table, c := NewTable(specs), &client{id: 1, mirror: NewMirror(specs)}
	for tick := uint32(100); tick < 160; tick++ {
		table.SetNumber(2, score, int64(tick/10), tick)
		c.send(t, table, tick, 1000, tick%3 != 0)
	}
	for tick := uint32(112); tick < 159; tick++ {
		if got, want := c.mirror.Number(2, score, tickTime(tick)), int64(tick/10); got != want {
			t.Errorf("tick %d: got %d want %d", tick, got, want)
		}
	}
	if got := c.mirror.Number(2, score, tickTime(50)); got != 0 {
		t.Errorf("before it was set: got %d want 0", got)
	}
}

// A datagram that a newer one has overtaken changes nothing.
func TestOvertakenDatagrams(t *testing.T) {
	table, c := NewTable(specs), &client{id: 1, mirror: NewMirror(specs)}
	var old bits.Packer
	table.SetNumber(2, score, 1, 10)
	old.Write(make([]byte, 100))
	table.Update(&c.cursor, 1)
	table.Pack(&old, &c.cursor, 1, 10, 500)
	table.SetNumber(2, score, 2, 11)
	c.send(t, table, 11, 500, false)
	var r bits.Packer
	r.Read(old.Bytes())
	c.mirror.Read(&r)
	c.mirror.Apply(10, tickTime)
	if got := c.mirror.Newest(2, score); got != 2 {
		t.Errorf("got %d want 2", got)
	}
}

// Specs that cannot be declared are refused with the name.
func TestBadSpecs(t *testing.T) {
	for _, s := range []struct {
		specs []Spec
		want  string
	}{
		{[]Spec{{Name: ""}}, "unique"},
		{[]Spec{{Name: "a"}, {Name: "a"}}, "unique: a"},
		{[]Spec{{Name: "a", Min: 1, Max: 2}}, "include 0"},
		{[]Spec{{Name: "a", Text: 300}}, "Text"},
		{[]Spec{{Name: "a", Text: 3, Max: 2}}, "Text"},
		{[]Spec{{Name: "a", Audience: Team}}, "team"},
		{[]Spec{{Name: "a", Audience: 9}}, "Audience"},
		{make([]Spec, 65), "64"},
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, s.want) {
					t.Errorf("%+v: got %q, want it to say %q", s.specs, got, s.want)
				}
			}()
			Check(s.specs)
		}()
	}
}

// Whatever a datagram says: no panic, and nothing beyond the ranges. [THR-13]
func FuzzMirror(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		m := NewMirror(specs)
		var p bits.Packer
		p.Read(b)
		if m.Read(&p); p.Err() != nil {
			return
		}
		m.Apply(100, tickTime)
		for id := range track.MaxID + 1 {
			if n := m.Newest(id, secret); n < -5 || n > 5 {
				t.Errorf("got %d, want −5 to 5", n)
			}
		}
	})
}

// No tick allocates once every owner has its row and every number its history.
func TestNoAllocations(t *testing.T) {
	table, c := NewTable(specs), &client{id: 1, mirror: NewMirror(specs)}
	var w, r bits.Packer
	buf, tick := make([]byte, 1200), uint32(0)
	step := func() {
		tick++
		for id := range track.ID(8) {
			table.SetNumber(id, score, int64(tick)+int64(id), tick)
		}
		table.Update(&c.cursor, 1)
		w.Write(buf)
		table.Pack(&w, &c.cursor, 1, tick, 8000)
		r.Read(w.Bytes())
		c.mirror.Read(&r)
		c.mirror.Apply(tick, tickTime)
		c.cursor.Acknowledge(tick)
	}
	for range 100 {
		step()
	}
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("got %v allocations a tick, want 0", n)
	}
}

// A player changes its team. The datagram with its fields for its new team-mates overtakes the one with the change of
// the team: they keep what is for them, and the old team-mates, who get only the latter, forget. [WIR-18]
func TestTheFieldsOfANewTeamOvertakeTheTeam(t *testing.T) {
	const mover = 1
	for _, c := range []struct {
		player track.ID
		want   int64
	}{{2, 40}, {3, 0}} {
		m := NewMirror(specs)
		apply := func(tick uint32, e ...entry) {
			m.read = e
			m.Apply(tick, tickTime)
		}
		if newMate := c.want > 0; newMate {
			apply(6, entry{id: mover, field: plan, age: 1, value: value{number: 40}})
		} else {
			apply(2, entry{id: mover, field: team, value: value{number: 1}}, entry{id: mover, field: plan, value: value{number: 40}})
		}
		apply(5, entry{id: mover, field: team, value: value{number: 2}})
		if got := m.Number(mover, plan, tickTime(6)); got != c.want {
			t.Errorf("player %d reads the plan %d, want %d", c.player, got, c.want)
		}
	}
}
