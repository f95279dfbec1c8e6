package clock

// Quality rates a connection in 0 … 4 bars.
type Quality uint8

// The qualities, with what a player notices.
const (
	Bad  Quality = iota // 0 bars: the view and the input are seconds late or lost
	Poor                // 1: moves are corrected and other characters stop
	Fair                // 2: noticeable in close fights
	Good                // 3: noticeable only when looked for
	Fine                // 4: like a local game
)

// qualityLimits has the largest values of a connection for each number of bars.
//
//	bars   RTT      jitter   loss   where the figure comes from
//	4      60 ms    10 ms     1 %   the view delay stays below 100 ms; a lost move is sent twice more
//	3     120 ms    20 ms     3 %   rewinding covers it within half its limit
//	2     200 ms    40 ms     5 %   LAG-02's threshold, up to which shots are rewound; at 5 % the default redundancy is still enough
//	1     400 ms    80 ms    20 %   above 20 % a packet has too little room for the redundancy that is needed
var qualityLimits = [...]struct {
	bars        Quality
	rtt, jitter Micros
	loss        float64
}{
	{Fine, 60 * Millisecond, 10 * Millisecond, 0.01},
	{Good, 120 * Millisecond, 20 * Millisecond, 0.03},
	{Fair, 200 * Millisecond, 40 * Millisecond, 0.05},
	{Poor, 400 * Millisecond, 80 * Millisecond, 0.20},
}

// RateLink returns the quality of a connection by the worst of its smoothed round trip and
// jitter, as Sync measures them, and its packet loss on the uplink and downlink, each 0 … 1. A
// value equal to a limit is within it. NaN is Bad.
func RateLink(rtt, jitter Micros, up, down float64) Quality {
	for _, l := range qualityLimits {
		if rtt <= l.rtt && jitter <= l.jitter && up <= l.loss && down <= l.loss {
			return l.bars
		}
	}
	return Bad
}

// String returns fine, good, fair, poor or bad.
func (q Quality) String() string {
	switch q {
	case Fine:
		return "fine"
	case Good:
		return "good"
	case Fair:
		return "fair"
	case Poor:
		return "poor"
	}
	return "bad"
}
