package report

import (
	"math"

	"github.com/backstep-net/backstep/lab"
)

// charts returns the charts over time.
func (s *source) charts() []chart {
	list := []chart{
		{Title: "Speed", Unit: "m/s", Means: "Speed of the player on the server, including a moving base's.", Series: s.speeds()},
		{Title: "Owner error", Unit: "m", Means: meaning("owner_error"), Corrections: true, Series: curves(s, s.frames, func(f *lab.FrameSample) (float64, float64) { return f.T, known(f.Error) })},
	}
	if s.r.Series == nil {
		return list[:1]
	}
	return append(list,
		chart{Title: "Remote error", Unit: "m", Means: meaning("remote_error"), Series: s.remoteErrors()},
		chart{Title: "View delay", Unit: "ms", Means: meaning("view_delay"), Series: curves(s, s.frames, func(f *lab.FrameSample) (float64, float64) { return f.T, 1000 * f.Delay })},
		chart{Title: "Packets up", Unit: "bytes each", Dots: true, Means: "Payload of each datagram that the client sent.", Series: curves(s, func(i int) []lab.PacketSample { return s.series[i].Up }, size)},
		chart{Title: "Packets down", Unit: "bytes each", Dots: true, Means: "Payload of each datagram that the server sent to the client.", Series: curves(s, func(i int) []lab.PacketSample { return s.series[i].Down }, size)},
	)
}

// curve returns a curve of player i with n values.
func (s *source) curve(i, n int, at func(int) (t, v float64)) curve {
	return curve{Label: s.names[i], P: i, Values: s.grid.peaks(n, at)}
}

// curves returns a curve of each player, of a list with a value at a time for each member.
func curves[T any](s *source, list func(i int) []T, at func(*T) (t, v float64)) []curve {
	out := []curve{}
	for i := range s.names {
		values := list(i)
		out = append(out, s.curve(i, len(values), func(k int) (float64, float64) { return at(&values[k]) }))
	}
	return out
}

func (s *source) speeds() []curve {
	return curves(s, func(i int) []lab.Point { return s.r.Players[s.names[i]].Trajectory },
		func(p *lab.Point) (float64, float64) { return p.T, distance(p.V, [3]float64{}) })
}

func (s *source) frames(i int) []lab.FrameSample { return s.series[i].Frames }

// known returns the number, or NaN where it is not known.
func known(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// remoteErrors returns the curves of every observer and target, or the worst of each observer where
// there are too many.
func (s *source) remoteErrors() []curve {
	out := []curve{}
	for i, name := range s.names {
		var all []lab.RemoteSample
		for q, other := range s.names {
			samples := s.series[i].Remotes[other]
			if len(s.names) > maxPairs {
				all = append(all, samples...)
			} else if len(samples) > 0 {
				c := s.errorsOf(i, samples)
				c.Label, c.Q = name+" → "+other, &q
				out = append(out, c)
			}
		}
		if len(all) > 0 {
			out = append(out, s.errorsOf(i, all))
		}
	}
	return out
}

func (s *source) errorsOf(i int, samples []lab.RemoteSample) curve {
	return s.curve(i, len(samples), func(k int) (float64, float64) {
		return samples[k].T, known(samples[k].Error)
	})
}

func size(p *lab.PacketSample) (t, v float64) { return p.T, float64(p.Bytes) }
