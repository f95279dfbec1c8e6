package collide

import (
	"errors"

	"github.com/backstep-net/backstep/geom"
)

// connectVolumes finds the bodies that volumes trigger. They are named and not numbered, because
// a level file has its volumes and bodies in any order.
func (w *World) connectVolumes() error {
	for i := range w.volumes {
		v := &w.volumes[i]
		if v.Triggers == "" {
			continue
		}
		id, ok := w.BodyNamed(v.Triggers)
		var err error
		switch b := w.Body(id); {
		case !ok:
			err = errors.New("it triggers " + v.Triggers + ", and no body has that name")
		case b.Trigger.Kind == Untriggered:
			err = errors.New("it triggers " + v.Triggers + ", which is a body without a trigger: give it one")
		default:
			err = b.checkWaypoint(v.Waypoint)
		}
		if err != nil {
			return errors.New("collide: " + errorPrefix("volume", i, v.Name) + err.Error())
		}
		w.regions[i].body = id
	}
	return nil
}

// TriggerVolumes triggers the bodies whose trigger volumes the capsule touches: those that react
// to a character that comes near, and where a button is pressed those of buttons too. It is one line of a
// game's step, after the move:
//
//	m.World.TriggerVolumes(capsule, pressed)
//
// pressed is true in the one command in which the button goes down, as a jump is. A character
// that stays in a volume triggers its body as often as that makes a difference.
func (v *WorldAt) TriggerVolumes(c geom.Capsule, pressed bool) {
	if v.World == nil || v.World.triggers == nil || !finite(c) {
		return
	}
	around := coreBox(c.A, c.B)
	around = around.grown(max(c.Radius, 0))
	for i := range v.World.regions {
		r, volume := &v.World.regions[i], &v.World.volumes[i]
		if r.body == Static || volume.Button && !pressed {
			continue
		}
		if r.box.overlap(&around) >= 0 && r.overlaps(c) {
			v.Trigger(r.body, volume.Waypoint)
		}
	}
}
