package npc

import (
	"reflect"
	"testing"
)

// Every field of a crowd is in a checkpoint, or is left out for a reason that is given here: a field that somebody
// adds fails this test until it is one or the other. [THR-63]
func TestACheckpointForgetsNoField(t *testing.T) {
	type left map[string]string // the reason by the field; "packed" is none
	for _, c := range []struct {
		of   any
		left left
	}{
		{Crowd{}, left{
			"config": "the new crowd's", "kinds": "the new crowd's", "list": "packed", "spare": "memory", "query": "scratch", "path": "scratch",
			"search": "packed", "at": "packed", "events": "the game has handled those of the tick before", "context": "scratch", "view": "scratch", "near": "scratch",
		}},
		{character{}, left{
			"id": "packed", "kind": "that of the entity", "state": "packed", "stance": "packed", "stride": "packed", "data": "packed",
			"dead": "packed", "killed": "packed", "goneAt": "packed", "steering": "packed",
		}},
		{steering{}, left{
			"follower": "packed: the corners that are left", "goal": "packed", "walking": "packed", "searching": "packed", "look": "packed", "looks": "packed",
			"solid": "set in each Step from through", "command": "scratch", "from": "packed", "checkAt": "packed", "stuck": "packed",
			"asideUntil": "packed", "aside": "packed", "through": "packed",
		}},
	} {
		is := reflect.TypeOf(c.of)
		for i := range is.NumField() {
			if name := is.Field(i).Name; c.left[name] == "" {
				t.Errorf("%s.%s is neither in a checkpoint nor left out: pack it in checkpoint.go, or say here why not", is, name)
			}
		}
	}
}
