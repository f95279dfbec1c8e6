package browser

import (
	"github.com/backstep-net/backstep/client/layout"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/session"
)

// Config is how a game plays in a browser. The zero Config is a game that needs nothing of its
// own.
type Config[S comparable, C any] struct {
	// Client is the configuration of each session; zero is that of one that makes a command each
	// frame. The page's input delay and match replace those in it.
	Client session.ClientConfig
	// Join is called with the client of each new session, before it says hello. Nil does nothing.
	Join func(c *session.Client[S, C])
	// Enter runs when the server has given the player a seat in the match with that info. An
	// error ends the session, and is View.Closed. Nil calls c.EnterWorld(world).
	Enter func(c *session.Client[S, C], matchInfo []byte, world *collide.World) error
	// Begin runs first in each frame, also without a session: for input devices. Nil does nothing.
	Begin func(local clock.Micros)
	// Play runs a frame, with the page's input and what has happened since the frame before,
	// which it may neither keep nor change: Client.Events has nothing more. Nil calls
	// c.Frame(local, in).
	Play func(c *session.Client[S, C], local clock.Micros, in *C, events []session.Event)
	// End runs last in each frame with a session, with all of the view filled but Packets: for
	// blocks of the game's own. Nil does nothing.
	End func(v *View[S, C], local clock.Micros)
}

// Export makes a game the core of this program, with one configuration or none. Call it once, from an
// init function of main. It returns the view.
func Export[S comparable, C any](game session.Game[S, C], config ...Config[S, C]) *View[S, C] {
	if core != nil || len(config) > 1 {
		panic("browser: Export is called once and takes one Config: a program is the core of one game")
	}
	i := &instance[S, C]{game: game}
	if len(config) == 1 {
		i.config = config[0]
	}
	i.view.Protocol, i.view.InputDelay = session.Version, i.config.Client.InputDelay
	i.view.Format = session.NewClient(game, session.ClientConfig{}).Format()
	i.describeFields()
	layout.Add(&table, "view", &i.view, false)
	layout.Add(&table, "input", &i.input, true)
	core = i
	return &i.view
}

// Extend adds a block of the game's own, which the page reads by that name: a struct that the game
// fills in Config.End, or in exports of its own. Call it
// from an init function.
func Extend[T any](name string, block *T) { layout.Add(&table, name, block, false) }

// ExtendInput adds a block of the game's own that the page may also write: booleans, numbers,
// and structs and arrays of those.
func ExtendInput[T any](name string, block *T) { layout.Add(&table, name, block, true) }

// Names gives the values of a uint8 type of the game's their names on the page, from 0 on; "" is
// one that the page takes for false. Call it from an init function.
func Names[E ~uint8](names ...string) { layout.Name[E](&table, names...) }

// Inbox returns the first bytes of the inbox, for exports of a game's own whose page writes them
// there. They are valid until the page asks for the inbox again.
func Inbox(length int32) []byte {
	return shared.inbox[:min(max(int(length), 0), len(shared.inbox))]
}

// TypeScript returns the declarations of everything that the page reads, for its compiler.
func TypeScript() string {
	return "// Generated from the game's Go types by running its core's main natively: do not edit.\n\n" + table.Layout().TypeScript()
}

// table is the layout of everything that the page reads.
var table layout.Table
