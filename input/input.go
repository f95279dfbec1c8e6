package input

import (
	"errors"

	"github.com/backstep-net/backstep/geom"
)

// ErrReentered is what Frame says where a listener called it.
var ErrReentered = errors.New("input: Frame was called from within a frame")

// MaxLayers is the most layers that one Input has at a time.
const MaxLayers = 16

// MaxFrameSeconds is the longest frame that sticks turn the view for, in seconds: after a
// freeze one does not find oneself looking elsewhere.
const MaxFrameSeconds = 0.25

// Input is one player's devices and the layers that listen to them. It allocates
// nothing in Sample and Frame once it has seen as many calls to listeners in one
// frame as it will.
type Input struct {
	devices devices
	layers  [MaxLayers]*Layer // the top is last
	depth   int
	moment  Moment
	running bool

	held, lasting, pressed, released uint64 // actions of all layers, as bits
	axes                             [MaxNames]float64

	calls []call // of this frame
	moves []move // of this frame
}

// call is an action that a listener has to be told of.
type call struct {
	listener Listener
	number   uint64 // of the event that was the cause
	id       uint8
	edge     Edge
}

// move is an axis that a listener has to be told of.
type move struct {
	listener Listener
	value    float64
	id       uint8
}

// New makes an Input with one layer, the game's own.
func New(game *Layer) *Input {
	in := &Input{calls: make([]call, 0, 64), moves: make([]move, 0, 64)}
	in.Push(game)
	return in
}

// Push puts a layer on top, from the next frame on. It panics where that is one too
// many, or the layer is in the stack already.
func (in *Input) Push(l *Layer) {
	if in.depth == MaxLayers {
		panic("input: a stack has at most 16 layers")
	}
	for _, other := range in.layers[:in.depth] {
		if other == l {
			panic("input: a layer is pushed that is in the stack already")
		}
	}
	in.layers[in.depth] = l
	in.depth++
}

// Remove takes a layer out of the stack, wherever it lies, from the next frame on;
// it forgets what it held. A layer that is not there is left alone.
func (in *Input) Remove(l *Layer) {
	for i, other := range in.layers[:in.depth] {
		if other == l {
			copy(in.layers[i:], in.layers[i+1:in.depth])
			in.depth--
			in.layers[in.depth] = nil
			l.Bind(l.bindings)
			return
		}
	}
}

// Sample takes a value of a key, as soon as its device says it: any number a
// frame. The event tells how it was understood; it is the zero Event where k is
// NoKey or no key at all. Values beyond ±10⁶ are cut, and what is no number is 0.
func (in *Input) Sample(k Key, value float64) Event { return in.devices.sample(k, value) }

// Release lets go of every key, as when the window loses the keyboard. What
// toggles hold stays held.
func (in *Input) Release() { in.devices.release() }

// EndToggle lets go, in the next Frame, of what toggles hold of an action: sprinting
// ends when the character stops. What a key holds stays held.
func (in *Input) EndToggle(a Action) {
	if int(a) >= MaxNames {
		return
	}
	for _, l := range in.layers[:in.depth] {
		l.ending |= 1 << a
	}
}

// Key is what one key has done since the last frame.
func (in *Input) Key(k Key) KeyState {
	if int(k) >= KeyCount {
		return KeyState{}
	}
	return in.devices.keys[k]
}

// Frame processes what came since the last frame, which lasted so many seconds:
// once a frame, before the game asks (INP-03). Paused is passed to the listeners.
// It fails with ErrReentered, and does nothing, where a listener calls it.
func (in *Input) Frame(seconds float64, paused bool) error {
	if in.running {
		return ErrReentered
	}
	in.running = true
	defer in.finish()
	in.moment = Moment{Paused: paused}
	if seconds > 0 {
		in.moment.Seconds = min(seconds, MaxFrameSeconds)
	}
	in.calls, in.moves = in.calls[:0], in.moves[:0]
	var taken keySet
	for i := in.depth - 1; i >= 0; i-- {
		in.layers[i].walk(in, &taken)
	}
	in.merge(in.layers[:in.depth])
	in.devices.settle()
	for i := range in.calls {
		c := in.calls[i]
		c.listener.Act(Action(c.id), c.edge, in.moment)
	}
	for i := range in.moves {
		m := in.moves[i]
		m.listener.Move(Axis(m.id), m.value, in.moment)
	}
	return nil
}

func (in *Input) finish() { in.running = false }

// merge makes of what the layers gave what Axis and the like answer.
func (in *Input) merge(stack []*Layer) {
	in.pressed, in.released, in.axes = 0, 0, [MaxNames]float64{}
	was := in.lasting
	in.lasting = 0
	for _, l := range stack {
		in.lasting |= l.held
		in.pressed |= l.pressed
		in.released |= l.released
		for i, v := range l.axes {
			in.axes[i] += v
		}
	}
	in.released |= was &^ in.lasting // a layer may have gone with what it held
	in.held = in.lasting | in.pressed
}

// collect notes a call for later, in the order of the events: layers come one
// after the other, so each finds its place among the ones above.
func (in *Input) collect(c call) {
	in.calls = append(in.calls, c)
	for i := len(in.calls) - 1; i > 0 && in.calls[i-1].number > c.number; i-- {
		in.calls[i-1], in.calls[i] = c, in.calls[i-1]
	}
}

// turned is what a term gives its axis: how far it is pushed, or by how many
// radians it turns in this frame.
func (in *Input) turned(t *term, s *Settings, turns bool) float64 {
	switch {
	case t.key.amount():
		return float64(float64(in.devices.keys[t.key].Sum*s.Sensitivity) * t.scale)
	case turns:
		return float64(float64(in.devices.pushed(t)*t.scale) * float64(s.Rate*in.moment.Seconds))
	}
	return float64(in.devices.pushed(t) * t.scale)
}

// Axis is the value of an axis in this frame, all layers together: −1 … 1 from
// one layer, or radians for an axis that turns. An axis beyond the vocabulary is 0.
func (in *Input) Axis(a Axis) float64 {
	if a >= MaxNames {
		return 0
	}
	return in.axes[a]
}

// Held reports whether an action was down at the end of this frame or at any time
// in it: a press shorter than a frame counts.
func (in *Input) Held(a Action) bool { return in.held>>a&1 != 0 }

// Pressed reports whether an action went down in this frame.
func (in *Input) Pressed(a Action) bool { return in.pressed>>a&1 != 0 }

// Released reports whether an action went up in this frame.
func (in *Input) Released(a Action) bool { return in.released>>a&1 != 0 }

// Paused is what the last Frame was told.
func (in *Input) Paused() bool { return in.moment.Paused }

// Look is where a player looks: Yaw about +Y, 0 along −Z; Pitch positive upwards;
// radians.
type Look struct{ Yaw, Pitch float64 }

// MaxPitch is as far up or down as Look turns, in radians: a hair less than
// upright, where there would be no way to face.
const MaxPitch = 1.55

// Turn turns the look by a frame's values of two axes that turn.
func (l *Look) Turn(yaw, pitch float64) {
	if geom.Finite(yaw) && geom.Finite(pitch) {
		l.Yaw = geom.WrapAngle(l.Yaw + yaw)
		l.Pitch = geom.Clamp(l.Pitch+pitch, -MaxPitch, MaxPitch)
	}
}
