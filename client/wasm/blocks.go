package main

import "math"

// The memory blocks that the page reads and writes. They are global arrays, so they never
// move.
var (
	inboxBlock  [InboxBytes]byte
	outboxBlock block
	eventBlock  block
	inputBlock  [InputLength]float64
	sampleBlock [SampleLength]float64
	stateBlock  [StateLength]float64
	poseBlock   [PoseLength]float64
)

// block is a buffer of records that is emptied each frame.
type block struct {
	bytes   [max(OutboxBytes, EventBytes)]byte
	used    int
	records int
	dropped int // records that did not fit, in total
}

func (b *block) reset() { b.used, b.records = 0, 0 }

// packet adds a packet with its header. A packet that does not fit is dropped.
func (b *block) packet(channel byte, body []byte) {
	if b.used+OutboxHeader+len(body) > OutboxBytes || len(body) > math.MaxUint16 {
		b.dropped++
		return
	}
	b.header(len(body), channel)
	b.used += copy(b.bytes[b.used:], body)
}

func (b *block) header(length int, kind byte) {
	at := b.used
	b.bytes[at], b.bytes[at+1] = byte(length), byte(length>>8)
	b.bytes[at+2], b.bytes[at+3] = kind, 0
	b.used += OutboxHeader
	b.records++
}

// maxEvent bounds the length of an event: a string and some numbers, four short strings and
// more numbers, eight weapons, or sixteen pellets.
const maxEvent = 1 + 255 + 48

// event begins an event and returns the writer of its body; end must follow.
func (b *block) event(kind byte) body {
	if b.used+EventHeader+maxEvent > EventBytes {
		b.dropped++
		return body{kind: kind}
	}
	return body{block: b, at: b.used + EventHeader, from: b.used, kind: kind}
}

// body writes the fields of one event; without room it writes nothing.
type body struct {
	block *block
	from  int
	at    int
	kind  byte
}

func (w body) u8(v uint8) body {
	if w.block != nil {
		w.block.bytes[w.at] = v
		w.at++
	}
	return w
}

func (w body) flag(v bool) body {
	if v {
		return w.u8(1)
	}
	return w.u8(0)
}

func (w body) u16(v uint16) body { return w.u8(uint8(v)).u8(uint8(v >> 8)) }

func (w body) u32(v uint32) body { return w.u16(uint16(v)).u16(uint16(v >> 16)) }

func (w body) f32(v float64) body { return w.u32(math.Float32bits(float32(v))) }

// text writes at most 255 bytes of s.
func (w body) text(s string) body {
	s = s[:min(len(s), 255)]
	w = w.u8(uint8(len(s)))
	for i := range len(s) {
		w = w.u8(s[i])
	}
	return w
}

// end adds the event to its block.
func (w body) end() {
	if w.block != nil {
		w.block.header(w.at-w.from-EventHeader, w.kind)
		w.block.used = w.at
	}
}
