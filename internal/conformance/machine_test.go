package conformance

import (
	"bytes"
	"fmt"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/session"
)

// Entry is one line of a recorded session: what an end was made to do, or a packet that
// it sent. docs/protocol.md, section 12, says what each holds.
type Entry struct {
	End     string  `json:"end"` // "server" or "client 1"
	Do      string  `json:"do"`
	At      int64   `json:"at,omitempty"`  // µs: of the match at the server, local at a client
	Now     int64   `json:"now,omitempty"` // match time as the client believes
	Peer    int     `json:"peer,omitempty"`
	Player  int     `json:"player,omitempty"`
	Channel int     `json:"channel,omitempty"` // 0 datagram, 1 stream
	Packet  int     `json:"packet,omitempty"`  // which packet that was sent, from 1
	Name    string  `json:"name,omitempty"`
	Value   int64   `json:"value,omitempty"`
	Delay   int     `json:"delay,omitempty"` // ms
	Bytes   Hex     `json:"bytes,omitempty"`
	Error   string  `json:"error,omitempty"` // what our end said of it
	Config  *Config `json:"config,omitempty"`
}

// Config is how the match of a recording was set up.
type Config struct {
	Game      string `json:"game"` // "sled" or "arena"
	Ticks     int    `json:"tickRate"`
	Snapshots int    `json:"snapshotRate"`
	Seats     int    `json:"seats"`
	Level     string `json:"level"`
	Block     bool   `json:"playersBlock"`
	Keys      []Hex  `json:"keys"` // drawn in this order, the second for the seed
	Rates     []int  `json:"sendRates"`
	Fixed     []int  `json:"moveRates"` // moves a second of each client; 0: one a frame
}

// Machine is the ends of a recorded match: our own, made to do what a recording says.
type Machine[S comparable, C any] struct {
	Config  Config
	Server  *session.Server[S, C]
	Clients []*session.Client[S, C] // by peer − 1
	World   *collide.World
	game    func() session.Game[S, C]
	keys    int
	packer  bits.Packer
	scratch [4096]byte
}

// NewMachine returns the ends of a match that has not begun.
func NewMachine[S comparable, C any](config Config, game func() session.Game[S, C], world *collide.World) *Machine[S, C] {
	m := &Machine[S, C]{Config: config, World: world, game: game}
	m.Server = session.NewServer(game(), session.ServerConfig{
		World: world, LevelHash: config.Level, TickRate: config.Ticks, SnapshotRate: config.Snapshots,
		Players: config.Seats, PlayersBlock: config.Block, NewKey: m.key,
	})
	for i, rate := range config.Rates {
		m.Clients = append(m.Clients, session.NewClient(game(), session.ClientConfig{SendRate: rate, Tick: config.Fixed[i]}))
	}
	return m
}

func (m *Machine[S, C]) key() (k session.Key) {
	copy(k[:], m.Config.Keys[m.keys%len(m.Config.Keys)])
	m.keys++
	return k
}

// Do makes an end do what an entry says, and returns what it sends and, of a packet, its
// error.
func (m *Machine[S, C]) Do(e *Entry) ([]session.Packet, error) {
	if e.End == "server" {
		err := m.serve(e)
		return m.Server.Outgoing(), err
	}
	n := 0
	if _, err := fmt.Sscanf(e.End, "client %d", &n); err != nil || n < 1 || n > len(m.Clients) {
		return nil, fmt.Errorf("conformance: no such end: %q", e.End)
	}
	c := m.Clients[n-1]
	err := m.play(c, e)
	return c.Outgoing(), err
}

func (m *Machine[S, C]) serve(e *Entry) error {
	s, id := m.Server, session.PlayerID(e.Player)
	switch e.Do {
	case "receive":
		return s.Receive(session.Peer(e.Peer), session.Channel(e.Channel), clock.Micros(e.At), e.Bytes)
	case "disconnect":
		s.Disconnect(session.Peer(e.Peer))
	case "tick":
		s.Tick(clock.Micros(e.At))
	case "snapshot":
		s.Send()
	case "setState":
		state, err := m.state(e.Bytes)
		if err == nil {
			s.SetState(id, state)
		}
		return err
	case "modify":
		state, err := m.state(e.Bytes)
		if err == nil {
			s.Modify(id, func(old *S) { *old = state })
		}
		return err
	case "number":
		s.SetNumber(id, e.Name, e.Value)
	case "text":
		s.SetText(id, e.Name, string(e.Bytes))
	case "message":
		s.SendMessage(id, e.Bytes)
	default:
		return fmt.Errorf("conformance: a server cannot %q", e.Do)
	}
	return nil
}

func (m *Machine[S, C]) play(c *session.Client[S, C], e *Entry) error {
	switch e.Do {
	case "hello":
		var key session.Key
		copy(key[:], e.Bytes)
		c.Hello(e.Name, key)
	case "receive":
		err := c.Receive(session.Channel(e.Channel), clock.Micros(e.At), e.Bytes)
		for _, event := range c.Events() {
			if event.Kind == session.Welcomed {
				c.EnterWorld(m.World)
			}
		}
		return err
	case "frame":
		input, err := m.input(e.Bytes)
		if err != nil {
			return err
		}
		c.Frame(clock.Micros(e.At), &input)
		if now := c.Now(clock.Micros(e.At)); e.Now != 0 && int64(now) != e.Now {
			return fmt.Errorf("conformance: at %d the match is at %d and not at %d", e.At, now, e.Now)
		}
	case "delay":
		c.SetInputDelay(clock.Micros(e.Delay) * clock.Millisecond)
	case "message":
		c.SendMessage(e.Bytes)
	case "leave":
		c.Leave()
	default:
		return fmt.Errorf("conformance: a client cannot %q", e.Do)
	}
	return nil
}

// state reads a state as a correction has it.
func (m *Machine[S, C]) state(b []byte) (s S, err error) {
	m.packer.Read(b)
	m.game().PackState(&m.packer, &s)
	m.packer.End()
	return s, m.packer.Err()
}

// input reads an input coded against the zero one.
func (m *Machine[S, C]) input(b []byte) (c C, err error) {
	var none C
	m.packer.Read(b)
	m.game().PackCommand(&m.packer, &c, &none)
	m.packer.End()
	return c, m.packer.Err()
}

// Packed returns an input as input reads it, State a state.
func (m *Machine[S, C]) Packed(c C) Hex {
	var none C
	m.packer.Write(m.scratch[:])
	m.game().PackCommand(&m.packer, &c, &none)
	return bytes.Clone(m.packer.Bytes())
}

// PackedState returns a state as state reads it.
func (m *Machine[S, C]) PackedState(s S) Hex {
	m.packer.Write(m.scratch[:])
	m.game().PackState(&m.packer, &s)
	return bytes.Clone(m.packer.Bytes())
}

// Replay makes one end, or all for "", do what a recording says, and returns the first
// difference from it. Entries of other ends are left out. stop is called before each
// entry and ends the replay by returning true; it may be nil.
func (m *Machine[S, C]) Replay(log []Entry, end string, stop func(i int) bool) error {
	packets := map[int]Hex{}
	waiting := map[string][]session.Packet{}
	for i := range log {
		if stop != nil && stop(i) {
			return nil
		}
		e := log[i]
		if e.Do == "send" {
			packets[e.Packet] = e.Bytes
		}
		if end != "" && e.End != end {
			continue
		}
		if e.Do == "send" {
			if err := sent(waiting, &e); err != nil {
				return fmt.Errorf("line %d: %w", i+1, err)
			}
			continue
		}
		if e.Do == "receive" && e.Packet > 0 {
			e.Bytes = packets[e.Packet]
		}
		if left := waiting[e.End]; len(left) > 0 {
			return fmt.Errorf("line %d: %s sent %d packets more than recorded, first %x", i+1, e.End, len(left), left[0].Bytes)
		}
		out, err := m.Do(&e)
		if words := wordsOf(err); words != e.Error {
			return fmt.Errorf("line %d: got %q, recorded is %q", i+1, words, e.Error)
		}
		waiting[e.End] = append(waiting[e.End], cloned(out)...)
	}
	return nil
}

// wordsOf is what an error says, "" for none.
func wordsOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// sent compares a packet with the one recorded.
func sent(waiting map[string][]session.Packet, e *Entry) error {
	w := waiting[e.End]
	if len(w) == 0 {
		return fmt.Errorf("%s did not send packet %d", e.End, e.Packet)
	}
	if p := w[0]; !bytes.Equal(p.Bytes, e.Bytes) || int(p.Channel) != e.Channel || int(p.Peer) != e.Peer {
		return fmt.Errorf("packet %d: %s sent %x on channel %d, recorded is %x on %d", e.Packet, e.End, p.Bytes, p.Channel, e.Bytes, e.Channel)
	}
	waiting[e.End] = w[1:]
	return nil
}

func cloned(list []session.Packet) []session.Packet {
	var copies []session.Packet
	for _, p := range list {
		p.Bytes = bytes.Clone(p.Bytes)
		copies = append(copies, p)
	}
	return copies
}
