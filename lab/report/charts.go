package report

import (
	"math"

	"github.com/backstep-net/backstep/lab"
)

// charts returns the charts over time.
func (s *source) charts() []chart {
	list := []chart{
		{Title: "Speed", Unit: "m/s", Means: "Speed of the player on the server, including a moving base's.", Series: s.speeds()},
		{Title: "Owner error", Unit: "m", Means: means("owner_error"), Corrections: true, Series: s.ownerErrors()},
	}
	if s.r.Series == nil {
		return list[:1]
	}
	return append(list,
		chart{Title: "Remote error", Unit: "m", Means: means("remote_error"), Series: s.remoteErrors()},
		chart{Title: "View delay", Unit: "ms", Means: means("view_delay"), Series: s.delays()},
		chart{Title: "Packets up", Unit: "bytes each", Dots: true, Means: "Payload of each datagram that the client sent.", Series: s.packets(true)},
		chart{Title: "Packets down", Unit: "bytes each", Dots: true, Means: "Payload of each datagram that the server sent to the client.", Series: s.packets(false)},
	)
}

// curve returns a curve of player i.
func (s *source) curve(i, n int, at func(int) (t, v float64)) curve {
	return curve{Label: s.names[i], P: i, Values: s.grid.peaks(n, at)}
}

func (s *source) speeds() []curve {
	out := []curve{}
	for i, name := range s.names {
		path := s.r.Players[name].Trajectory
		out = append(out, s.curve(i, len(path), func(k int) (float64, float64) {
			return path[k].T, distance(path[k].V, [3]float64{})
		}))
	}
	return out
}

func (s *source) ownerErrors() []curve {
	out := []curve{}
	for i := range s.names {
		frames := s.series[i].Frames
		out = append(out, s.curve(i, len(frames), func(k int) (float64, float64) {
			return frames[k].T, known(frames[k].Error)
		}))
	}
	return out
}

// known returns the number, or NaN where it is not known.
func known(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

func (s *source) delays() []curve {
	out := []curve{}
	for i := range s.names {
		frames := s.series[i].Frames
		out = append(out, s.curve(i, len(frames), func(k int) (float64, float64) {
			return frames[k].T, 1000 * frames[k].Delay
		}))
	}
	return out
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

func (s *source) packets(up bool) []curve {
	out := []curve{}
	for i := range s.names {
		sent := s.series[i].Down
		if up {
			sent = s.series[i].Up
		}
		out = append(out, s.curve(i, len(sent), func(k int) (float64, float64) {
			return sent[k].T, float64(sent[k].Bytes)
		}))
	}
	return out
}
