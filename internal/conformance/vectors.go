package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Vector is one message: what it says, by which context, and its bytes.
type Vector struct {
	Name    string   `json:"name"`
	From    string   `json:"from"`              // "client" or "server"
	Channel int      `json:"channel"`           // 0 datagram, 1 stream
	Context *Context `json:"context,omitempty"` // what the reader of a datagram must know
	Stream  *Stream  `json:"stream,omitempty"`
	Up      *Up      `json:"up,omitempty"`
	Down    *Down    `json:"down,omitempty"`
	Bytes   Hex      `json:"bytes"`
}

// Context is what the reader of a datagram must know: Past of a client's; of a server's
// Sequence, the newest that the reader sent, Ticks a second of the match, and of the
// snapshots that it has what the datagram refers to, oldest first.
type Context struct {
	Past     *Past  `json:"past,omitempty"`
	Sequence uint32 `json:"sequence,omitempty"`
	Ticks    int    `json:"ticks,omitempty"`
	Have     []Have `json:"have,omitempty"`
	Game     string `json:"game,omitempty"` // "": sleds
	used     func(tick uint32, e *Entity)
}

// Read decodes Bytes into the fields and returns its trace.
func (v *Vector) Read() ([]Line, error) {
	var t Tape
	t.Read(v.Bytes)
	v.Stream, v.Up, v.Down = nil, nil, nil
	switch {
	case v.Channel == 1:
		v.Stream = new(Stream)
	case v.From == "client":
		v.Up = new(Up)
	default:
		v.Down = new(Down)
	}
	v.pack(&t)
	return t.Lines, t.Err()
}

// Write encodes the fields.
func (v *Vector) Write() (Hex, error) {
	var t Tape
	t.Packer.Write(make([]byte, 8192))
	v.pack(&t)
	return bytes.Clone(t.Bytes()), t.Err()
}

func (v *Vector) pack(t *Tape) {
	switch {
	case v.Stream != nil:
		v.Stream.Pack(t)
	case v.Up != nil:
		v.Up.Pack(t, v.Context.Past)
	case v.Down != nil:
		v.Down.Pack(t, v.Context)
	}
}

// Check decodes a vector's bytes, compares what they say with its fields, and encodes
// those again.
func (v *Vector) Check() error {
	got := Vector{Name: v.Name, From: v.From, Channel: v.Channel, Context: v.Context, Bytes: v.Bytes}
	if _, err := got.Read(); err != nil {
		return fmt.Errorf("%s: cannot be read: %w", v.Name, err)
	}
	g, err := json.Marshal(&got)
	if err != nil {
		return err
	}
	w, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if !bytes.Equal(g, w) {
		return fmt.Errorf("%s: the bytes say\n%s\nand not\n%s", v.Name, g, w)
	}
	b, err := v.Write()
	if err != nil || !bytes.Equal(b, v.Bytes) {
		return fmt.Errorf("%s: written again it is %x and not %x (%v)", v.Name, b, v.Bytes, err)
	}
	return nil
}

// Reader decodes the packets of a recorded match of sleds, keeping what their readers
// know.
type Reader struct {
	config  Config
	tick    uint32 // newest that was sent
	now     int64  // grains
	sent    map[int]uint32
	moves   map[int]map[uint32]Move // of each peer, by low bits
	newest  map[int]uint32
	parts   map[int]*Down        // of the datagrams that were sent, by packet
	have    map[int][]Have       // the snapshots that each client has
	open    map[[2]uint32][]Part // the parts that it has of others, by peer and tick
	Unbased int
}

// NewReader returns a reader of a recording that begins with that entry.
func NewReader(first *Entry) *Reader {
	return &Reader{config: *first.Config, sent: map[int]uint32{}, moves: map[int]map[uint32]Move{}, newest: map[int]uint32{},
		parts: map[int]*Down{}, have: map[int][]Have{}, open: map[[2]uint32][]Part{}}
}

// Next takes the next entry, and returns the packet in it as a vector, or nil.
func (r *Reader) Next(e *Entry) (*Vector, []Line, error) {
	if e.Do == "tick" {
		r.now = e.At / 40
		tick := uint32((e.At*int64(r.config.Ticks) + 500_000) / 1_000_000)
		s := numbers{ticks: r.config.Ticks, snapshots: r.config.Snapshots}
		if s.sends(tick) {
			r.tick = tick
		}
	}
	if e.Do == "receive" && e.End != "server" && r.parts[e.Packet] != nil {
		r.receive(e)
	}
	if e.Do != "send" {
		return nil, nil, nil
	}
	v := &Vector{Name: fmt.Sprint("packet ", e.Packet), From: "server", Channel: e.Channel, Bytes: e.Bytes}
	peer := e.Peer
	if e.End != "server" {
		v.From = "client"
		fmt.Sscanf(e.End, "client %d", &peer)
	}
	if e.Channel == 0 {
		v.Context = r.context(v, peer)
	}
	lines, err := v.Read()
	if v.Down != nil {
		r.parts[e.Packet] = v.Down
	}
	if err == nil && v.Up != nil && v.Up.Moves != nil {
		r.keep(v, peer)
	}
	return v, lines, err
}

// context is what the reader of a datagram knows.
func (r *Reader) context(v *Vector, peer int) *Context {
	if v.From == "server" {
		return r.served(v, peer)
	}
	r.sent[peer]++
	past := &Past{Game: r.game(), Ticks: r.config.Ticks, Snapshots: r.config.Snapshots, Newest: r.tick, Last: r.newest[peer], Now: r.now}
	try := Vector{From: "client", Context: &Context{Past: past}, Bytes: v.Bytes}
	lines, _ := try.Read()
	for _, l := range lines {
		if l.Name == "base, low bits" {
			var low uint32
			fmt.Sscan(l.Value, &low)
			if base, ok := r.moves[peer][low]; ok {
				past.Base = &base
			}
		}
	}
	return &Context{Past: past}
}

// served is what the reader of a server's datagram knows, and no more of the snapshots
// than it refers to.
func (r *Reader) served(v *Vector, peer int) *Context {
	c := Context{Sequence: r.sent[peer], Ticks: r.config.Ticks, Game: r.game(), Have: r.have[peer]}
	var have []Have
	c.used = func(tick uint32, e *Entity) {
		i := 0
		for i < len(have) && have[i].Tick < tick {
			i++
		}
		if i == len(have) || have[i].Tick != tick {
			have = slices.Insert(have, i, Have{Tick: tick})
		}
		have[i].Entities = append(have[i].Entities, *e)
	}
	try := Vector{From: "server", Context: &c, Bytes: v.Bytes}
	try.Read()
	for i := range have {
		for k := range have[i].Entities {
			have[i].Entities[k].Kinks = nil
		}
	}
	c.Have, c.used = have, nil
	return &c
}

// receive notes that a client has a part, and the snapshot if that is whole.
func (r *Reader) receive(e *Entry) {
	d, peer := r.parts[e.Packet], 0
	fmt.Sscanf(e.End, "client %d", &peer)
	key := [2]uint32{uint32(peer), d.Tick}
	have := r.have[peer]
	i := 0
	for i < len(have) && have[i].Tick < d.Tick {
		i++
	}
	if i < len(have) && have[i].Tick == d.Tick {
		return
	}
	parts := r.open[key]
	if !slices.ContainsFunc(parts, func(p Part) bool { return p.Number == d.Part.Number }) {
		parts = append(parts, d.Part)
	}
	r.open[key] = parts
	slices.SortFunc(parts, func(a, b Part) int { return a.Number - b.Number })
	if last := &parts[len(parts)-1]; !last.Last || last.Number != len(parts)-1 {
		return
	}
	whole := Have{Tick: d.Tick}
	for _, p := range parts {
		whole.Entities = append(whole.Entities, p.Entities...)
	}
	r.have[peer] = slices.Insert(have, i, whole)
	delete(r.open, key)
}

// game is what the fields call the recording's.
func (r *Reader) game() string {
	if r.config.Game == "sled" {
		return ""
	}
	return r.config.Game
}

// keep remembers a client's moves.
func (r *Reader) keep(v *Vector, peer int) {
	if r.moves[peer] == nil {
		r.moves[peer] = map[uint32]Move{}
	}
	if v.Up.Moves.lost {
		r.Unbased++
	}
	for _, m := range v.Up.Moves.List {
		if !v.Up.Moves.lost {
			r.moves[peer][m.Number&1023] = m
			r.newest[peer] = max(r.newest[peer], m.Number)
		}
	}
}
