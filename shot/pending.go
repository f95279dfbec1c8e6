package shot

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
)

// What rewind.Scene is about to answer itself.

type arc struct {
	From             geom.Vec3
	Yaw, Pitch, Tilt float64
	A, B             float64
	Reach, Radius    float64
}

type blasted struct {
	rewind.Outcome
}

func sphere(s *rewind.Scene, from, dir geom.Vec3, reach, radius float64, policy rewind.Policy) rewind.Outcome {
	return s.Ray(from, dir, reach, policy)
}

func sweep(s *rewind.Scene, a arc, policy rewind.Policy, into []rewind.Outcome) []rewind.Outcome {
	return into
}

func blast(s *rewind.Scene, centre geom.Vec3, radius, ignore float64, into []blasted) []blasted {
	return into
}

func clear(s *rewind.Scene, from, to geom.Vec3) bool {
	_, hit := s.World.Ray(from, to.Sub(from))
	return !hit
}
