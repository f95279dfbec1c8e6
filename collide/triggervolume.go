package collide

import (
	"errors"

	"github.com/backstep-net/backstep/geom"
)

// connectVolumes finds the movers that volumes trigger. They are named and not numbered, because
// a level file has its volumes and movers in any order.
func (w *World) connectVolumes() error {
	for i := range w.volumes {
		v := &w.volumes[i]
		if v.Triggers == "" {
			continue
		}
		id, ok := w.MoverNamed(v.Triggers)
		var err error
		switch b := w.Mover(id); {
		case !ok:
			err = errors.New("it triggers " + v.Triggers + ", and no mover has that name")
		case b.Trigger.Kind == Untriggered:
			err = errors.New("it triggers " + v.Triggers + ", which is a mover without a trigger: give it one")
		default:
			err = b.checkWaypoint(v.Waypoint)
		}
		if err != nil {
			return errors.New("collide: " + errorPrefix("volume", i, v.Name) + err.Error())
		}
		w.regions[i].mover = id
	}
	return nil
}

// TriggerVolumes triggers the movers whose trigger volumes the capsule touches: those that react
// to a character that comes near, and where a button is pressed those of buttons too. It is one line of a
// game's step, after the move:
//
//	m.World.TriggerVolumes(capsule, pressed)
//
// pressed is true in the one command in which the button goes down, as a jump is. A character
// that stays in a volume triggers its mover as often as that makes a difference.
func (v *WorldAt) TriggerVolumes(c geom.Capsule, pressed bool) {
	if v.World == nil || v.World.triggers == nil || !finite(c) {
		return
	}
	around := coreBox(c.A, c.B)
	around = around.grown(max(c.Radius, 0))
	for i := range v.World.regions {
		r, volume := &v.World.regions[i], &v.World.volumes[i]
		if r.mover == Static || volume.Button && !pressed {
			continue
		}
		if r.box.overlap(&around) >= 0 && r.overlaps(c) {
			v.Trigger(r.mover, volume.Waypoint)
		}
	}
}
