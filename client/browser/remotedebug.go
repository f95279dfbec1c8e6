package browser

import (
	"cmp"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/track"
)

// The bounds of RemoteDebugs: a page with more of them would not be readable.
const (
	maxDebugged       = 16
	maxDebugStates    = 32
	maxDebugPredicted = 500 * clock.Millisecond
)

// RemoteDebugs is from which data other players are drawn, for a page's debug overlay: root
// "remoteDebug". Make it with ExtendRemoteDebug.
type RemoteDebugs struct {
	// Shown is what the page sets while it shows them: they take time.
	Shown bool
	// Players are the nearest players, the nearest first; none while they are not Shown.
	Players []RemoteDebug

	store  [maxDebugged]RemoteDebug
	sorted []*track.Entity
}

// RemoteDebug is from which data a player is drawn.
type RemoteDebug struct {
	Player track.ID // its number
	remote.Debug
	// Extrapolated is the newest received state, extrapolated to now: where the server probably
	// has the player, in metres.
	Extrapolated geom.Vec3
	// Past are the received states, the newest first.
	Past []PastState
}

// PastState is a received state of a player.
type PastState struct {
	Position geom.Vec3    // the feet; of a rider on its base as it is now
	Age      clock.Micros // how long ago that was
	Keyframe bool         // a keyframe between two states
}

// debugged is the part of a session.Client that RemoteDebugs read.
type debugged interface {
	Others() *remote.Remotes
	Remotes() []track.Entity
	View() track.View
	World() *collide.WorldAt
}

// fillRemoteDebugs fills the RemoteDebugs of this program; nil without. It is a variable so that only
// programs that call ExtendRemoteDebug link what it does.
var fillRemoteDebugs func(c debugged, now clock.Micros, eye geom.Vec3)

// ExtendRemoteDebug adds the root "remoteDebug", from which data other players are drawn, for the debug
// overlay of @backstep/three. Call it from an init function. It returns the root.
func ExtendRemoteDebug() *RemoteDebugs {
	d := new(RemoteDebugs)
	NamesOf[remote.Mode](int(remote.Replay) + 1)
	NamesOf[track.SampleSource](int(track.Stale) + 1)
	ExtendInput("remoteDebug", d)
	fillRemoteDebugs = d.fill
	return d
}

// fill fills the players, if they are shown.
func (d *RemoteDebugs) fill(c debugged, now clock.Micros, eye geom.Vec3) {
	d.Players = d.store[:0]
	if !d.Shown || c.Others() == nil {
		return
	}
	d.sorted = d.sorted[:0]
	remotes := c.Remotes()
	for i := range remotes {
		d.sorted = append(d.sorted, &remotes[i])
	}
	slices.SortStableFunc(d.sorted, func(a, b *track.Entity) int {
		return cmp.Compare(a.Position.Sub(eye).LenSq(), b.Position.Sub(eye).LenSq())
	})
	for _, r := range d.sorted[:min(len(d.sorted), maxDebugged)] {
		into := &d.store[len(d.Players)]
		if c.Others().Debug(r.ID, c.View(), now, &into.Debug) {
			into.fill(c, r, now)
			d.Players = d.store[:len(d.Players)+1]
		}
	}
}

// fill fills what package remote does not know.
func (d *RemoteDebug) fill(c debugged, r *track.Entity, now clock.Micros) {
	world, platform := c.World().World, c.View().Platform
	d.Player, d.Extrapolated = r.ID, r.Position
	if newest, ok := c.Others().Newest(r.ID); ok {
		newest = newest.ToWorld(world, platform)
		d.Extrapolated = newest.Position.MulAdd(newest.Velocity, min(max(now-newest.At, 0), maxDebugPredicted).Seconds())
	}
	d.Past = d.Past[:0]
	for i := range min(len(d.States), maxDebugStates) {
		s := &d.States[i]
		d.Past = append(d.Past, PastState{s.Sample.ToWorld(world, platform).Position, now - s.At, s.Keyframe})
	}
}
