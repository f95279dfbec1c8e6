package input

import (
	"errors"

	"github.com/backstep-net/backstep/geom"
)

// ErrReentered is returned by Frame when a listener calls it.
var ErrReentered = errors.New("input: Frame was called from within a frame")

// MaxLayers is the most layers in the stack of one Input.
const MaxLayers = 16

// MaxFrameSeconds is the longest time, in seconds, for which a frame turns the view by sticks and
// keys, so that a freeze does not turn it far.
const MaxFrameSeconds = 0.25

// Input has one player's devices and a stack of layers. Sample and Frame allocate nothing, except
// in a frame with more listener calls than any before.
type Input struct {
	devices devices
	layers  [MaxLayers]*Layer // the last one is on top
	depth   int
	frame   FrameInfo
	running bool

	// Actions of all layers, as bits. Held has those that were on at any time in the frame, so a press
	// shorter than a frame is not lost; heldAtEnd those that still are.
	held, heldAtEnd, pressed, released uint64
	axes                               [MaxNames]float64

	// Calls of listeners in this frame. They are made after all layers are processed, because a
	// listener may push and remove layers.
	calls []actionCall
	moves []axisCall
}

// actionCall is a pending call of Listener.Act.
type actionCall struct {
	listener Listener
	number   uint64 // of the event that caused it
	id       uint8
	edge     Edge
}

// axisCall is a pending call of Listener.Move.
type axisCall struct {
	listener Listener
	value    float64
	id       uint8
}

// New returns an Input with one layer, that of the game.
func New(game *Layer) *Input {
	in := &Input{calls: make([]actionCall, 0, 64), moves: make([]axisCall, 0, 64)}
	in.Push(game)
	return in
}

// Push puts a layer on top of the stack, from the next frame on. It panics if the stack is full or
// has the layer already.
func (in *Input) Push(l *Layer) {
	if in.depth == MaxLayers {
		panic("input: a stack has at most 16 layers")
	}
	for _, other := range in.layers[:in.depth] {
		if other == l {
			panic("input: the layer is in the stack already: Remove it first")
		}
	}
	in.layers[in.depth] = l
	in.depth++
}

// Remove removes a layer from the stack, from the next frame on, and resets its state. It does
// nothing if the stack does not have the layer.
func (in *Input) Remove(l *Layer) {
	for i, other := range in.layers[:in.depth] {
		if other == l {
			copy(in.layers[i:], in.layers[i+1:in.depth])
			in.depth--
			in.layers[in.depth] = nil
			l.Bind(l.bindings) // or a key held now would be held when the layer comes back
			return
		}
	}
}

// Sample adds a value of a key. Call it for every event of a device, any number of times a frame.
// It returns the event after validation, the zero Event if k is no key. Values are clamped to
// ±10⁶; NaN and infinities count as 0.
func (in *Input) Sample(k Key, value float64) Event { return in.devices.sample(k, value) }

// Release releases every key, as when the window loses focus. Toggles keep their state.
func (in *Input) Release() { in.devices.release() }

// EndToggle switches an action off in the next Frame if a toggle holds it: sprinting ends when the
// character stops. Keys that hold the action keep holding it.
func (in *Input) EndToggle(a Action) {
	if int(a) >= MaxNames {
		return
	}
	for _, l := range in.layers[:in.depth] {
		l.ending |= 1 << a
	}
}

// Key returns the state of one key since the last frame.
func (in *Input) Key(k Key) KeyState {
	if int(k) >= KeyCount {
		return KeyState{}
	}
	return in.devices.keys[k]
}

// Frame processes the samples since the last frame. Call it once a frame, before reading axes and
// actions (INP-03). seconds is the duration of the frame; paused is passed to the listeners. A
// call from a listener does nothing and returns ErrReentered.
func (in *Input) Frame(seconds float64, paused bool) error {
	if in.running {
		return ErrReentered
	}
	in.running = true
	defer in.finish()
	in.frame = FrameInfo{Paused: paused}
	if seconds > 0 {
		in.frame.Seconds = min(seconds, MaxFrameSeconds)
	}
	in.calls, in.moves = in.calls[:0], in.moves[:0]
	var taken keySet // from the top of the stack down: upper layers take keys from lower ones
	for i := in.depth - 1; i >= 0; i-- {
		in.layers[i].process(in, &taken)
	}
	in.merge(in.layers[:in.depth])
	in.devices.endFrame()
	for i := range in.calls {
		c := in.calls[i]
		c.listener.Act(Action(c.id), c.edge, in.frame)
	}
	for i := range in.moves {
		m := in.moves[i]
		m.listener.Move(Axis(m.id), m.value, in.frame)
	}
	return nil
}

// finish ends the frame, also when a listener panics, so that the next Frame works.
func (in *Input) finish() { in.running = false }

// merge combines the axes and actions of the layers.
func (in *Input) merge(stack []*Layer) {
	in.pressed, in.released, in.axes = 0, 0, [MaxNames]float64{}
	was := in.heldAtEnd
	in.heldAtEnd = 0
	for _, l := range stack {
		in.heldAtEnd |= l.held
		in.pressed |= l.pressed
		in.released |= l.released
		for i, v := range l.axes {
			in.axes[i] += v
		}
	}
	in.released |= was &^ in.heldAtEnd // a layer may have been removed with actions it held
	in.held = in.heldAtEnd | in.pressed
}

// collect inserts a call in the order of the events. The layers come one after the other, so the
// calls of a layer are merged with those of the layers above.
func (in *Input) collect(c actionCall) {
	in.calls = append(in.calls, c)
	for i := len(in.calls) - 1; i > 0 && in.calls[i-1].number > c.number; i-- {
		in.calls[i-1], in.calls[i] = c, in.calls[i-1]
	}
}

// contribution returns the value that a term adds to its axis: its deflection, or the angle in
// radians by which it turns in this frame. Counts of the mouse are angles already, whatever the
// duration of the frame; a stick and a key turn at a rate.
func (in *Input) contribution(t *term, s *Settings, turns bool) float64 {
	switch {
	case t.key.amount():
		return float64(float64(in.devices.keys[t.key].Sum*s.Sensitivity) * t.scale)
	case turns:
		return float64(float64(in.devices.pushed(t)*t.scale) * float64(s.TurnRate*in.frame.Seconds))
	}
	return float64(in.devices.pushed(t) * t.scale)
}

// Axis returns the value of an axis in this frame, summed over the layers: −1 … 1 from each, or
// radians for an axis that turns. An axis beyond the vocabulary is 0.
func (in *Input) Axis(a Axis) float64 {
	if a >= MaxNames {
		return 0
	}
	return in.axes[a]
}

// Held reports whether an action was on at any time in this frame, so a press shorter than a frame
// counts.
func (in *Input) Held(a Action) bool { return in.held>>a&1 != 0 }

// Pressed reports whether an action went on in this frame.
func (in *Input) Pressed(a Action) bool { return in.pressed>>a&1 != 0 }

// Released reports whether an action went off in this frame.
func (in *Input) Released(a Action) bool { return in.released>>a&1 != 0 }

// Look is a view direction. The zero Look is level, along −Z.
type Look struct {
	// Yaw is the angle about +Y and Pitch the angle above the horizon, in radians. Turn keeps
	// Yaw in −π … π and Pitch in −MaxPitch … MaxPitch.
	Yaw, Pitch float64
}

// MaxPitch is the largest pitch of Look, in radians: slightly less than upright, where the yaw
// would be undefined.
const MaxPitch = 1.55

// Turn adds the values of two axes that turn. It ignores NaN and infinities.
func (l *Look) Turn(yaw, pitch float64) {
	if geom.Finite(yaw) && geom.Finite(pitch) {
		l.Yaw = geom.WrapAngle(l.Yaw + yaw)
		l.Pitch = geom.Clamp(l.Pitch+pitch, -MaxPitch, MaxPitch)
	}
}
