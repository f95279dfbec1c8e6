package session

import "github.com/backstep-net/backstep/clock"

// How much a server takes from one peer [GAP-19, THR-11]. Moves have limits of
// their own beside these: predict.Limits.
const (
	datagramRate  = 500  // datagrams a second,
	datagramBurst = 1000 // and at once: what a network held for 5 s, and more
	streamRate    = 100  // stream messages of all kinds a second,
	streamBurst   = 400  // and at once
	messageRate   = 30   // the game's among those a second,
	messageBurst  = 120  // and at once
	byteRate      = 16 << 10
	byteBurst     = 64 << 10 // bytes of those a second, and at once
	debugRate     = 10       // requests for a ShotDebug a second,
	debugBurst    = 40       // and at once
	maxFaults     = 200      // bad datagrams before the peer is kicked
)

// maxEvents is how many events wait until Client.Events is called; further ones are dropped and
// counted.
const maxEvents = 1024

// receiveLimits are the limits of what one connection may send.
type receiveLimits struct {
	faults    int       // bad datagrams so far
	datagrams allowance // probes too
	stream    allowance // messages of all kinds
	messages  allowance
	bytes     allowance // of messages
	delays    allowance // changes of the input delay
	debugs    allowance // requests for a ShotDebug
	optOuts   allowance // of lag compensation
}

// allowance is a token bucket that fills with time. The zero allowance is full.
type allowance struct {
	until clock.Micros // when it is full again
}

// take spends n of a budget of rate a second and at most burst at once, at match
// time now. It reports false, and spends nothing, where that is more than is left.
func (a *allowance) take(now clock.Micros, n, rate, burst int) bool {
	cost := clock.Micros(n) * clock.Second / clock.Micros(rate)
	until := max(a.until, now) + cost
	if until-now > clock.Micros(burst)*clock.Second/clock.Micros(rate) {
		return false
	}
	a.until = until
	return true
}
