// Package mem implements the transport inside one process: a seeded bad network in virtual time for
// deterministic experiments, and pairs of connections in real time for bots and tests.
// Start at [Link] for the first, which is one direction and needs no goroutine, at [Pipe]
// for the second, and at [Degrade] to simulate a bad network on a real connection.
package mem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Network describes one direction; see "What each key means" of the scenario files. The
// zero Network delivers everything at once.
type Network struct {
	// RTT is the round trip; a packet's delay is half of it plus jitter.
	RTT time.Duration
	// Jitter is the upper bound of the uniform extra delay of every packet, so packets
	// overtake each other.
	Jitter time.Duration
	// Loss is the probability, 0 … 1, that a packet is lost on its own.
	Loss float64
	// Burst loses packets in runs.
	Burst Burst
	// Duplicate is the probability of a second copy with its own delay.
	Duplicate float64
	// Reorder is the probability of 20 ms more.
	Reorder float64
	// Rate is in bits of payload per second. Packets that meet a full queue are lost. Zero is
	// unlimited.
	Rate int
	// Queue is how long a packet waits for a limited rate at most, up to a minute. Zero means 100 ms.
	Queue time.Duration
}

// Burst is the two-state Gilbert-Elliott model with total loss in its bad state. It begins
// in the good state. The zero Burst stays good.
type Burst struct {
	// Enter and Leave are the probabilities, 0 … 1, that the state changes before a packet: from
	// good to bad and back. The mean length of a run of losses is 1/Leave packets.
	Enter, Leave float64
}

// Parameters of the model that no key sets.
const (
	// reorderBy is the extra delay of a reordered packet.
	reorderBy = 20 * time.Millisecond
	// queueFor is the length of the queue before a limited rate, unless a Network has its own.
	queueFor = 100 * time.Millisecond
	// segment is the payload of one packet of a stream, in bytes.
	segment = 1200
)

// Check returns what is out of range, nil if nothing is.
func (n Network) Check() error {
	for _, p := range []struct {
		name  string
		value float64
	}{
		{"loss", n.Loss}, {"burst.enter", n.Burst.Enter}, {"burst.leave", n.Burst.Leave},
		{"duplicate", n.Duplicate}, {"reorder", n.Reorder},
	} {
		if !(p.value >= 0 && p.value <= 1) {
			return fmt.Errorf("mem: %s is %v, not between 0 and 1", p.name, p.value)
		}
	}
	switch {
	case n.RTT < 0 || n.RTT > time.Minute:
		return fmt.Errorf("mem: rtt is %v, not between 0 and 1 minute", n.RTT)
	case n.Jitter < 0 || n.Jitter > time.Minute:
		return fmt.Errorf("mem: jitter is %v, not between 0 and 1 minute", n.Jitter)
	case n.Queue < 0 || n.Queue > time.Minute:
		return fmt.Errorf("mem: queue is %v, not between 0 and 1 minute", n.Queue)
	case n.Rate < 0:
		return fmt.Errorf("mem: rate is %d, not 0 or more", n.Rate)
	}
	return nil
}

// queue returns how long a packet waits for a limited rate at most.
func (n *Network) queue() time.Duration {
	if n.Queue == 0 {
		return queueFor
	}
	return n.Queue
}

// impairment draws the loss and delay of packets. Every packet takes the same number of
// draws whatever the network, so changing one key leaves the draws of the others as they
// were.
type impairment struct {
	rng *rand.Rand
	bad bool // state of the burst model
}

// fate is what happens to one packet.
type fate struct {
	lost        bool
	delay       time.Duration // beyond rtt/2
	twice       bool
	secondDelay time.Duration
}

// draw returns one packet's fate. It takes seven draws.
func (w *impairment) draw(n Network) fate {
	turn, lost := w.rng.Float64(), w.rng.Float64()
	jitter, late := w.rng.Float64(), w.rng.Float64()
	twice, jitter2, late2 := w.rng.Float64(), w.rng.Float64(), w.rng.Float64()
	if w.bad {
		w.bad = turn >= n.Burst.Leave
	} else {
		w.bad = turn < n.Burst.Enter
	}
	return fate{
		lost:        w.bad || lost < n.Loss,
		delay:       extraDelay(n, jitter, late),
		twice:       twice < n.Duplicate,
		secondDelay: extraDelay(n, jitter2, late2),
	}
}

// extraDelay returns a packet's delay beyond half the round trip.
func extraDelay(n Network, jitter, late float64) time.Duration {
	d := time.Duration(math.Floor(float64(jitter * float64(n.Jitter))))
	if late < n.Reorder {
		d += reorderBy
	}
	return d
}

// transmitTime returns how long n bytes take at a rate, zero when it is unlimited.
func transmitTime(n, rate int) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Duration(int64(n) * 8 * int64(time.Second) / int64(rate))
}
