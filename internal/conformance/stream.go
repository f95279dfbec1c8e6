package conformance

import "github.com/backstep-net/backstep/bits"

// The kinds of stream messages.
const (
	kindHello = 1 + iota
	kindWelcome
	kindRefused
	kindGame
	kindLeave
	kindDelay
	kindDispute
	kindEvidence
)

// Stream is a message on the stream: what its kind has.
type Stream struct {
	Kind    uint8    `json:"kind"`
	Hello   *Hello   `json:"hello,omitempty"`
	Welcome *Welcome `json:"welcome,omitempty"`
	Why     string   `json:"why,omitempty"`
	Body    Hex      `json:"body,omitempty"`
	Delay   int      `json:"delay,omitempty"` // ms
	Dispute uint32   `json:"dispute,omitempty"`
	// Evidence is the answer to that.
	Evidence *Evidence `json:"evidence,omitempty"`
}

// Hello is what a client says first.
type Hello struct {
	Magic   uint32 `json:"magic"`
	Version uint16 `json:"version"`
	Format  uint32 `json:"format"`
	Match   string `json:"match"`
	Name    string `json:"name"`
	Key     Hex    `json:"key"`
}

// Welcome is the server's answer.
type Welcome struct {
	Player    int    `json:"player"`
	Key       Hex    `json:"key"`
	Ticks     int    `json:"ticks"`
	Snapshots int    `json:"snapshots"`
	Level     string `json:"level"`
	Block     bool   `json:"block"`
	Seed      uint64 `json:"seed,string"`
	Terms     Hex    `json:"terms"`
}

// Evidence is by what a shot was judged: only of one that is known.
type Evidence struct {
	Shot     uint32   `json:"shot"`
	Known    bool     `json:"known"`
	Receipt  *Receipt `json:"receipt,omitempty"`
	Eye      Vector3  `json:"eye"`
	Platform int64    `json:"platform"` // µs
	Tested   []Exact  `json:"tested"`
}

// Exact is a sample without loss.
type Exact struct {
	ID                          uint16
	At                          int64 // µs
	Position, Velocity, Carried Vector3
	Yaw, Pitch, Walked          float64
	Low, Air, Swim              float64
	Mode, Kind, Clip            uint8
	ClipAt                      int64 // µs
	Extra                       uint16
	Crouched, Dead              bool
	Life, Teleport              uint8
	Up                          Vector3
	Turn                        [4]float64
	Spin                        Vector3
	Asleep                      bool
}

// Pack packs a stream message in either direction.
func (m *Stream) Pack(t *Tape) {
	number(t, "kind", &m.Kind, 8)
	switch m.Kind {
	case kindHello:
		if m.Hello == nil {
			m.Hello = new(Hello)
		}
		h := m.Hello
		number(t, "magic", &h.Magic, 32)
		number(t, "version", &h.Version, 16)
		number(t, "format", &h.Format, 32)
		t.text("match", &h.Match, 200)
		t.text("name", &h.Name, 96)
		t.octets("key", &h.Key, 16)
	case kindWelcome:
		if m.Welcome == nil {
			m.Welcome = new(Welcome)
		}
		w := m.Welcome
		ranged(t, "player", &w.Player, 1, 128)
		t.octets("key", &w.Key, 16)
		ranged(t, "ticks a second", &w.Ticks, 1, 1000)
		ranged(t, "snapshots a second", &w.Snapshots, 1, max(w.Ticks, 1))
		t.text("level", &w.Level, 200)
		w.Block = t.flag("block", w.Block)
		number(t, "seed", &w.Seed, 64)
		t.blob("terms", &w.Terms, 4096)
	case kindRefused:
		t.text("why", &m.Why, 200)
	case kindGame:
		t.blob("body", &m.Body, 4096)
	case kindLeave:
	case kindDelay:
		ranged(t, "delay, ms", &m.Delay, 0, 250)
	case kindDispute:
		number(t, "shot", &m.Dispute, 32)
	case kindEvidence:
		if m.Evidence == nil {
			m.Evidence = new(Evidence)
		}
		m.Evidence.pack(t)
	default:
		t.Fail(bits.ErrRange)
	}
	t.End()
}

func (e *Evidence) pack(t *Tape) {
	number(t, "shot", &e.Shot, 32)
	if e.Known = t.flag("known", e.Known); !e.Known {
		return
	}
	if e.Receipt == nil {
		e.Receipt = new(Receipt)
	}
	e.Receipt.pack(t)
	t.floats("eye", &e.Eye[0], &e.Eye[1], &e.Eye[2])
	varint(t, "platform time", &e.Platform)
	sized(t, "samples", &e.Tested, 8)
	before := uint16(0)
	for i := range e.Tested {
		e.Tested[i].pack(t)
		t.demand(e.Tested[i].ID > before)
		before = e.Tested[i].ID
	}
}

func (s *Exact) pack(t *Tape) {
	ranged(t, "id", &s.ID, 1, 1023)
	varint(t, "at", &s.At)
	t.floats("position", &s.Position[0], &s.Position[1], &s.Position[2])
	t.floats("velocity", &s.Velocity[0], &s.Velocity[1], &s.Velocity[2])
	t.floats("carried", &s.Carried[0], &s.Carried[1], &s.Carried[2])
	t.floats("yaw, pitch", &s.Yaw, &s.Pitch)
	t.floats("walked", &s.Walked)
	t.floats("low, in the air, swimming", &s.Low, &s.Air, &s.Swim)
	number(t, "mode", &s.Mode, 8)
	number(t, "kind", &s.Kind, 8)
	number(t, "clip", &s.Clip, 8)
	varint(t, "clip began", &s.ClipAt)
	number(t, "extra", &s.Extra, 16)
	s.Crouched, s.Dead = t.flag("crouched", s.Crouched), t.flag("dead", s.Dead)
	number(t, "life", &s.Life, 8)
	number(t, "teleport", &s.Teleport, 8)
	t.seldom("up", &s.Up)
	turned := func() bool { return s.Turn != [4]float64{} || s.Spin != Vector3{} || s.Asleep }
	if t.flag("turned", turned()) {
		t.floats("turn", &s.Turn[0], &s.Turn[1], &s.Turn[2], &s.Turn[3])
		t.floats("spin", &s.Spin[0], &s.Spin[1], &s.Spin[2])
		s.Asleep = t.flag("asleep", s.Asleep)
		t.demand(turned())
	}
}
