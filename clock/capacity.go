package clock

// Capacity estimates how many bytes a second one direction of a link carries, from the delays of the
// packets that were sent over it. On a link without a bottleneck it finds no limit. The zero
// Capacity is ready to use and has found no limit. It allocates nothing.
//
// A link that gets more than it carries queues it: the least delay of a fifth of a second rises above
// the least of twenty seconds. Then the limit is set below what arrived in that time, so that the queue
// drains. Loss is no sign, since a radio link loses packets without being full. Nor is a delay that sending
// less does not shorten: then the route has changed, or other senders fill the link, and Capacity does not
// give way to them. Without a queue the limit
// grows: slowly near the last limit that was found, fast above, until nothing reaches it.
//
// The least delay in an interval as the measure of a standing queue is CoDel's (RFC 8289), the base delay
// LEDBAT's (RFC 6817), the limit from what arrives while there is a queue BBR's
// (draft-cardwell-iccrg-bbr-congestion-control).
type Capacity struct {
	sent    [capacityRing]capacitySent
	newest  uint32 // that was sent
	arrived uint32 // newest that arrived
	settled uint32 // packets up to here were sent with an earlier limit and are not judged
	base    baseDelay
	spread  Micros // mean deviation of the delays from the least of their window

	window  capacityWindow
	full    int // successive windows with a queue
	limit   int // bytes a second; 0: none found
	before  int // the limit before the newest queue
	ceiling int // what arrived when the limit was found, bytes a second

	draining bool   // there was a queue in every window since the limit was set
	queue    Micros // in the window before; 0: none since the limit was set
	calm     int    // windows without one since then
	stuck    int    // successive windows in which it did not become shorter
}

// capacitySent is one packet that was sent.
type capacitySent struct {
	number uint32
	bytes  int32
	at     Micros
}

// capacityWindow is what is judged at once.
type capacityWindow struct {
	begin, end      Micros // when its first and its newest packet were sent
	firstAt, lastAt Micros // when those arrived
	least           Micros // delay
	packets         int    // that arrived
	bytes           int    // that arrived after the first
	sent            int    // bytes sent after the first
}

// The constants of Capacity.
const (
	capacityRing = 256 // packets that may still arrive: four seconds of 60 a second
	// A window is at least windowTime and windowPackets long, but no longer than windowMost.
	windowTime    = 200 * Millisecond
	windowPackets = 5
	windowMost    = Second
	// queueHigh and queueLow are the delays above the base that count as a queue and as none, more
	// where delays vary.
	queueHigh = 30 * Millisecond
	queueLow  = 15 * Millisecond
	// queueSure is a queue for which one window is enough: after a stall of the link, which is longer, the
	// last packets are hardly late.
	queueSure = 100 * Millisecond
	// fullWindows is how many windows in a row must show a queue: one may be a stall. One is enough where
	// much the same limit was found before.
	fullWindows = 2
	// stuckWindows is how many windows in a row a queue must not become shorter though less is sent.
	stuckWindows = 3
	// calmWindows is how many windows without a queue it takes until the limit grows fast wherever it is.
	calmWindows = 20
	// LeastCapacity is the smallest limit, in bytes a second.
	LeastCapacity = 2000
)

// Limit returns how many bytes a second may be sent so that nothing queues; 0: no limit.
func (c *Capacity) Limit() int { return c.limit }

// Full reports whether the link queues packets, or did in one of its newest windows.
func (c *Capacity) Full() bool { return c.limit > 0 || c.full > 0 }

// Sent records a packet that is sent, of a size in bytes. Numbers ascend, not necessarily by one.
func (c *Capacity) Sent(number uint32, at Micros, bytes int) {
	c.newest = number
	c.sent[number%capacityRing] = capacitySent{number, int32(bytes), at}
}

// Arrived records when a packet arrived, by a clock that differs from that of Sent by a constant or
// changes slowly against it. Packets that are overtaken count as lost.
func (c *Capacity) Arrived(number uint32, at Micros) {
	p := &c.sent[number%capacityRing]
	if p.number != number || number <= c.arrived {
		return
	}
	delay := at - p.at
	if c.ceiling > 0 { // less its own transmission time, which depends on its size
		delay -= Micros(int64(p.bytes) * int64(Second) / int64(c.ceiling))
	}
	sent := 0
	for n := max(c.arrived+1, number-min(number, capacityRing-1)); n <= number; n++ {
		if q := &c.sent[n%capacityRing]; q.number == n {
			sent += int(q.bytes)
		}
	}
	c.arrived = number
	base := c.base.note(at, delay)
	if number <= c.settled {
		return
	}
	c.window.add(p, at, delay, sent)
	c.spread += (min(delay-c.window.least, 3*queueHigh) - c.spread) / 64
	if c.window.complete() {
		c.judge(base)
		c.window = capacityWindow{}
	}
}

// add records a packet that arrived, one of those of so many bytes that were sent since the last.
func (w *capacityWindow) add(p *capacitySent, at, delay Micros, sent int) {
	if w.packets > 0 && p.at-w.end > windowMost {
		*w = capacityWindow{} // after an outage
	}
	w.end, w.lastAt = p.at, at
	if w.packets++; w.packets == 1 {
		w.begin, w.firstAt, w.least = p.at, at, delay
		return
	}
	w.least = min(w.least, delay)
	w.bytes += int(p.bytes)
	w.sent += sent
}

// complete reports whether there is enough to judge.
func (w *capacityWindow) complete() bool {
	long := w.end - w.begin
	return long >= windowTime && w.packets >= windowPackets || long >= windowMost && w.packets > 1
}

// delivered returns what arrived, in bytes a second.
func (w *capacityWindow) delivered() int { return rate(w.bytes, w.lastAt-w.firstAt) }

// rate returns bytes per time in bytes a second.
func rate(bytes int, in Micros) int {
	return int(int64(bytes) * int64(Second) / int64(max(in, Millisecond)))
}

// judge adapts the limit to a window.
func (c *Capacity) judge(base Micros) {
	queue := c.window.least - base
	switch {
	case queue < queueLow+c.spread:
		c.full, c.draining, c.stuck = 0, false, 0
		if c.limit > 0 {
			c.grow()
		}
	case queue < queueHigh+2*c.spread:
		c.full = 0
	case c.draining:
		c.watch(queue)
	default:
		c.full++
		if known := c.limit > 0 && c.window.delivered()*4 > c.ceiling*3; known || c.full >= fullWindows || queue > queueSure {
			c.before = c.limit
			c.cut(queue)
		}
	}
}

// watch checks that a queue drains after the limit was lowered.
func (c *Capacity) watch(queue Micros) {
	w := &c.window
	sent, was := rate(w.sent, w.end-w.begin), c.queue
	if c.queue = queue; was == 0 {
		return // the first window since less was sent
	}
	drained := Micros(int64(w.end-w.begin) * int64(c.ceiling-sent) / int64(c.ceiling)) // if it is this sender's alone
	switch {
	case was-queue > drained/4 && drained > 0:
		c.stuck = 0
	case sent*10 > c.ceiling*9: // not less was sent, or the link carries less than before
		c.cut(queue)
	default:
		if c.stuck++; c.stuck >= stuckWindows {
			c.base.reset(w.least)
			c.limit, c.full, c.draining, c.stuck = c.before, 0, false, 0
		}
	}
}

// cut sets the limit below what arrived, by more the longer the queue: it is to drain within a second.
func (c *Capacity) cut(queue Micros) {
	c.ceiling = max(c.window.delivered(), LeastCapacity)
	share := max(900-int(queue/(1*Millisecond)), 400) // in thousandths
	c.limit = max(c.ceiling*share/1000, LeastCapacity)
	c.draining, c.queue, c.calm, c.settled = true, 0, 0, c.newest
}

// grow raises the limit, and removes it if much less is sent.
func (c *Capacity) grow() {
	w := &c.window
	wanted := rate(w.sent, w.end-w.begin)
	c.calm++
	switch {
	case c.limit > 2*wanted && c.limit > c.ceiling:
		c.limit, c.ceiling = 0, 0
		c.base.filled = 0 // its delays were without transmission times
	case c.limit*10 < c.ceiling*9:
		c.limit = c.ceiling*9/10 + 1
	case c.limit*10 < c.ceiling*11 && c.calm < calmWindows:
		c.limit += c.limit/50 + 1
	default:
		c.limit += c.limit / 8
	}
}

// The window of baseDelay.
const (
	baseBin  = 2500 * Millisecond
	baseBins = 8
)

// baseDelay is the least delay of the last 20 s.
type baseDelay struct {
	bins   [baseBins]Micros // the least of each
	bin    Micros           // the newest
	filled int              // bins
}

// note records a delay and returns the least.
func (b *baseDelay) note(at, delay Micros) Micros {
	n := at / baseBin
	switch {
	case b.filled == 0:
		b.reset(delay)
		b.bin = n
	case n > b.bin:
		b.bin = n
		copy(b.bins[1:], b.bins[:baseBins-1])
		b.bins[0] = delay
		b.filled = min(b.filled+1, baseBins)
	}
	b.bins[0] = min(b.bins[0], delay)
	least := b.bins[0]
	for _, d := range b.bins[1:b.filled] {
		least = min(least, d)
	}
	return least
}

// reset forgets all but one delay.
func (b *baseDelay) reset(delay Micros) { b.bins[0], b.filled = delay, 1 }
