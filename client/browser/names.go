package browser

import (
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// The names of the enums of a View, by value.
func init() {
	Names[session.Phase]("outside", "loading", "syncing", "playing", "ended")
	Names[session.EventKind]("", "joined", "left", "shot", "message", "kick", "welcomed", "refused",
		"teleported", "shotJudged", "shotSeen", "detonated", "damaged", "shotDebugged",
		"timeDiscrepancy", "timeDiscrepancyCleared", "mispredicting", "clockDrift")
	Names[predict.Cause]("misprediction", "serverForce", "teleport", "timeout", "throttle")
	NamesOf[shot.Kind](int(shot.Projectile) + 1)
	Names[shot.Verdict]("refused", "miss", "hit", "launched")
	NamesOf[shot.Reason](int(shot.Evaded) + 1)
	Names[rewind.HitKind]("nothing", "world", "player")
	NamesOf[rig.HitGroup](rig.HitGroups)
	Names[body.Shape]("ball", "box", "capsule")
}

// NamesOf gives the first values of a type the names that String returns. Call it from an init
// function.
func NamesOf[E interface {
	~uint8
	String() string
}](count int) {
	list := make([]string, count)
	for i := range list {
		list[i] = E(i).String()
	}
	Names[E](list...)
}
