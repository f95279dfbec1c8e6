package input

import "math/bits"

// Moment is what a frame was processed with, for listeners.
type Moment struct {
	// Seconds is how long the frame lasted, 0 … 0.25.
	Seconds float64
	// Paused is passed through from Frame: a menu goes on, a game does nothing.
	Paused bool
}

// Listener is told what a layer's bindings gave in a frame; for games that would
// rather be called than ask. It may push and remove layers and sample keys: that
// is for the next frame.
type Listener interface {
	// Act is called for each press and release of an action, of all layers in the
	// order in which they happened.
	Act(a Action, e Edge, m Moment)
	// Move is called after that for each axis that the layer's bindings feed, by
	// number, in every frame: with 0 where nothing moves it, and then it should do
	// nothing (INP-04).
	Move(a Axis, value float64, m Moment)
}

// Layer is a set of bindings in the stack, and what they have given. A Layer
// belongs to one Input at a time.
type Layer struct {
	// Opaque takes every key, bound or not: nothing below hears anything.
	Opaque bool
	// Shares leaves the keys that it binds to the layers below as well.
	Shares bool

	listener Listener
	bindings *Bindings
	seen     keySet // keys that it heard in the last frame

	// Of each term of an action: whether it is down, and whether it was down before
	// the layer heard it first, so that letting go comes before it counts.
	down, blind [maxTerms]bool

	holds                   [MaxNames]uint16 // terms that are down, by action
	latched                 uint64           // actions that toggles hold, as bits
	ending                  uint64           // of those, the ones that the next frame lets go of
	held, pressed, released uint64           // actions of this frame, as bits
	axes                    [MaxNames]float64
}

// NewLayer makes a layer of bindings; the listener may be nil.
func NewLayer(b *Bindings, l Listener) *Layer { return &Layer{bindings: b, listener: l} }

// Bind gives the layer other bindings of the same vocabulary. Keys that are down
// press nothing until they are let go of; what toggles held is let go of.
func (l *Layer) Bind(b *Bindings) {
	*l = Layer{Opaque: l.Opaque, Shares: l.Shares, listener: l.listener, bindings: b}
}

// Bindings are those that the layer has.
func (l *Layer) Bindings() *Bindings { return l.bindings }

// walk computes the frame for this layer, which does not hear the keys in taken,
// and adds those that it takes itself.
func (l *Layer) walk(in *Input, taken *keySet) {
	l.pressed, l.released = 0, 0
	l.endToggles(in)
	l.measure(in, taken)
	l.listen(in, taken)
	l.replay(in, taken)
	l.seen = l.bindings.keys
	for i := range l.seen {
		l.seen[i] &^= taken[i]
	}
	if l.Opaque {
		*taken = every()
	} else if !l.Shares {
		taken.addAll(&l.bindings.keys)
	}
}

// endToggles lets go of what toggles hold of the actions of EndToggle.
func (l *Layer) endToggles(in *Input) {
	ending := l.ending & l.latched
	l.ending = 0
	l.latched &^= ending
	for ; ending != 0; ending &= ending - 1 {
		l.settle(in, uint8(bits.TrailingZeros64(ending)), true, 0)
	}
}

// measure computes every axis.
func (l *Layer) measure(in *Input, taken *keySet) {
	b := l.bindings
	var up, down [MaxNames]float64
	for i := range b.axes {
		t := &b.axes[i]
		if taken.has(t.key) {
			continue
		}
		turns := b.vocabulary.Axes[t.to].Turns
		v := in.turned(t, &b.Settings, turns)
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
		l.axes[i] = up[i] - down[i]
		if b.bound[i] && l.listener != nil {
			in.moves = append(in.moves, move{l.listener, l.axes[i], uint8(i)})
		}
	}
}

// listen begins the frame for the actions: keys that are no longer heard are up,
// and those that are heard anew are blind while they are down.
func (l *Layer) listen(in *Input, taken *keySet) {
	b := l.bindings
	for i := range b.actions {
		t := &b.actions[i]
		switch {
		case taken.has(t.key):
			l.blind[i] = false
			l.update(in, i, 0, 0)
		case !l.seen.has(t.key):
			l.blind[i] = t.on(in.devices.keys[t.key].before, false)
		}
	}
}

// replay runs what the keys did in this frame, in order, and then what they are:
// the same, unless there was more than the queue holds.
func (l *Layer) replay(in *Input, taken *keySet) {
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

// update tells a term of an action the value of its key.
func (l *Layer) update(in *Input, i int, value float64, number uint64) {
	t := &l.bindings.actions[i]
	on := t.on(value, l.down[i] || l.blind[i])
	switch {
	case l.blind[i]:
		l.blind[i] = on
		return
	case on == l.down[i]:
		return
	}
	l.down[i] = on
	bit := uint64(1) << t.to
	was := l.holds[t.to] > 0 || l.latched&bit != 0
	switch {
	case t.toggle && on:
		l.latched ^= bit
	case t.toggle:
	case on:
		l.holds[t.to]++
	default:
		l.holds[t.to]--
	}
	l.settle(in, t.to, was, number)
}

// settle says what an action has become that was held or not.
func (l *Layer) settle(in *Input, action uint8, was bool, number uint64) {
	bit := uint64(1) << action
	is := l.holds[action] > 0 || l.latched&bit != 0
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
		in.collect(call{listener: l.listener, number: number, id: action, edge: edge})
	}
}
