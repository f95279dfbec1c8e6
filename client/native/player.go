package native

import (
	"context"
	"encoding/hex"
	"errors"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// phase is how far a client has got: bs_phase.
type phase int32

const (
	connecting phase = iota
	playing
	ended
)

// maxMessage is the longest message to the game on the server, in bytes.
const maxMessage = session.MaxMessage

// connectConfig is how a client joins: bs_config.
type connectConfig struct {
	address, name, match, key, token, options string
	inputDelay, reconnect                     clock.Micros
}

// view is what a frame shows of the player itself: bs_view.
type view struct {
	now                   clock.Micros
	id                    track.ID
	placed                bool
	position, eye, offset geom.Vec3
}

// player is a client of the library's game.
type player interface {
	// frame is one frame: input and self point at the game's structs in C, self may be nil.
	frame(input, self unsafe.Pointer) phase
	view() view
	remotes() []track.Entity
	entities() []track.Entity
	movers() []geom.Transform
	field(name string) int
	number(id track.ID, field int) int64
	text(id track.ID, field int) string
	// event returns the next event of the frame, false after the last. It is valid until the next frame.
	event() (event, bool)
	send(message []byte) bool
	sweep(from, delta geom.Vec3, radius float64) float64
	stats() session.Stats
	key() string
	failure() string
	close()
}

// instance is a player of a game.
type instance[S comparable, C any] struct {
	game     session.Game[S, C]
	config   *Config[S, C]
	in, out  []span
	input    C
	client   *client.Client[S, C] // nil until it has arrived
	arrivals chan arrival[S, C]   // of the goroutine that dials; nil once it has
	cancel   context.CancelFunc   // of dialling
	err      error                // why it has ended
	pushed   *bodies.Client       // nil without bodies, and outside of a match
	shown    []track.Entity       // entities, with the bodies where they are drawn
	poses    []geom.Transform     // scratch
	events   []event              // of the frame that are left
}

// arrival is what has come of dialling.
type arrival[S comparable, C any] struct {
	client *client.Client[S, C]
	err    error
}

// connect begins to join.
func connect[S comparable, C any](game session.Game[S, C], config *Config[S, C], c connectConfig, in, out []span) player {
	s := &instance[S, C]{game: game, config: config, in: in, out: out}
	settings := client.Config{Name: c.name, Match: c.match, Session: config.Client, Reconnect: reconnectOf(c.reconnect)}
	if c.token != "" {
		// It opens the first connection. The player comes back by its key, and a server that was started
		// again refuses it, for which the game asks its backend for another.
		settings.Token = func(context.Context, *client.Server) (string, error) { return c.token, nil }
	}
	if len(c.options) > session.MaxOptions || !utf8.ValidString(c.options) {
		s.err = errors.New("native: bs_config.options is at most 256 bytes of UTF-8")
		return s
	}
	if c.options != "" {
		settings.Session.JoinOptions = c.options
	}
	settings.Session.InputDelay = min(max(c.inputDelay, 0), 250*clock.Millisecond)
	key, err := hex.DecodeString(c.key)
	if copy(settings.Key[:], key); err != nil || len(key) != 0 && len(key) != len(settings.Key) {
		s.err = errors.New("native: bs_config.key is not of bs_key: pass the 32 hex digits that it wrote, or NULL")
		return s
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.arrivals = cancel, make(chan arrival[S, C], 1)
	go func(to chan<- arrival[S, C]) {
		arrived, err := client.Dial(ctx, c.address, game, settings)
		to <- arrival[S, C]{arrived, err}
	}(s.arrivals)
	return s
}

func reconnectOf(d clock.Micros) time.Duration { return time.Duration(d) * time.Microsecond }

// arrive takes what has come of dialling.
func (s *instance[S, C]) arrive() {
	select {
	case a := <-s.arrivals:
		s.cancel()
		s.arrivals, s.client, s.err = nil, a.client, a.err
	default:
	}
}

func (s *instance[S, C]) frame(input, self unsafe.Pointer) phase {
	if s.arrivals != nil {
		s.arrive()
	}
	if s.events = nil; s.client == nil || s.err != nil {
		return s.phase()
	}
	if input != nil {
		copySpans(unsafe.Pointer(&s.input), input, s.in)
	}
	s.err = s.client.FrameFunc(func(local clock.Micros) {
		happened := s.client.Events()
		for i := range happened {
			if happened[i].Kind == session.Welcomed {
				s.enter()
			}
			if told, ok := eventOf(&happened[i]); ok {
				s.events = append(s.events, told)
			}
		}
		s.client.Client.Frame(local, &s.input)
		for _, fired := range s.client.FiredShots() {
			s.events = append(s.events, eventOfShot(&fired))
		}
		if s.pushed != nil && s.client.Phase() == session.Playing {
			s.pushed.Step(local)
		}
	})
	if state := s.client.Self(); state != nil && self != nil {
		copySpans(self, unsafe.Pointer(state), s.out)
	}
	return s.phase()
}

// enter prepares what belongs to one match.
func (s *instance[S, C]) enter() {
	if s.config.Join != nil {
		s.config.Join(s.client.Client)
	}
	if s.config.Bodies != nil {
		s.pushed = s.config.Bodies.Join(s.client.Client)
	}
}

func (s *instance[S, C]) phase() phase {
	switch {
	case s.err != nil:
		return ended
	case s.client != nil && s.client.Phase() == session.Playing:
		return playing
	}
	return connecting
}

func (s *instance[S, C]) view() (v view) {
	if c := s.client; c != nil {
		v.now, v.id, v.placed, v.offset = c.Now(c.Local()), c.ID(), c.Self() != nil, c.Offset()
		v.position, v.eye = c.Drawn()
	}
	return v
}

func (s *instance[S, C]) remotes() []track.Entity {
	if s.client == nil {
		return nil
	}
	return s.client.Remotes()
}

// entities returns the entities, and the bodies among them where they are drawn.
func (s *instance[S, C]) entities() []track.Entity {
	if s.client == nil {
		return nil
	}
	if s.pushed == nil {
		return s.client.Entities()
	}
	s.shown = append(s.shown[:0], s.client.Entities()...)
	drawn := s.pushed.Drawn()
	for i := range s.shown {
		if b := bodyOf(drawn, s.shown[i].ID); b != nil {
			s.shown[i].Position, s.shown[i].Velocity, s.shown[i].Rotation = b.Position, b.Velocity, b.Rotation
		}
	}
	return s.shown
}

// bodyOf returns the body of an entity; nil for none.
func bodyOf(drawn []remote.DrawnBody, id track.ID) *remote.DrawnBody {
	for i := range drawn {
		if drawn[i].ID == id {
			return &drawn[i]
		}
	}
	return nil
}

func (s *instance[S, C]) movers() []geom.Transform {
	s.poses = s.poses[:0]
	if s.client == nil || s.client.World().World == nil {
		return nil
	}
	w := s.client.World()
	for n := range w.World.Movers() {
		s.poses = append(s.poses, w.Pose(collide.MoverID(n+1)))
	}
	return s.poses
}

func (s *instance[S, C]) field(name string) int {
	for i := range s.game.Fields {
		if s.game.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

func (s *instance[S, C]) number(id track.ID, field int) int64 {
	if s.client == nil || field < 0 || field >= len(s.game.Fields) || s.game.Fields[field].Text > 0 {
		return 0
	}
	return s.client.NumberAt(id, field)
}

func (s *instance[S, C]) text(id track.ID, field int) string {
	if s.client == nil || field < 0 || field >= len(s.game.Fields) || s.game.Fields[field].Text == 0 {
		return ""
	}
	return s.client.TextAt(id, field)
}

func (s *instance[S, C]) event() (event, bool) {
	if len(s.events) == 0 {
		return event{}, false
	}
	e := s.events[0]
	s.events = s.events[1:]
	return e, true
}

func (s *instance[S, C]) send(message []byte) bool {
	if s.err != nil || s.client == nil || len(message) > maxMessage {
		return false
	}
	if p := s.client.Phase(); p != session.Syncing && p != session.Playing {
		return false
	}
	s.client.SendMessage(message)
	return true
}

func (s *instance[S, C]) sweep(from, delta geom.Vec3, radius float64) float64 {
	if s.client == nil {
		return 1
	}
	return s.client.World().CameraReach(from, delta, radius)
}

func (s *instance[S, C]) stats() session.Stats {
	if s.client == nil {
		return session.Stats{}
	}
	return s.client.Stats()
}

func (s *instance[S, C]) key() string {
	if s.client == nil || s.client.Key() == (session.Key{}) {
		return ""
	}
	key := s.client.Key()
	return hex.EncodeToString(key[:])
}

func (s *instance[S, C]) failure() string {
	if s.err == nil {
		return ""
	}
	return s.err.Error()
}

func (s *instance[S, C]) close() {
	if s.arrivals != nil {
		s.cancel()
		a := <-s.arrivals
		s.arrivals, s.client = nil, a.client
	}
	if s.client != nil {
		s.client.Close()
	}
}
