package conformance

import "testing"

// made returns messages that the recording has none of.
func made(t *testing.T) []Vector {
	const tick, now = 4_000_000, 1_333_333_333 // in 50 µs
	pose := Sample{At: now + 16, Position: Grid{1024, -512, 3}, Velocity: Grid{64, 0, -320}, Yaw: -16384, Pitch: 100, Mode: 2,
		Crouched: true, Dead: true, Walked: 16383, Stance: [3]int64{15, 0, 7}, Clip: 4, Extra: 65535, ClipAt: now - 90}
	rider := Sample{At: now - 400, Position: Grid{1030, -512, 3}, Yaw: 32767, Mode: 1, Life: 1, Teleport: 2,
		Base: 7, Since: now - 1634, Up: Grid{0, -1024, 0}, Walked: 12, Stance: [3]int64{9, 0, 0}}
	rode := Sample{At: now - 3700, Position: Grid{1024, -512, 3}, Yaw: -32768, Mode: 1, Life: 1, Teleport: 2, Walked: 16380, Stance: [3]int64{4, 0, 0}}
	ball := Sample{At: now, Position: Grid{-5000, 300, 77}, Velocity: Grid{128, -60, 0}, Kind: 2, Spin: Grid{0, 64, -200}, Turn: [4]int64{0, 2896, 0, 2897}}
	rolled := ball
	rolled.At, rolled.Position, rolled.Turn = now-4000, Grid{-5400, 500, 77}, [4]int64{500, 2896, 300, 2800}
	asleep := Sample{At: now, Position: Grid{9, 9, 9}, Kind: 2, Turn: [4]int64{0, 0, 0, 4096}, Asleep: true}
	awake := asleep
	awake.At, awake.Asleep = now-1000, false
	bent, before := pose, pose
	bent.At, bent.Position = now-284, Grid{1000, -512, 4}
	before.At, before.Clip, before.ClipAt, before.Extra = now-20284, 0, 0, 0
	status := Hex{}
	heard := &Echo{Newest: 1030, Missing: []uint32{1029, 1020}, Hold: -1}
	list := []Vector{
		{Name: "refused", From: "server", Channel: 1, Stream: &Stream{Kind: kindRefused, Why: "session: the match is full"}},
		{Name: "leave", From: "client", Channel: 1, Stream: &Stream{Kind: kindLeave}},
		up("up: a snapshot missing", &Up{Sequence: 1023, Received: &Echo{Newest: 4100, Missing: []uint32{4096}, Hold: 2047}}),
		up("up: a longer pause, durations of all forms", &Up{Sequence: 0, Moves: &Moves{Epoch: 63, List: []Move{
			{Number: 65536, Stamp: 600_000, Duration: 416}, {Number: 65537, Stamp: 600_416, Duration: 416},
			{Number: 65538, Stamp: 600_833, Duration: 417}, {Number: 65539, Stamp: 601_200, Duration: 384, Input: Input{Push: -1}},
			{Number: 65540, Stamp: 604_400, Duration: 3125, Input: Input{Push: 1}},
		}, Claim: &Place{X: 1023, Y: 0, Z: 512, Check: 255}}}),
		up("up: a shot into a picture that heals", &Up{Sequence: 7, Moves: &Moves{List: []Move{
			{Number: 65540, Stamp: 604_400, Duration: 416, Input: Input{Shot: &Shot{Yaw: 100, Pitch: -7, View: 14_900_000, Newest: 900, Mask: 1<<64 - 2,
				Drawn: 1, Heals: &Heals{Age: 149_999, Back: 4, Mask: 3}, Saw: Sighted{Kind: 1}}}},
		}, Claim: &Place{X: 1, Y: 2, Z: 3, Check: 4}}}),
		down("down: a hit, and things of all kinds", &Down{Tick: tick, Skipped: 3, Heard: heard, News: &News{Status: &status, Sights: []Seen{},
			Receipts: []Receipt{{Shot: 77, Shooter: 1, Weapon: 0, Asked: 66_000_000, Granted: 66_000_001, Verdict: 2,
				Met: Sighted{2, 3, 2}, Life: 9, Distance: 640, Point: Grid{128, 256, -1280}, Agrees: true, Damage: 60}}},
			Part: Part{Number: 1, Base: 10, Gone: []uint16{1, 900}, Entities: []Entity{
				{ID: 2, Sample: rider}, {ID: 129, Reference: 12, Sample: ball}, {ID: 130, Reference: 3, Sample: asleep},
				{ID: 1023, Reference: -1, Sample: pose, Kinks: []Sample{bent, before}},
			}, Last: true}}),
	}
	list[len(list)-1].Context.Have = []Have{{tick - 12, []Entity{{ID: 129, Reference: -1, Sample: rolled}}},
		{tick - 11, []Entity{{ID: 2, Reference: -1, Sample: rode}}}, {tick - 3, []Entity{{ID: 130, Reference: -1, Sample: awake}}}}
	for cause := uint8(0); cause <= 4; cause++ {
		v := &Verdict{Number: 1<<32 - 1, Correction: &Correction{Cause: cause, Places: 255, Epoch: 64}}
		v.Correction.State.X, v.Correction.State.V = -1, 4000
		d := down("down: a correction of cause "+string('0'+rune(cause)), &Down{Tick: 1, Heard: heard, Verdict: v, Part: Part{Entities: []Entity{}, Last: true}})
		list = append(list, d)
	}
	for i := range list {
		b, err := list[i].Write()
		if list[i].Bytes = b; err != nil {
			t.Errorf("%s: %v", list[i].Name, err)
		}
	}
	return list
}

func up(name string, u *Up) Vector {
	past := &Past{Ticks: 60, Snapshots: 60, Newest: 4105, Last: 65530, Now: 600_500}
	return Vector{Name: name, From: "client", Context: &Context{Past: past}, Up: u}
}

func down(name string, d *Down) Vector {
	return Vector{Name: name, From: "server", Context: &Context{Sequence: 1040, Ticks: 60}, Down: d}
}
