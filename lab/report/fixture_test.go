package report

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// invented returns an invented run with errors of every kind, for tests of the page: players on rings
// and stairs.
func invented(players int, duration float64) *lab.Result {
	r := &lab.Result{
		Name: "stairs under loss", Seed: 7, Ticks: int(duration * 60), Hash: "9f86d081884c7d65", Duration: duration, TickRate: 60,
		Players: map[string]*lab.Figures{}, Series: &lab.Series{Players: map[string]*lab.PlayerSeries{}},
		Expect: []lab.Checked{{Text: "ann.corrections <= 0", Got: 4}, {Text: "shots.agreement >= 0.9", Got: 0.97, Held: true}},
	}
	names := []string{"ann", "bob", "cleo", "dov", "eve", "finn", "gus", "hana"}
	for i := range players {
		name := fmt.Sprintf("player%d", i)
		if i < len(names) {
			name = names[i]
		}
		r.Order = append(r.Order, name)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for i, name := range r.Order {
		r.Players[name], r.Series.Players[name] = inventPlayer(r, i, duration, rnd)
	}
	inventShots(r, rnd)
	return r
}

// place returns the true position of player i.
func place(i int, t float64) [3]float64 {
	radius := 4 + 1.5*float64(i)
	a := t*4/radius + float64(i)
	return [3]float64{radius * math.Cos(a), max(0, 2.4*math.Sin(t/3+float64(i))), 0.7 * radius * math.Sin(a)}
}

func inventPlayer(r *lab.Result, i int, duration float64, rnd *rand.Rand) (*lab.Figures, *lab.PlayerSeries) {
	f := &lab.Figures{
		OwnerError: lab.Spread{Mean: 0.0003, P99: 0.02, Max: 0.31}, Corrections: 4, CorrectionMax: 0.31, Replayed: 52,
		Moves:       lab.Moves{Made: int(duration * 144), Sent: int(duration * 60), Combined: int(duration * 84), Resent: 2400},
		RemoteError: lab.Spread{Mean: 0.012, P99: 0.09, Max: 0.4}, Reversals: 3, Snaps: i % 2, Up: 3120.4, Down: 9433.8,
		ViewDelay: lab.Spread{Mean: 0.152, P99: 0.2, Max: 0.31},
	}
	if i == 1 {
		f.TimeDiscrepancy = lab.TimeDiscrepancy{Detected: true, After: 3.2, Gain: 0.07}
	}
	for t := 0.0; t < duration; t += 0.01 {
		p, q := place(i, t), place(i, t+0.001)
		v := [3]float64{(q[0] - p[0]) * 1000, (q[1] - p[1]) * 1000, (q[2] - p[2]) * 1000}
		f.Trajectory = append(f.Trajectory, lab.Point{T: t, P: p, V: v, Mode: "walking"})
	}
	s := &lab.PlayerSeries{Remotes: map[string][]lab.RemoteSample{}}
	for t := 1.3 + float64(i); t < duration; t += duration / 4 {
		s.Corrections = append(s.Corrections, lab.CorrectionSample{T: t, Distance: 0.1 + 0.2*rnd.Float64()})
		f.Events = append(f.Events, lab.Event{T: t, Kind: "corrected", Distance: 0.21}, lab.Event{T: t - 1, Kind: "jumped", Speed: 4.2}, lab.Event{T: t - 0.1, Kind: "landed", Speed: 4.1})
	}
	off := 0.0
	next := 0
	for t := 0.004; t < duration; t += 1.0 / 60 {
		off *= 0.96
		if next < len(s.Corrections) && t > s.Corrections[next].T {
			off = s.Corrections[next].Distance
			next++
		}
		p := place(i, t)
		d, shown := [3]float64{p[0] + off, p[1], p[2] + off/2}, off
		s.Frames = append(s.Frames, lab.FrameSample{T: t, Drawn: d, Error: &shown, Delay: 0.15 + 0.03*rnd.Float64()})
		for k, other := range r.Order {
			if k != i {
				e := 0.01 + 0.02*rnd.ExpFloat64()
				s.Remotes[other] = append(s.Remotes[other], lab.RemoteSample{T: t, Error: &e})
			}
		}
		s.Up = append(s.Up, lab.PacketSample{T: t, Bytes: 40 + rnd.IntN(30)})
		s.Down = append(s.Down, lab.PacketSample{T: t, Bytes: 60 + 20*len(r.Order) + rnd.IntN(50)})
	}
	return f, s
}

func inventShots(r *lab.Result, rnd *rand.Rand) {
	if len(r.Order) < 2 {
		return
	}
	for k, t := 0, 2.0; t < r.Duration; k, t = k+1, t+0.6 {
		by, at := k%len(r.Order), (k+1)%len(r.Order)
		eye, target := place(by, t), place(at, t-0.15)
		eye[1] += 1.52
		aim := geom.V(target[0]-eye[0], target[1]+1.3+0.6*rnd.Float64()-eye[1], target[2]-eye[2])
		far := aim.Len()
		aim = aim.Unit()
		near := target
		near[0] += 0.15 * rnd.Float64()
		receipt := &lab.Receipt{T: t + 0.07, Shooter: r.Order[by], Weapon: "rifle", ViewTime: t - 0.15, Target: r.Order[at], Part: "head", Verdict: "hit", Distance: far, Agrees: true}
		s := lab.ShotSeries{
			T: t, Shooter: r.Order[by], Receipt: receipt, Eye: eye, ServerEye: eye, Aim: [3]float64{aim.X, aim.Y, aim.Z}, Saw: r.Order[at], SawPart: "head", SawAt: far,
			Poses: []lab.PosePair{{Player: r.Order[at], Drawn: pose(target), Server: pose(near)}},
		}
		switch k % 7 {
		case 3:
			*receipt = lab.Receipt{T: t + 0.07, Shooter: receipt.Shooter, Weapon: "rifle", ViewTime: t - 0.4, Verdict: "refused", Reason: "view is too old"}
		case 5:
			receipt.Target, receipt.Part, receipt.Verdict, receipt.Distance, receipt.Agrees = "", "", "miss", 100, false
			s.ServerEye[1] += 0.1
		case 6:
			s.Saw, s.SawPart, s.SawAt = "world", "", far-1
			receipt.Target, receipt.Part, receipt.Verdict, receipt.Distance = "", "", "miss", far-1
		}
		r.Series.Shots = append(r.Series.Shots, s)
		r.Shots.Receipts = append(r.Shots.Receipts, *receipt)
		r.Shots.Fired++
		r.Shots.Claimed++
	}
	r.Shots.Agreement = 0.857
	r.Shots.PoseError = lab.Spread{Mean: 0.07, P99: 0.15, Max: 0.151}
}

// pose returns the pose of a standing player.
func pose(feet [3]float64) []lab.HitboxPose {
	body, head := rewind.BodyOutline(&track.Sample{Pose: track.Pose{Position: geom.V(feet[0], feet[1], feet[2])}})
	v := func(v geom.Vec3) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }
	return []lab.HitboxPose{
		{Part: "body", From: v(body.A), To: v(body.B), Radius: body.Radius},
		{Part: "head", From: v(head.Centre), To: v(head.Centre), Radius: head.Radius},
	}
}
