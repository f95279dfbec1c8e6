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
)

// Stream is a message on the stream: what its kind has.
type Stream struct {
	Kind    uint8    `json:"kind"`
	Hello   *Hello   `json:"hello,omitempty"`
	Welcome *Welcome `json:"welcome,omitempty"`
	Why     string   `json:"why,omitempty"`
	Body    Hex      `json:"body,omitempty"`
	Delay   int      `json:"delay,omitempty"` // ms
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
	case kindRefused:
		t.text("why", &m.Why, 200)
	case kindGame:
		t.blob("body", &m.Body, 4096)
	case kindLeave:
	case kindDelay:
		ranged(t, "delay, ms", &m.Delay, 0, 250)
	default:
		t.Fail(bits.ErrRange)
	}
	t.End()
}
