package session

import (
	"reflect"
	"strings"
	"testing"
)

// Every field of what a match consists of is in a checkpoint, or is left out for a reason that is given here:
// a field that somebody adds fails this test until it is one or the other. [THR-63]
func TestACheckpointForgetsNoField(t *testing.T) {
	type left map[string]string // the reason by the field; "packed" is none
	for _, c := range []struct {
		of   any
		left left
	}{
		{Server[int, int]{}, left{
			"config": "the new match's", "format": "packed", "rules": "the game's", "timeline": "packed", "output": "a connection's",
			"entityTable": "packed", "seats": "packed", "seatOf": "a connection's", "kicked": "a connection's", "fields": "packed", "history": "rewind: no client has a view of before",
			"combat": "shots in flight", "weapons": "the game's", "started": "a new seed is drawn with the first welcome", "seed": "as started",
			"visible": "follows from the poses", "replicator": "a connection's", "gaps": "follows from the poses", "observer": "the host's",
			"identities": "a connection's", "queue": "a connection's",
			"batches": "scratch", "triggered": "scratch", "triggersNoted": "a connection's", "debugged": "scratch", "bodyPose": "scratch",
		}},
		{seat[int, int]{}, left{
			"id": "its place", "taken": "packed", "reserved": "packed", "name": "packed", "key": "packed", "account": "packed", "away": "packed",
			"authority": "packed: its state", "remote": "packed", "combat": "a connection's",
			"traffic": "counters", "snapshots": "counters", "discrepancy": "counters", "connection": "the client asks again for what it was granted",
		}},
		{remotePose{}, left{
			"mapping": "a connection's", "stamp": "packed", "frame": "a connection's", "clip": "a connection's", "motion": "a connection's",
			"teleports": "packed", "lives": "packed", "entered": "packed",
		}},
		{entity{}, left{
			"taken": "packed", "placed": "packed", "kind": "packed", "sample": "packed", "at": "that of a shot in flight, which is left out",
			"frame": "packed", "life": "packed", "teleports": "packed", "rests": "packed", "jumps": "no client is back before the next UpdateEntity",
		}},
		{baseFrame{}, left{"on": "packed", "stood": "packed", "base": "packed", "previous": "packed", "since": "packed", "lag": "packed"}},
		{timeline{}, left{"tick": "packed", "now": "follows from tick", "before": "set by the next tick, from now", "sent": "a connection's", "skipped": "a connection's"}},
	} {
		is := reflect.TypeOf(c.of)
		for i := range is.NumField() {
			if name := is.Field(i).Name; c.left[name] == "" {
				t.Errorf("%s.%s is neither in a checkpoint nor left out: pack it in checkpoint.go, or say here why not", strings.SplitN(is.String(), "[", 2)[0], name)
			}
			delete(c.left, is.Field(i).Name)
		}
		for name := range c.left {
			t.Errorf("%s has no field %s any more: remove it here", is, name)
		}
	}
}
