package browser

import (
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
		"teleported", "confirmed", "shotSeen", "detonated", "damaged", "shotDebugged",
		"timeDiscrepancy", "timeDiscrepancyCleared", "clockDrift")
	Names[predict.Cause]("misprediction", "serverForce", "teleport", "timeout", "throttle")
	Names[shot.Verdict]("refused", "miss", "hit", "launched")
	Names[shot.Reason](texts[shot.Reason](int(shot.Evaded) + 1)...)
	Names[rewind.HitKind]("nothing", "world", "player")
	Names[rig.Tag](texts[rig.Tag](rig.Tags)...)
}

// texts returns the texts of the first values of a type.
func texts[E interface {
	~uint8
	String() string
}](count int) []string {
	list := make([]string, count)
	for i := range list {
		list[i] = E(i).String()
	}
	return list
}
