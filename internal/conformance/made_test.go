package conformance

import "testing"

// made returns messages that the recording has none of.
func made(t *testing.T) []Vector {
	const tick, now = 4_000_000, 1_333_333_333 // in 50 µs
	pose := Sample{At: now + 16, Position: Grid{1024, -512, 3}, Velocity: Grid{64, 0, -320}, Yaw: -16384, Pitch: 100, Mode: 2,
		Crouched: true, Dead: true, Walked: 16383, Stance: [3]int64{15, 0, 7}, Clip: 4, Extra: 65535, ClipAt: now - 90}
	rider := Sample{At: now - 400, Position: Grid{1030, -512, 3}, Yaw: 32767, Mode: 1, Life: 1, Teleport: 2,
		Base: 7, Since: now - 1634, Lag: 2047, Up: Grid{0, -1024, 0}, Walked: 12, Stance: [3]int64{9, 0, 0}}
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
	hit := Receipt{Number: 900, Shot: 77, Shooter: 1, Weapon: 0, Asked: 66_000_000, Granted: 66_000_001, Verdict: 2,
		Met: Sighted{2, 3, 2, 2}, Life: 9, Distance: 640, Point: Grid{128, 256, -1280}, Agrees: true, Tested: 1, Sum: 500,
		Victims: []Victim{{Target: 3, Life: 9, Tag: 2, Count: 1, Heads: 1, Damage: 60}}}
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
				Heals: &Heals{Age: 149_999, Back: 4, Mask: 3}, Saw: Sighted{Kind: 1}, Sum: 40000}}},
		}, Claim: &Place{X: 1, Y: 2, Z: 3, Check: 4}}}),
		up("up: a shot into a picture that smooths", &Up{Sequence: 8, Moves: &Moves{List: []Move{
			{Number: 65541, Stamp: 604_816, Duration: 416, Input: Input{Shot: &Shot{Yaw: 100, Pitch: -7, View: 14_900_000, Newest: 900, Mask: 1<<64 - 2,
				Drawn: 2, Arrivals: &Arrivals{Ticks: 1<<2 | 1<<5 | 1<<63, Times: 1 | 1<<6 | 1<<55}, Saw: Sighted{Kind: 1}, Sum: 40000}}},
		}, Claim: &Place{X: 1, Y: 2, Z: 3, Check: 4}}}),
		down("down: a hit, and things of all kinds", &Down{Tick: tick, Skipped: 3, Heard: heard, News: &News{Status: &status, Sights: []Seen{}, Hurts: []Hurt{},
			Receipts: []Receipt{hit}},
			Part: Part{Number: 1, Base: 10, Gone: []uint16{1, 900}, Entities: []Entity{
				{ID: 2, Sample: rider}, {ID: 129, Reference: 12, Sample: ball}, {ID: 130, Reference: 3, Sample: asleep},
				{ID: 1023, Reference: -1, Sample: pose, Kinks: []Sample{bent, before}},
			}, Last: true}}),
	}
	things := len(list) - 1
	list = append(list, down("down: a later part without kinks, told against a base of 52 ticks ago", &Down{Tick: tick,
		Part: Part{Number: 1, Base: 52, Entities: []Entity{{ID: 2, Sample: rider}, {ID: 129, Reference: -1, Sample: ball}}, Last: true}}))
	list[things+1].Context.Have = []Have{{tick - 52, []Entity{{ID: 2, Reference: -1, Sample: rode}}}}
	list = append(list, shooting(hit)...)
	list[things].Context.Have = []Have{{tick - 12, []Entity{{ID: 129, Reference: -1, Sample: rolled}}},
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

// shooting is what else is said of shots.
func shooting(hit Receipt) []Vector {
	fan, rocket, burst, refused := hit, hit, hit, hit
	fan.Number, fan.Shot, fan.Weapon, fan.Agrees, fan.Tested, fan.Sum = 65534, 78, 1, false, 2, 0xfeed
	fan.Victims = []Victim{{3, 9, 2, 3, 1, 45, 0}, {4, 1, 1, 2, 0, 0, 2}}
	launched := Receipt{Number: 65535, Shot: 79, Shooter: 1, Weapon: 2, Asked: 66_100_000, Granted: 66_100_000, Verdict: 3, Victims: []Victim{}}
	rocket = launched
	burst.Number, burst.Shot, burst.Weapon, burst.Met, burst.Life = 0, 79, 2, Sighted{Kind: 1}, 0
	burst.Asked, burst.Granted = 66_900_000, 66_900_000
	burst.Victims = []Victim{{3, 9, 1, 1, 0, 80, 0}, {1, 4, 3, 1, 0, 20, 0}}
	refused = Receipt{Number: 1, Shot: 1<<32 - 1, Shooter: 1, Asked: 66_950_000, Reason: 10, Victims: []Victim{}}
	exact := Exact{ID: 3, At: 66_900_000, Position: Vector3{1.25, 0, -9.1}, Velocity: Vector3{0, 0, -6}, Yaw: 1.5, Pitch: -0.1,
		Walked: 12.5, Low: 1. / 3, Mode: 1, Extra: 2, Life: 9}
	crate := Exact{ID: 130, At: 66_900_000, Kind: 3, Up: Vector3{0, -1, 0}, Turn: [4]float64{0, 0, 0, 1}, Asleep: true}
	news := &News{
		Receipts: []Receipt{fan, rocket, burst, refused},
		Sights: []Seen{{Number: 7, Shooter: 2, Weapon: 1, From: Grid{64, 96, 0}, To: Grid{640, 96, 0}, More: []Grid{{640, 100, 3}, {600, 90, -3}}},
			{Number: 8, Shooter: 128, Weapon: 2, Burst: true, To: Grid{1, 2, 3}, Ago: 33}},
		Hurts: []Hurt{{Number: 1, By: 2, Weapon: 1, Tag: 2, Damage: 60, From: Grid{64, 96, 0}, Ago: 180}},
	}
	return []Vector{
		down("down: news of shots of all kinds", &Down{Tick: 4020, News: news, Part: Part{Entities: []Entity{}, Last: true}}),
		{Name: "dispute", From: "client", Channel: 1, Stream: &Stream{Kind: kindDispute, Dispute: 79}},
		{Name: "evidence", From: "server", Channel: 1, Stream: &Stream{Kind: kindEvidence, Evidence: &Evidence{Shot: 79, Known: true, Receipt: unnumbered(burst),
			Eye: Vector3{1, 1.6, 2}, Platform: 67_000_000, Tested: []Exact{exact, crate}}}},
		{Name: "evidence of a shot that is forgotten", From: "server", Channel: 1, Stream: &Stream{Kind: kindEvidence, Evidence: &Evidence{Shot: 2}}},
	}
}

// unnumbered is a receipt as evidence has it.
func unnumbered(r Receipt) *Receipt { r.Number = 0; return &r }

func up(name string, u *Up) Vector {
	past := &Past{Ticks: 60, Snapshots: 60, Newest: 4105, Last: 65530, Now: 600_500}
	return Vector{Name: name, From: "client", Context: &Context{Past: past}, Up: u}
}

func down(name string, d *Down) Vector {
	return Vector{Name: name, From: "server", Context: &Context{Sequence: 1040, Ticks: 60}, Down: d}
}
