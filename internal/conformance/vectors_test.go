package conformance

import (
	"fmt"
	"testing"
)

// features are what a packet shows, by which vectors are picked: the first of each.
func features(v *Vector) (f []string) {
	add := func(if_ bool, name string) {
		if if_ {
			f = append(f, name)
		}
	}
	if s := v.Stream; s != nil {
		names := []string{"", "hello", "welcome", "refused", "game", "leave", "delay", "dispute", "evidence"}
		return []string{fmt.Sprint(names[s.Kind], " from ", v.From)}
	}
	if u := v.Up; u != nil {
		m := u.Moves
		add(u.Received == nil, "up: nothing received")
		add(u.Received != nil && m == nil, "up: no moves yet")
		add(u.Received != nil && len(u.Received.Missing) == 1, "up: a snapshot missing")
		add(u.Received != nil && len(u.Received.Missing) > 3, "up: snapshots missing")
		add(u.Received != nil && u.Received.Hold >= 0, "up: hold told")
		if m == nil {
			return f
		}
		add(len(m.List) == 0, "up: an empty section")
		add(len(m.List) == 1 && !m.Based, "up: the first move")
		add(len(m.List) > 3 && !m.Based, "up: moves without a base")
		add(len(m.List) == 3 && m.Based, "up: moves against a base")
		add(len(m.List) > 15, "up: many moves")
		add(len(m.List) > 3 && m.Based && m.List[0].Number > m.Base+2, "up: a base further back")
		for _, c := range m.List {
			add(c.Input.Shot != nil && len(m.List) < 10, "up: a shot")
		}
		add(m.Epoch > 1, "up: a later epoch")
		return f
	}
	d := v.Down
	add(d.Heard == nil, "down: nothing heard")
	add(d.Heard != nil && len(d.Heard.Missing) > 2, "down: datagrams missing")
	add(d.Heard != nil && len(d.Heard.Missing) > 10, "down: a mask")
	add(d.Verdict != nil && d.Verdict.Correction == nil, "down: an acknowledgement")
	if d.Verdict != nil && d.Verdict.Correction != nil {
		causes := []string{"mistaken", "altered", "placed", "overtaken", "slowed"}
		add(true, "down: a correction, "+causes[d.Verdict.Correction.Cause])
	}
	if n := d.News; n != nil {
		add(n.Status != nil, "down: a status")
		add(len(n.Receipts) > 0, "down: a receipt")
		add(len(n.Sights) > 0, "down: a sight")
		add(len(n.Hurts) > 0, "down: a hurt")
	}
	add(len(d.Part.Entities) == 0, "down: nobody else")
	add(len(d.Part.Gone) > 0, "down: somebody gone")
	for _, e := range d.Part.Entities {
		add(e.Reference < 0, "down: somebody else")
		add(e.Reference == 0, "down: somebody who moves on")
		add(e.Reference > 0, "down: told against an older snapshot")
		add(len(e.Kinks) == 1, "down: a kink")
		add(len(e.Kinks) == 2, "down: two kinks")
	}
	return f
}

// picked reads every packet of the sleds' recording, holds it to the format, and returns
// the first with each feature.
func picked(t *testing.T, file string, features func(v *Vector) []string) (list []Vector) {
	log, err := ReadLines[Entry](golden(file))
	if err != nil {
		t.Fatal(err)
	}
	r, seen, packets := NewReader(&log[0]), map[string]bool{}, 0
	for i := range log {
		v, lines, err := r.Next(&log[i])
		if v == nil {
			continue
		}
		if err == nil {
			err = v.Check()
		}
		if err != nil {
			t.Fatalf("line %d: %v\n%s", i+1, err, Trace(lines))
		}
		packets++
		for _, name := range features(v) {
			if !seen[name] {
				seen[name] = true
				v.Name = name
				list = append(list, *v)
			}
		}
	}
	t.Logf("%d packets read and written again, %d of them unbased, %d vectors", packets, r.Unbased, len(list))
	if r.Unbased > 0 || packets < 500 {
		t.Errorf("got %d packets, %d of them coded against a move that never travelled", packets, r.Unbased)
	}
	return list
}

// everything is all vectors.
func everything(t *testing.T) []Vector {
	list := picked(t, "sled-session.jsonl", features)
	list = append(list, picked(t, "arena-session.jsonl", arenaFeatures)...)
	return append(list, made(t)...)
}

// arenaFeatures are what a packet of the arena shows beside.
func arenaFeatures(v *Vector) (f []string) {
	if v.Up != nil && v.Up.Moves != nil {
		for _, m := range v.Up.Moves.List {
			c := m.Input.Arena
			if len(v.Up.Moves.List) > 4 {
				continue
			}
			switch {
			case c.Dash:
				f = append(f, "arena: a dash")
			case c.Shot != nil && c.Shot.Saw.Kind == 2:
				f = append(f, "arena: a shot at somebody")
			case c.Jump && c.Forward > 0:
				f = append(f, "arena: a jump")
			case c.Crouch:
				f = append(f, "arena: axes not of keys")
			case c.Yaw != 0:
				f = append(f, "arena: a turn")
			}
		}
	}
	if d := v.Down; d != nil && d.Verdict != nil && d.Verdict.Correction != nil {
		s := d.Verdict.Correction.State.Arena
		f = append(f, "arena: a state")
		if s.Seldom != nil && s.Seldom.Motion != nil {
			f = append(f, "arena: a state with motion")
		}
	}
	if d := v.Down; d != nil && d.News != nil && len(d.News.Receipts) > 0 && d.News.Receipts[0].Verdict == 2 {
		f = append(f, "arena: a hit")
	}
	return f
}

// Every packet that our ends sent reads as docs/protocol.md says, and is written again
// as the same bytes (GAP-04); the vectors are picked among them. [HIT-01]
func TestEveryRecordedPacketReadsAsTheDocumentSays(t *testing.T) {
	list := everything(t)
	compare(t, "messages.jsonl", Lines(list))
	read, err := ReadLines[Vector](golden("messages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range read {
		if err := read[i].Check(); err != nil {
			t.Error(err)
		}
	}
}
