package conformance

import "testing"

// made returns messages that the recording has none of.
func made(t *testing.T) []Vector {
	pose := Pose{Position: Grid{1024, -512, 3}, Velocity: Grid{64, 0, -320}, Yaw: -16384, Pitch: 100, Mode: 2, Crouched: true}
	rider, bent := pose, pose
	rider.Base, rider.Changed, rider.Was, rider.Age = 7, true, 0, 1234
	rider.Up = &Grid{0, -1024, 0}
	bent.Position = Grid{1000, -512, 4}
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
		down("down: a hit, and a rider", &Down{Tick: 4_000_000, Skipped: 3, Heard: heard, News: &News{Status: &status, Sights: []Seen{},
			Receipts: []Receipt{{Shot: 77, Shooter: 1, Weapon: 0, Asked: 66_000_000, Granted: 66_000_001, Verdict: 2,
				Met: Sighted{2, 3, 2}, Life: 9, Distance: 640, Point: Grid{128, 256, -1280}, Agrees: true, Damage: 60}}},
			Part: Part{Number: 1, Entities: []Entity{
				{ID: 2, Steps: -400, Pose: rider, Life: 1, Teleport: 2},
				{ID: 1023, Steps: 16, Pose: pose, Dead: true, Kinks: []Kink{{300, bent}, {20000, pose}}},
			}, Last: true}}),
	}
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
	return Vector{Name: name, From: "server", Context: &Context{Sequence: 1040}, Down: d}
}
