package main

import (
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/splitview"
	"github.com/backstep-net/backstep/geom"
)

var (
	match *splitview.Match
	frame []float64
)

// start begins a match: milliseconds one way and of jitter, and the share that is lost. It returns 0, or
// 1 where the players could not join.
//
//go:wasmexport start
func start(delay, jitter, loss float64, seed int32) int32 {
	m, err := splitview.New(network(delay, jitter, loss), uint64(seed))
	if err != nil {
		return 1
	}
	match = m
	return 0
}

//go:wasmexport set_network
func setNetwork(delay, jitter, loss float64) { match.SetNetwork(network(delay, jitter, loss)) }

func network(delay, jitter, loss float64) splitview.Network {
	return splitview.Network{Delay: micros(delay), Jitter: micros(jitter), Loss: loss}
}

func micros(milliseconds float64) clock.Micros { return clock.Micros(float64(milliseconds * 1000)) }

// advance shows the match so many milliseconds later, and leaves you to the bot.
//
//go:wasmexport advance
func advance(by float64) { match.Advance(micros(by), nil) }

// play is advance with you at the controls; buttons are 1 jump, 2 fire, 4 aim at the point.
//
//go:wasmexport play
func play(by, right, back float64, buttons int32, x, y, z float64) {
	match.Advance(micros(by), &splitview.Controls{
		Right: right, Back: back, Jump: buttons&1 != 0, Fire: buttons&2 != 0, AtPoint: buttons&4 != 0, Point: geom.V(x, y, z),
	})
}

// frame_at returns the frame (splitview.Match.AppendFrame), valid until the next call; frame_length how
// many float64 it has.
//
//go:wasmexport frame_at
func frameAt() unsafe.Pointer {
	frame = match.AppendFrame(frame[:0])
	return unsafe.Pointer(unsafe.SliceData(frame))
}

//go:wasmexport frame_length
func frameLength() int32 { return int32(len(frame)) }

// solids_at returns half the sides of the floor, then the boxes that stand on it, six float64 each: middle
// and half size. It is valid, and frame_length its length, until the next call.
//
//go:wasmexport solids_at
func solidsAt() unsafe.Pointer {
	frame = append(frame[:0], splitview.HalfX, splitview.HalfZ)
	for _, s := range splitview.Solids {
		frame = append(frame, s.Centre.X, s.Centre.Y, s.Centre.Z, s.Half.X, s.Half.Y, s.Half.Z)
	}
	return unsafe.Pointer(unsafe.SliceData(frame))
}
