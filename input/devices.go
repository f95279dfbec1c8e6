package input

import "github.com/backstep-net/backstep/geom"

// Edge is what a sample means against the one before (INP-02).
type Edge uint8

const (
	// Repeat: neither of the others; also a further press of what is down.
	Repeat Edge = iota
	// Pressed: from 0 to something else.
	Pressed
	// Released: from something else to 0.
	Released
)

// Classify names the edge from one value to the next.
func Classify(was, is float64) Edge {
	switch {
	case was == 0 && is != 0:
		return Pressed
	case was != 0 && is == 0:
		return Released
	}
	return Repeat
}

// Event is one sample of a key as it was understood.
type Event struct {
	Number uint64 // 1 for the first sample of all keys, then up
	Key    Key
	Edge   Edge
	Value  float64
}

// KeyState is what one key has done.
type KeyState struct {
	// Value is the newest sample.
	Value float64
	// Sum and Samples are the sum and the number of the samples since the last
	// frame was processed.
	Sum     float64
	Samples int

	before float64 // Value when the last frame was processed
}

// maxQueue bounds the changes of one frame whose order is remembered: more than
// fingers do in a second. Of further ones only the last value counts.
const maxQueue = 256

// most bounds a sample: a mouse that moves a million counts is broken.
const most = 1e6

// devices are all keys, and the changes since the last frame in their order.
type devices struct {
	keys   [KeyCount]KeyState
	queue  [maxQueue]Event
	queued int
	number uint64
}

// sample takes one value of a key. What is no number counts as 0.
func (d *devices) sample(k Key, value float64) Event {
	if k == NoKey || int(k) >= KeyCount {
		return Event{}
	}
	if !geom.Finite(value) {
		value = 0
	}
	value = geom.Clamp(value, -most, most)
	s := &d.keys[k]
	d.number++
	e := Event{Number: d.number, Key: k, Edge: Classify(s.Value, value), Value: value}
	if value != s.Value && !k.amount() && d.queued < maxQueue {
		d.queue[d.queued] = e
		d.queued++
	}
	s.Value = value
	s.Sum += value
	s.Samples++
	return e
}

// release lets go of every key.
func (d *devices) release() {
	for k := range d.keys {
		if d.keys[k].Value != 0 {
			d.sample(Key(k), 0)
		}
	}
}

// settle ends a frame: sums and queue begin anew.
func (d *devices) settle() {
	for k := range d.keys {
		s := &d.keys[k]
		s.Sum, s.Samples, s.before = 0, 0, s.Value
	}
	d.queued = 0
}

// pushed is how far a term's key is pushed, −1 … 1, its dead zone and curve
// applied, its scale not.
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

// shape is by what a stick's axes must be multiplied where it is pushed by length:
// 0 inside the dead zone, and from its rim to the end of the way 0 … 1 again, bent
// by the curve (1−c)·x + c·x³. Beyond the rim of the stick, in the corners that
// some have, the length counts as 1.
func shape(length, deadzone, curve float64) float64 {
	if length <= deadzone {
		return 0
	}
	x := min((length-deadzone)/(1-deadzone), 1)
	cubic := float64(x * float64(x*x))
	return (float64((1-curve)*x) + float64(curve*cubic)) / length
}
