package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// uplink is a client's record of its own packets: when they were sent, which arrived, and what they
// acknowledged.
type uplink struct {
	sent    sendTimes // of the datagrams
	ackTick uint32    // tick of the newest datagram that acknowledged any of them
	loss    worstLoss
	acked   uint32 // newest snapshot that was acknowledged
	acks    int    // acknowledgements of something new
	delay   delayRequest
	optOut  optOut
}

// Which of the datagrams that acknowledge something new also have its delay: the first ones, so that
// the server soon knows the link, then one in four.
const (
	delaysAtFirst = 16
	delaysEvery   = 4
)

// acknowledge puts the received snapshots into a header. The newest arrived at local time newestAt.
func (u *uplink) acknowledge(h *clientHeader, received track.Received, local, newestAt clock.Micros) {
	h.received = received
	if received.Newest == u.acked {
		return
	}
	u.acked = received.Newest
	if u.acks < delaysAtFirst || u.acks%delaysEvery == 0 {
		h.ackDelay = local - newestAt
	}
	u.acks++
}

// clientClock is a client's estimate of match time.
type clientClock struct {
	clock.Sync
	syncedAt clock.Micros // local time of the first frame with an estimate; 0: none yet
	drift    clock.DriftNotice
	newestAt clock.Micros // local arrival of the newest snapshot
}

// How certain the clock must be before commands begin, and how long to wait for that: an answer that a
// stalled link held for seconds would make the clock run ahead.
const (
	certainEnough = 150 * clock.Millisecond // a round trip of 300 ms
	maxDoubtTime  = clock.Second
)

// certain reports whether the clock is accurate enough for commands to begin, or the wait is over.
func (c *clientClock) certain(local clock.Micros) bool {
	if !c.Synced() {
		return false
	}
	if c.syncedAt == 0 {
		// Local time may begin at 0, which means none yet.
		c.syncedAt = max(local, 1)
	}
	return c.Uncertainty(local) <= certainEnough || local-c.syncedAt >= maxDoubtTime
}
