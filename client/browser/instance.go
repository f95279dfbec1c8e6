package browser

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
)

// Why a call of the page fails.
var (
	errOtherLevel = errors.New("browser: the match plays another level: request its address again") // as @backstep/client does
	errNoLevel    = errors.New("browser: hello before level_load: load the level that the server names, then say hello")
	errNoSession  = errors.New("browser: the player has no seat: wait for the event \"welcomed\"")
	errMatch      = errors.New("browser: the match is at most 200 bytes of UTF-8")
	errOptions    = errors.New("browser: the join options are at most 256 bytes of UTF-8")
	errToken      = errors.New("browser: the connect token is at most 2048 bytes of UTF-8")
	errTooLong    = errors.New("browser: a message to the game is at most 4096 bytes: split it")
)

// maxMatch is the longest name of a match, in bytes.
const maxMatch = 200

// maxInputDelay is the longest input delay, in milliseconds.
const maxInputDelay = 250

// instance is the core of one game.
type instance[S comparable, C any] struct {
	game   session.Game[S, C]
	config Config[S, C]
	world  *collide.World        // nil until level_load
	hash   string                // of the level, as the page has it
	client *session.Client[S, C] // nil without a session
	view   View[S, C]
	input  C
	events []session.Event // of View.Events: the session reuses its own
	taken  int             // corrections that were shown
	fields fields
}

// failure returns where the page reads why its last call failed.
func (i *instance[S, C]) failure() *string { return &i.view.Error }

// load unpacks the level.
func (i *instance[S, C]) load(packed []byte) error {
	world, err := collide.Unpack(packed)
	if err == nil {
		i.world = world
	}
	return err
}

// hello begins a session with the texts of a page. Empty options leave those of the game's ClientConfig.
func (i *instance[S, C]) hello(text string) error {
	name, text, _ := strings.Cut(text, "\x00")
	key, text, _ := strings.Cut(text, "\x00")
	hash, text, _ := strings.Cut(text, "\x00")
	match, text, _ := strings.Cut(text, "\x00")
	token, options, _ := strings.Cut(text, "\x00")
	if i.world == nil {
		return errNoLevel
	}
	if err := session.CheckName(name); err != nil {
		return err
	}
	if len(match) > maxMatch || !utf8.ValidString(match) {
		return errMatch
	}
	if len(token) > session.MaxToken || !utf8.ValidString(token) {
		return errToken
	}
	if len(options) > session.MaxOptions || !utf8.ValidString(options) {
		return errOptions
	}
	config := i.config.Client
	if options != "" {
		config.JoinOptions = options
	}
	config.InputDelay = i.view.InputDelay
	i.client, i.hash, i.taken = session.NewClient(i.game, config), hash, 0
	i.view = View[S, C]{Protocol: session.Version, Format: i.view.Format, InputDelay: i.view.InputDelay, Movers: i.view.Movers[:0]}
	i.clearFields()
	if i.config.Join != nil {
		i.config.Join(i.client)
	}
	i.client.SetMatch(match)
	i.client.SetToken(token)
	i.client.Hello(name, parseKey(key))
	return nil
}

// receive takes a packet; the session counts a malformed one.
func (i *instance[S, C]) receive(channel session.Channel, at clock.Micros, packet []byte) error {
	if i.client == nil {
		return errNoSession
	}
	return i.client.Receive(channel, at, packet)
}

// tell sends a message of the game's.
func (i *instance[S, C]) tell(message []byte) error {
	switch {
	case i.client == nil || i.client.Phase() != session.Syncing && i.client.Phase() != session.Playing:
		return errNoSession
	case len(message) > session.MaxMessage:
		return errTooLong
	}
	i.client.SendMessage(message)
	return nil
}

// delay asks for an input delay in milliseconds.
func (i *instance[S, C]) delay(milliseconds int32) {
	i.view.InputDelay = clock.Micros(min(max(milliseconds, 0), maxInputDelay)) * clock.Millisecond
	if i.client != nil {
		i.client.SetInputDelay(i.view.InputDelay)
	}
}

func (i *instance[S, C]) leave() {
	if i.client != nil && i.client.Phase() != session.Ended {
		i.client.Leave()
	}
}

// lost forgets the session. What the last frame showed stays. A refusal that no frame has shown is the end: the page
// would come back otherwise.
func (i *instance[S, C]) lost() {
	v := &i.view
	if v.Phase = session.Outside; i.client != nil && i.client.Refusal() != "" {
		v.Phase, v.Closed = session.Ended, i.client.Refusal()
	}
	i.client, v.Queue = nil, 0
	v.Events, v.Shots, v.Corrections, v.Packets = nil, nil, nil, nil
}

// frame runs one frame.
func (i *instance[S, C]) frame(local clock.Micros) {
	if i.config.Begin != nil {
		i.config.Begin(local)
	}
	c, v := i.client, &i.view
	if c == nil {
		return
	}
	i.events = append(i.events[:0], c.Events()...)
	for k := range i.events {
		i.handle(&i.events[k])
	}
	if i.config.Play != nil {
		i.config.Play(c, local, &i.input, i.events)
	} else {
		c.Frame(local, &i.input)
	}
	i.show(local)
	if i.config.End != nil {
		i.config.End(v, local)
	}
	v.Packets = c.Outgoing()
}

// handle does what a page would have to do about an event.
func (i *instance[S, C]) handle(e *session.Event) {
	switch v := &i.view; e.Kind {
	case session.Welcomed:
		v.ResumeKey, v.MatchInfo = printKey(i.client.Key()), e.Bytes
		if err := i.enter(e); err != nil {
			v.Closed = err.Error()
			i.client.Leave()
		}
	case session.Refused:
		v.Closed = e.Text
	}
}

// enter takes the player into the world of the match.
func (i *instance[S, C]) enter(welcomed *session.Event) error {
	if welcomed.Text != i.hash {
		return errOtherLevel
	}
	if i.config.Enter != nil {
		return i.config.Enter(i.client, welcomed.Bytes, i.world)
	}
	i.client.EnterWorld(i.world)
	return nil
}

// show fills the view.
func (i *instance[S, C]) show(local clock.Micros) {
	c, v := i.client, &i.view
	v.Phase, v.Queue, v.ID, v.Now = c.Phase(), int32(c.QueuePlace()), c.ID(), c.Now(local)
	v.Weapons = c.Weapons()
	v.Projectiles = c.Projectiles()
	v.Shots, v.Events, v.Corrections = c.FiredShots(), i.events, i.corrections()
	v.Stats = c.Stats()
	if self := c.AcknowledgedState(); self != nil {
		v.Placed, v.Self = true, *self
		v.Offset, v.InterpolationAlpha = c.Offset(), c.InterpolationAlpha()
		v.Position, v.Eye = c.Drawn()
		v.Pose = c.DrawnPose()
	}
	i.showEntities()
	i.movers(c.World())
	if fillRemoteDebugs != nil {
		fillRemoteDebugs(c, v.Now, v.Eye)
	}
}

// movers fills the poses of the level's movers.
func (i *instance[S, C]) movers(w *collide.WorldAt) {
	i.view.Movers = i.view.Movers[:0]
	if w.World == nil {
		return
	}
	for n := range w.World.Movers() {
		i.view.Movers = append(i.view.Movers, w.Pose(collide.MoverID(n+1)))
	}
}

// moversAt fills them for a recording.
func (i *instance[S, C]) moversAt(at clock.Micros) {
	i.movers(&collide.WorldAt{World: i.world, At: at})
}

// corrections returns the corrections that were applied since the frame before.
func (i *instance[S, C]) corrections() []predict.Correction {
	m := &i.view.Stats.Moves
	all := m.Corrections + m.ServerForces + m.Teleports + m.Timeouts + m.Throttles
	list := i.client.RecentCorrections()
	list = list[max(len(list)-(all-i.taken), 0):]
	i.taken = all
	return list
}
