package scenario

import (
	"math"

	"github.com/backstep-net/backstep/clock"
)

// FrameTime returns the time of display frame k, from 0, on the client's own clock after time zero:
// round(k·10⁶/rate) µs plus the phase. Several rates alternate every second, and each second
// begins with a frame. Frames are strictly in order. FrameTime panics where there are no rates or
// k is negative.
//
// phase is drawn once for each client, from 0 to below one frame.
func FrameTime(k int64, rates []float64, phase clock.Micros) clock.Micros {
	if k < 0 || len(rates) == 0 {
		panic("scenario: FrameTime needs a frame from 0 on and a rate")
	}
	if len(rates) == 1 {
		return micros(k, rates[0]) + phase
	}
	turn := int64(0) // frames in one turn of all rates
	for _, rate := range rates {
		turn += int64(rate)
	}
	second := k / turn * int64(len(rates))
	k %= turn
	for _, rate := range rates {
		if k < int64(rate) {
			return clock.Micros(second)*clock.Second + micros(k, rate) + phase
		}
		k -= int64(rate)
		second++
	}
	panic("scenario: frame rates in a list must be whole numbers from 1 on")
}

// micros returns the time of frame k. It is exact up to k = 10⁹: the product has fewer than 53 bits.
func micros(k int64, rate float64) clock.Micros {
	return clock.Micros(math.Round(float64(k) * 1e6 / rate))
}
