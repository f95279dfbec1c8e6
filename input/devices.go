package input

import "github.com/backstep-net/backstep/geom"

// Edge classifies a sample against the one before (INP-02).
type Edge uint8

const (
	// Repeat: neither of the others, such as a further sample of a pressed key.
	Repeat Edge = iota
	// Pressed: from 0 to something else.
	Pressed
	// Released: from something else to 0.
	Released
)

// edgeBetween returns the edge from one value to the next.
func edgeBetween(was, is float64) Edge {
	switch {
	case was == 0 && is != 0:
		return Pressed
	case was != 0 && is == 0:
		return Released
	}
	return Repeat
}

// Event is one sample of a key after validation. The zero Event is an ignored sample.
type Event struct {
	Number uint64  // 1 for the first sample of all keys, then up
	Key    Key     // the key that was sampled
	Edge   Edge    // against the sample before
	Value  float64 // −10⁶ … 10⁶
}

// KeyState is the state of one key.
type KeyState struct {
	// Value is the newest sample.
	Value float64
	// Sum and Samples are the sum and the number of the samples since the last
	// frame was processed.
	Sum     float64
	Samples int

	before float64 // Value when the last frame was processed
}

// maxQueue is the most changes of a frame that are applied in order, more than fingers make in a
// second. Of further ones only the last value counts.
const maxQueue = 256

// maxSample bounds the magnitude of a sample: no working mouse moves a million counts.
const maxSample = 1e6

// devices has the state of all keys, and the changes since the last frame in order: a key that went
// down and up between two frames was pressed.
type devices struct {
	keys   [KeyCount]KeyState
	queue  [maxQueue]Event
	queued int    // events in queue
	number uint64 // of the newest sample
}

// sample adds one value of a key. NaN and infinities count as 0.
func (d *devices) sample(k Key, value float64) Event {
	if k == NoKey || int(k) >= KeyCount {
		return Event{}
	}
	if !geom.Finite(value) {
		value = 0
	}
	value = geom.Clamp(value, -maxSample, maxSample)
	s := &d.keys[k]
	d.number++
	// The mouse is not queued: its counts are summed, and their order does not matter.
	e := Event{Number: d.number, Key: k, Edge: edgeBetween(s.Value, value), Value: value}
	if value != s.Value && !k.amount() && d.queued < maxQueue {
		d.queue[d.queued] = e
		d.queued++
	}
	s.Value = value
	s.Sum += value
	s.Samples++
	return e
}

// release releases every key. A window without focus gets no events, so keys would stay pressed.
func (d *devices) release() {
	for k := range d.keys {
		if d.keys[k].Value != 0 {
			d.sample(Key(k), 0)
		}
	}
}

// endFrame resets the sums and the queue.
func (d *devices) endFrame() {
	for k := range d.keys {
		s := &d.keys[k]
		s.Sum, s.Samples, s.before = 0, 0, s.Value
	}
	d.queued = 0
}

// pushed returns the deflection of a term's key, −1 … 1, with its dead zone and curve and
// without its scale. The dead zone of a stick is a circle: it depends on both axes, or a stick that
// points along one would snap to it.
func (d *devices) pushed(t *term) float64 {
	v := geom.Clamp(d.keys[t.key].Value, -1, 1)
	if !t.key.analog() {
		return v
	}
	other := 0.0
	if p := t.key.partner(); p != NoKey {
		other = geom.Clamp(d.keys[p].Value, -1, 1)
	}
	return float64(v * shape(geom.V(v, other, 0).Len(), t.deadzone, t.curve))
}

// shape returns the factor on the axes of a stick with a deflection of length: 0 inside the dead
// zone. Outside it the remaining range is mapped to 0 … 1 by the curve (1−c)·x + c·x³. In the
// corners of square sticks the length counts as 1.
func shape(length, deadzone, curve float64) float64 {
	if length <= deadzone {
		return 0
	}
	x := min((length-deadzone)/(1-deadzone), 1)
	cubic := float64(x * float64(x*x))
	return (float64((1-curve)*x) + float64(curve*cubic)) / length
}
