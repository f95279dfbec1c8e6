package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
	mathbits "math/bits"
)

// schedule says which ticks of a match are sent as snapshots; see
// ServerConfig.SnapshotRate. Both ends know it.
type schedule struct{ ticks, snapshots int } // a second

// every reports whether every tick is sent.
func (c schedule) every() bool { return c.ticks == c.snapshots }

// sends reports whether a tick is one of those that are sent.
func (c schedule) sends(tick uint32) bool {
	all, some := uint64(c.ticks), uint64(c.snapshots)
	return all == some || uint64(tick)*some/all != uint64(tick-1)*some/all
}

// before returns the newest tick before one that is sent; 0: none.
func (c schedule) before(tick uint32) uint32 {
	for tick--; tick > 0 && !c.sends(tick); tick-- {
	}
	return tick
}

// at returns the match time of a tick.
func (c schedule) at(tick uint32) clock.Micros { return clock.TickTime(int64(tick), c.ticks) }

// timeline is the current tick of a server's match, and which ticks were sent.
type timeline struct {
	tick    uint32
	now     clock.Micros // match time of tick
	before  clock.Micros // that of the tick that ran before it
	sent    ackCodec     // the ticks that are sent, and the newest that was
	skipped int          // ticks right before that one that should have been sent and were not
}

// Now returns the match time of the last tick.
func (l *timeline) Now() clock.Micros { return l.now }

// TickNumber returns the number of the last tick.
func (l *timeline) TickNumber() uint32 { return l.tick }

// TickRate returns ServerConfig.TickRate, ticks a second.
func (l *timeline) TickRate() int { return l.sent.schedule.ticks }

// Every reports whether a period of match time, above 0, has begun with the last tick: what a game does every second
// or twice a second, at any tick rate and also where ticks were missed.
func (l *timeline) Every(period clock.Micros) bool { return l.now/period != l.before/period }

// advance moves to the last tick that is due at match time now. Missed ticks are skipped, and their moves
// are run in this one.
func (l *timeline) advance(now clock.Micros) {
	tick := uint32(clock.TickAt(now, l.sent.schedule.ticks))
	if tick <= l.tick {
		panic("session: Tick needs a later tick's time")
	}
	l.tick, l.now, l.before = tick, l.at(tick), l.now
}

// sends reports whether a tick is one of those that are sent.
func (l *timeline) sends(tick uint32) bool { return l.sent.schedule.sends(tick) }

// at returns the match time of a tick.
func (l *timeline) at(tick uint32) clock.Micros { return l.sent.schedule.at(tick) }

// send records that the current tick is sent, and counts the ticks that should have been sent
// since the last one.
func (l *timeline) send() {
	l.skipped = 0
	if l.sent.newest != 0 {
		for tick := l.tick - 1; tick > l.sent.newest && l.skipped < maxSkipped; tick-- {
			if l.sends(tick) {
				l.skipped++
			}
		}
	}
	l.sent.newest = l.tick
}

// wasSent reports whether a client whose first snapshot was of the tick first was sent all snapshots that
// it claims to have received.
func (l *timeline) wasSent(first uint32, r *track.Received) bool {
	if r.Newest == 0 {
		return true
	}
	if first == 0 || r.Newest < first || r.Newest > l.sent.newest || !l.sends(r.Newest) {
		return false
	}
	before := r.Newest - first
	// A snapshot of before its first one was sent to others only.
	if before < track.ReceivedWindow && r.Mask>>before != 0 {
		return false
	}
	if l.sent.schedule.every() {
		return true
	}
	for mask := r.Mask; mask != 0; mask &= mask - 1 {
		if !l.sends(r.Newest - 1 - uint32(mathbits.TrailingZeros64(mask))) {
			return false
		}
	}
	return true
}
