package conformance

import "github.com/backstep-net/backstep/bits"

// Down is a server's datagram in a match of sleds.
type Down struct {
	Tick    uint32   `json:"tick"`
	Skipped int      `json:"skipped,omitempty"`
	Heard   *Echo    `json:"heard"`
	Verdict *Verdict `json:"verdict"`
	News    *News    `json:"news"`
	Part    Part     `json:"part"`
}

// Verdict is what the server says of the moves.
type Verdict struct {
	Number     uint32      `json:"number"`
	Correction *Correction `json:"correction,omitempty"`
}

// Correction is a state and why.
type Correction struct {
	Cause  uint8 `json:"cause"`
	Places uint8 `json:"places"`
	Epoch  uint8 `json:"epoch"`
	State  State `json:"state"`
}

// State is a sled's, or a hero's.
type State struct {
	X     int64       `json:"x"`
	V     int64       `json:"v"`
	Arena *ArenaState `json:"arena,omitempty"`
}

// Pack packs a server's datagram by what its receiver knows.
func (d *Down) Pack(t *Tape, c *Context) {
	kind := 2
	number(t, "kind", &kind, 3)
	number(t, "tick", &d.Tick, 32)
	if kind != 2 || d.Tick == 0 {
		t.Fail(bits.ErrRange)
	}
	if t.flag("skipped", d.Skipped > 0) {
		ranged(t, "ticks skipped", &d.Skipped, 1, 64)
	}
	sequences := numbers{width: 10, newest: c.Sequence}
	sequences.pack(t, "heard", &d.Heard)
	if t.flag("verdict", d.Verdict != nil) {
		if d.Verdict == nil {
			d.Verdict = new(Verdict)
		}
		d.Verdict.pack(t, c.Game)
	}
	if t.flag("news", d.News != nil) {
		if d.News == nil {
			d.News = new(News)
		}
		d.News.pack(t)
	}
	d.Part.pack(t, d.Tick, c.Ticks, c.Have, c.used)
	t.End()
}

func (v *Verdict) pack(t *Tape, game string) {
	number(t, "move", &v.Number, 32)
	if !t.flag("correction", v.Correction != nil) {
		return
	}
	if v.Correction == nil {
		v.Correction = new(Correction)
	}
	c := v.Correction
	ranged(t, "cause", &c.Cause, 0, 4)
	number(t, "places", &c.Places, 8)
	number(t, "epoch", &c.Epoch, 8)
	if game == "arena" {
		if c.State.Arena == nil {
			c.State.Arena = new(ArenaState)
		}
		c.State.Arena.pack(t)
		return
	}
	varint(t, "state X", &c.State.X)
	varint(t, "state V", &c.State.V)
}
