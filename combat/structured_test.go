package combat

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// noticesDecoder reads notices into lists that exist already, as a client does.
func noticesDecoder() structured.Decoder {
	r := rand.New(rand.NewPCG(1, 2))
	var seeds []Notices
	for range 12 {
		seeds = append(seeds, randomNotices(r, clock.Second))
	}
	return structured.Packed("combat.Notices", "FuzzNotices", func(n *Notices, p *bits.Packer) { n.Pack(p, clock.Second) },
		func(n *Notices) {
			clear(n.Receipts.Items)
			clear(n.Shots.Items)
			clear(n.Damage.Items)
		}, nil, seeds...)
}

// debugDecoder reads what a client asked for of a shot, which allocates its targets.
func debugDecoder() structured.Decoder {
	d := structured.Packed("combat.ShotDebug", "FuzzShotDebug", (*ShotDebug).Pack, nil, nil,
		ShotDebug{Shot: 7, Known: true, Receipt: shot.Receipt{Shot: 7, Shooter: 1}, Eye: geom.V(1, 2, 3), Targets: []track.Entity{
			{ID: 2, Sample: track.Sample{At: 10, Pose: track.Pose{Position: geom.V(.1, .2, .3), Yaw: .5}}},
			{ID: 900, Sample: track.Sample{Pose: track.Pose{Rotation: geom.YawQuat(1), Asleep: true}}}}}, ShotDebug{Shot: 9})
	d.MaxBytes = 64 << 10
	return d
}

// Inputs that know the format find no notices that panic, are accepted in two forms or allocate; what
// explains a shot allocates its targets, and never more than MaxDebugTargets of them. [THR-13, THR-14]
func TestStructuredInputs(t *testing.T) { structured.Run(t, noticesDecoder(), debugDecoder()) }

// FuzzShotDebug: any bytes explain a shot or are an error. [THR-13]
func FuzzShotDebug(f *testing.F) { structured.Fuzz(f, debugDecoder()) }

// The same of what explains a shot, whose samples travel without loss. [THR-15]
func TestNoFloatThatIsNoNumber(t *testing.T) {
	structured.Floats(t, (*ShotDebug).Pack, ShotDebug{Shot: 7, Known: true, Receipt: shot.Receipt{Shot: 7, Shooter: 1}, Eye: geom.V(1, 2, 3), Targets: []track.Entity{
		{ID: 2, Sample: track.Sample{At: 10, Pose: track.Pose{Position: geom.V(.1, .2, .3), Yaw: .5}}}}})
}
