// Command wasm is the arena's core for a browser: the view of package browser, and three blocks of
// the arena's own, "arena" to read, "controls" and "disabled" to write. Start at Block.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o backstep.wasm ./examples/arena/wasm
//	go run ./examples/arena/wasm > arena.d.ts
//
// Besides the exports of package browser there are
//
//	spectate(on)            become a spectator, with 0 play again
//	vote(level)             ask for a level of the next round, by its index
//	key_number(length) int32  the number of the key that the inbox names, 0 if there is none
//	key_bound(key) int32    1 if the key is bound
//	key_of(length)          sets Block.Text to the first key bound to the action that the inbox
//	                        names, "" if there is none
//	bind(length) int32      applies the text of bindings in the inbox. 1 is failure, with the
//	                        reason in Block.Text
//	bind_defaults()         applies the default bindings and sets Block.Text to them
//	pose(count)             sets Block.Figures to those of the first Controls.Recorded, for a page
//	                        that shows a recording; it needs no session
package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
)

type (
	client = session.Client[arena.Hero, arena.Command]
	view   = browser.View[arena.Hero, arena.Command]
)

// game is the rules of all sessions, and exported what package browser shows of them.
var (
	game     = arena.NewGame()
	exported *view
	debugs   *browser.RemoteDebugs
)

func init() {
	browser.Names[rig.Shape]("ball", "capsule", "box")
	browser.Names[arena.MarkerState]("predicted", "confirmed", "denied")
	browser.Names[Screen]("", "killer", "own")
	exported = browser.Export(game.Rules(), browser.Config[arena.Hero, arena.Command]{Join: join, Enter: enter, Begin: readDevices, Play: play, End: draw})
	debugs = browser.ExtendRemoteDebug()
	browser.Extend("arena", &block)
	browser.ExtendInput("controls", &controls)
	browser.ExtendInput("disabled", &disabled)
}

func main() { browser.Main() }

// join begins a session.
func join(c *client) {
	block = Block{Player: arena.NewPlayerFor(game, c), Text: block.Text, Pressed: block.Pressed, Held: block.Held}
	seen = seenState{}
	shots.reset()
	killcam.reset()
}

// enter takes the player into the match.
func enter(_ *client, _ []byte, world *collide.World) error {
	block.Player.Enter(world)
	return nil
}

// play runs a frame by the devices and the controls; the command that package browser offers to
// the page is not used.
func play(c *client, local clock.Micros, _ *arena.Command, events []session.Event) {
	disabled.apply(c)
	block.Player.PlayEvents(local, playerInput(), events)
}

// draw fills the block.
func draw(v *view, local clock.Micros) {
	p := block.Player
	drawEvents(p, local)
	shots.update(p, local)
	drawStatus(p, local)
	drawHooks(p, v)
	if killcam.update(p, v, local); !killcam.draw(p) {
		drawFigures(p, local)
	}
	drawEntities(p)
	drawShot(p)
}

//go:wasmexport vote
func vote(level int32) {
	if p := block.Player; p != nil && p.Phase() == session.Playing {
		p.Vote(int(level))
	}
}

//go:wasmexport spectate
func spectate(on int32) {
	if p := block.Player; p != nil && p.Phase() == session.Playing {
		p.Spectate(on != 0)
	}
}
