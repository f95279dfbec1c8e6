package input

import "math/bits"

// FrameInfo has the arguments of a frame, for listeners.
type FrameInfo struct {
	// Seconds is the duration of the frame, 0 … MaxFrameSeconds.
	Seconds float64
	// Paused is the argument of Frame: a menu goes on, a game does nothing.
	Paused bool
}

// Listener receives the axes and actions of a layer, for games that prefer callbacks to polling.
// It may push and remove layers and sample keys, which takes effect in the next frame.
type Listener interface {
	// Act is called for each press and release of an action, over all layers in the order in
	// which they happened.
	Act(a Action, e Edge, m FrameInfo)
	// Move is called after that in every frame, for each axis that the layer's bindings feed,
	// in order of their numbers. At 0 it should do nothing (INP-04).
	Move(a Axis, value float64, m FrameInfo)
}

// Layer is a set of bindings in the stack, with the state of its axes and actions. A Layer belongs
// to one Input at a time.
type Layer struct {
	// Opaque consumes every key, bound or not: the layers below receive none.
	Opaque bool
	// PassThrough lets the layers below receive the keys that it binds.
	PassThrough bool

	listener  Listener
	bindings  *Bindings
	available keySet // keys that it received in the last frame

	// Of each term of an action: whether it is pressed, and whether it was pressed before the
	// layer received its key, so that it counts only after a release.
	down, muted [maxTerms]bool

	// An action is held while any of its keys is, so pressed terms are counted: releasing one of two
	// keys for the same action must not end it.
	heldTerms               [MaxNames]uint16 // pressed terms, by action
	latched                 uint64           // actions that toggles hold, as bits
	ending                  uint64           // of those, the ones that the next frame switches off
	held, pressed, released uint64           // actions of this frame, as bits
	axes                    [MaxNames]float64
}

// NewLayer returns a layer of bindings. The listener may be nil.
func NewLayer(b *Bindings, l Listener) *Layer { return &Layer{bindings: b, listener: l} }

// Bind replaces the bindings by others of the same vocabulary. Pressed keys count only after a
// release; toggles are switched off.
func (l *Layer) Bind(b *Bindings) {
	*l = Layer{Opaque: l.Opaque, PassThrough: l.PassThrough, listener: l.listener, bindings: b}
}

// Bindings returns the bindings of the layer.
func (l *Layer) Bindings() *Bindings { return l.bindings }

// process computes the frame for this layer, which does not receive the keys in taken, and adds
// the keys that it consumes to taken. A layer consumes the keys that it binds whether they are
// pressed or not: a key that is pressed later in the frame belongs to it too.
func (l *Layer) process(in *Input, taken *keySet) {
	l.pressed, l.released = 0, 0
	l.endToggles(in)
	l.computeAxes(in, taken)
	l.updateReceived(in, taken)
	l.applyEvents(in, taken)
	l.available = l.bindings.keys
	for i := range l.available {
		l.available[i] &^= taken[i]
	}
	if l.Opaque {
		*taken = every()
	} else if !l.PassThrough {
		taken.addAll(&l.bindings.keys)
	}
}

// endToggles switches off the actions of EndToggle that toggles hold.
func (l *Layer) endToggles(in *Input) {
	ending := l.ending & l.latched
	l.ending = 0
	l.latched &^= ending
	for ; ending != 0; ending &= ending - 1 {
		l.updateAction(in, uint8(bits.TrailingZeros64(ending)), true, 0)
	}
}

// computeAxes computes the axes. The two directions of an axis are collected apart, so that two keys
// for one direction give no more than one and opposite keys cancel out. Angles add up instead:
// the mouse and a stick turn the view together.
func (l *Layer) computeAxes(in *Input, taken *keySet) {
	b := l.bindings
	var up, down [MaxNames]float64
	for i := range b.axes {
		t := &b.axes[i]
		if taken.has(t.key) {
			continue
		}
		turns := b.vocabulary.Axes[t.to].Turns
		v := in.contribution(t, &b.Settings, turns)
		switch {
		case turns:
			up[t.to] += v
		case v > 0:
			up[t.to] = max(up[t.to], min(v, 1))
		default:
			down[t.to] = max(down[t.to], min(-v, 1))
		}
	}
	for i := range b.vocabulary.Axes {
		l.axes[i] = up[i] - down[i] // of an axis that turns, down is 0
		if b.bound[i] && l.listener != nil {
			in.moves = append(in.moves, axisCall{l.listener, l.axes[i], uint8(i)})
		}
	}
}

// updateReceived begins the frame for the actions. Keys that the layer no longer receives are
// released, and keys that it receives again are muted while they are pressed: the key that
// closed a menu must not fire.
func (l *Layer) updateReceived(in *Input, taken *keySet) {
	b := l.bindings
	for i := range b.actions {
		t := &b.actions[i]
		switch {
		case taken.has(t.key):
			l.muted[i] = false
			l.update(in, i, 0, 0)
		case !l.available.has(t.key):
			l.muted[i] = t.on(in.devices.keys[t.key].before, false)
		}
	}
}

// applyEvents applies the events of the keys in order, and then their current values, which
// differ only where the queue was full: a key must not stay pressed because its release did not
// fit.
func (l *Layer) applyEvents(in *Input, taken *keySet) {
	b, d := l.bindings, &in.devices
	for i := range d.queued {
		e := &d.queue[i]
		if taken.has(e.Key) {
			continue
		}
		for at := b.first[e.Key]; at < b.first[e.Key+1]; at++ {
			l.update(in, int(at), e.Value, e.Number)
		}
	}
	for i := range b.actions {
		if k := b.actions[i].key; !taken.has(k) {
			l.update(in, i, d.keys[k].Value, d.number)
		}
	}
}

// update applies a value of its key to a term of an action.
func (l *Layer) update(in *Input, i int, value float64, number uint64) {
	t := &l.bindings.actions[i]
	// A muted key counts as pressed here, or a trigger that is let go slowly would be released
	// at the threshold of a press and pressed again.
	on := t.on(value, l.down[i] || l.muted[i])
	switch {
	case l.muted[i]:
		l.muted[i] = on
		return
	case on == l.down[i]:
		return
	}
	l.down[i] = on
	bit := uint64(1) << t.to
	was := l.heldTerms[t.to] > 0 || l.latched&bit != 0
	switch {
	case t.toggle && on:
		l.latched ^= bit
	case t.toggle: // a toggle ignores the release
	case on:
		l.heldTerms[t.to]++
	default:
		l.heldTerms[t.to]--
	}
	l.updateAction(in, t.to, was, number)
}

// updateAction notes whether an action changed, given whether it was held before. An action that
// goes on and off within one frame is both pressed and released in it.
func (l *Layer) updateAction(in *Input, action uint8, was bool, number uint64) {
	bit := uint64(1) << action
	is := l.heldTerms[action] > 0 || l.latched&bit != 0
	if is == was {
		return
	}
	edge := Pressed
	if is {
		l.pressed |= bit
		l.held |= bit
	} else {
		edge = Released
		l.released |= bit
		l.held &^= bit
	}
	if l.listener != nil {
		in.collect(actionCall{listener: l.listener, number: number, id: action, edge: edge})
	}
}
