package level_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// moving is the floor's file with a node more, which has a child: the mesh again,
// 1 m above the node's origin.
func moving(marks, place string) string {
	s := strings.Replace(floorFile, `"nodes":[0,1]`, `"nodes":[0,1,2]`, 1)
	return strings.Replace(s, `"extras":{"backstep":{"spawn":true}}}]`,
		`"extras":{"backstep":{"spawn":true}}},{"name":"lift",`+place+`"children":[3],"extras":{"backstep":`+marks+
			`}},{"name":"plate","mesh":0,"scale":[0.5,1,0.5],"translation":[0,1,0]}]`, 1)
}

// volume is the floor's file with a node more that is marked and has no mesh.
func volume(marks, place string) string {
	s := strings.Replace(floorFile, `"nodes":[0,1]`, `"nodes":[0,1,2]`, 1)
	return strings.Replace(s, `"extras":{"backstep":{"spawn":true}}}]`,
		`"extras":{"backstep":{"spawn":true}}},{"name":"pool",`+place+`"extras":{"backstep":`+marks+`}}]`, 1)
}

// A lift goes down a shaft below everything else: its riders are in the level all the way.
func TestTheKillHeightIsBelowALiftsWay(t *testing.T) {
	l := read(t, moving(`{"mover":{"path":[[0,[0,0,0]],[20,[0,-40,0]],[40,[0,0,0]]],"loop":true}}`, `"translation":[20,0,0],`), floorBin())
	lowest := math.Inf(1)
	for at := clock.Micros(0); at < 40*clock.Second; at += clock.Second {
		v := collide.WorldAt{World: l.World, At: at}
		if h, ok := v.Ray(geom.V(20.3, 5, 0.3), geom.V(0, -100, 0)); ok && h.Mover == 1 {
			lowest = min(lowest, h.Point.Y)
		}
	}
	if l.KillHeight > lowest-10 || l.KillHeight < lowest-11 || lowest > -38 {
		t.Errorf("the kill height is %v m, and the lift's floor goes down to %v m; want 10 m below the lift, which goes down by 40 m", l.KillHeight, lowest)
	}
}

// A lift whose node is moved and turned: its path's moves are the node's own, and
// what was below the node in the file is where it was at the first key.
func TestAMoverMovesFromWhereItsNodeIs(t *testing.T) {
	l := read(t, moving(`{"mover":{"path":[[0,[0,0,0]],[2,[3,4,0]],[4,[0,0,0]]],"loop":true}}`,
		`"translation":[20,0,0],"rotation":[0,0.7071067811865476,0,0.7071067811865476],`), floorBin())
	if len(l.World.Movers()) != 1 || l.World.Movers()[0].Name != "lift" {
		t.Fatalf("movers: %+v; want one called lift, as its node", l.World.Movers())
	}
	for _, c := range []struct {
		at   clock.Micros
		want geom.Vec3 // where the middle of the plate is
	}{
		{0, geom.V(20, 1, 0)},
		{2 * clock.Second, geom.V(20, 5, -3)}, // +X, turned by 90° about +Y, is −Z
		{4 * clock.Second, geom.V(20, 1, 0)},
		{6 * clock.Second, geom.V(20, 5, -3)},
	} {
		v := collide.WorldAt{World: l.World, At: c.at}
		h, ok := v.Ray(c.want.Add(geom.V(0.3, 1, 0.3)), geom.V(0, -2, 0))
		if !ok || h.Mover != 1 || math.Abs(h.Point.Y-c.want.Y) > 1e-6 {
			t.Errorf("at %v: got %v, %v; want the plate at %v", c.at, h.Point, ok, c.want)
		}
		if _, ok := v.Ray(c.want.Add(geom.V(2.3, 1, 0.3)), geom.V(0, -2, 0)); ok {
			t.Errorf("at %v: the plate is wider than 2 m from its middle", c.at)
		}
	}
	if h, ok := l.World.Ray(geom.V(20.3, 3, 0.3), geom.V(0, -4, 0)); ok {
		t.Errorf("the still world has the plate too: %+v", h)
	}
}

func TestAMoverTurnsAboutItsNode(t *testing.T) {
	l := read(t, moving(`{"mover":{"name":"gate","path":[[0,[0,0,0],0],[1,[0,0,0],90]],"axis":[0,0,2]}}`, `"translation":[20,0,0],`), floorBin())
	v := collide.WorldAt{World: l.World, At: clock.Second}
	// The plate, level and 1 m above the node, stands on end 1 m to its −X.
	if h, ok := v.Ray(geom.V(15, 0.3, 0.3), geom.V(8, 0, 0)); !ok || math.Abs(h.Point.X-19) > 1e-6 {
		t.Errorf("got %v, %v; want the plate upright at x 19", h.Point, ok)
	}
}

func TestVolumesOfTheFile(t *testing.T) { // VOL-01
	l := read(t, volume(`{"volume":{"water":true,"friction":0.5,"priority":-3}}`, `"translation":[20,-1,0],"scale":[2,1,3],`), floorBin())
	v := collide.WorldAt{World: l.World}
	got := v.VolumeAt(geom.V(21.9, -0.1, 2.9))
	if got == nil || !got.Water || got.Friction != 0.5 || got.Priority != -3 || got.Name != "pool" {
		t.Errorf("in the corner of the pool: %+v; want water of friction 0.5, priority −3, called pool", got)
	}
	if got := v.VolumeAt(geom.V(22.1, -0.1, 0)); got != nil {
		t.Errorf("beside the pool: %+v", got)
	}
	l = read(t, volume(`{"volume":{"launch":[0,9,2]}}`, `"rotation":[0,1,0,0],`), floorBin())
	v.World = l.World
	if got := v.VolumeAt(geom.V(0.5, 0.5, 0.5)); got == nil || got.Launch.Dist(geom.V(0, 9, -2)) > 1e-9 {
		t.Errorf("a pad turned by half a circle: %+v; want a launch of 0, 9, −2", got)
	}
}

func TestBrokenMoversAndVolumesAreNamed(t *testing.T) {
	const path = `"path":[[0,[0,0,0]],[1,[1,0,0]]]`
	for _, c := range []struct{ name, text, want string }{
		{"no path", moving(`{"mover":{}}`, ""), `node 2 "lift": extras.backstep.mover.path is empty`},
		{"a path of numbers", moving(`{"mover":{"path":[1,2]}}`, ""), `a key of mover.path is not [seconds, [x, y, z], degrees]`},
		{"a flat key", moving(`{"mover":{"path":[[0,[0,0]]]}}`, ""), `a key of mover.path is not`},
		{"an angle in words", moving(`{"mover":{"path":[[0,[0,0,0],"left"]]}}`, ""), `degrees`},
		{"begins late", moving(`{"mover":{"path":[[1,[0,0,0]]]}}`, ""), `mover.path: key 0 is not at 0`},
		{"jumps", moving(`{"mover":{"path":[[0,[0,0,0]],[0.1,[50,0,0]]]}}`, ""), `node 2 "lift": extras.backstep.mover.path: jumps: from key 0 to 1`},
		{"does not close", moving(`{"mover":{"loop":true,`+path+`}}`, ""), `node 2 "lift": extras.backstep.mover.path:`},
		{"no axis", moving(`{"mover":{"axis":[0,0,0],`+path+`}}`, ""), `axis is not a direction`},
		{"half an axis", moving(`{"mover":{"axis":[1],`+path+`}}`, ""), `axis has 1 numbers`},
		{"an unknown key", moving(`{"mover":{"speed":3,`+path+`}}`, ""), `unknown field "speed"`},
		{"a spawn point too", moving(`{"spawn":true,"mover":{`+path+`}}`, ""), `extras.backstep.mover on a node that is a spawn point`},
		{"beyond everything", moving(`{"mover":{`+path+`}}`, `"translation":[1e9,0,0],`), `node 2 "lift": mover: is 1e+09 m`},
		{"nothing solid", strings.Replace(moving(`{"mover":{`+path+`}}`, ""), `"children":[3],`, "", 1), `nothing below it is solid`},
		{"a mover in a mover", strings.Replace(moving(`{"mover":{`+path+`}}`, ""), `"name":"plate",`,
			`"name":"plate","extras":{"backstep":{"mover":{`+path+`}}},`, 1), `node 3 "plate": is within mover "lift"`},
		{"a trigger of no kind", moving(`{"mover":{"trigger":{},`+path+`}}`, ""), `node 2 "lift": extras.backstep.mover.trigger.kind is ""; must be once, toggle, timed or stop_go`},
		{"a delay in the past", moving(`{"mover":{"trigger":{"kind":"once","delay":-1},`+path+`}}`, ""), `trigger.delay is -1 s; must be 0 or more`},
		{"a long delay", moving(`{"mover":{"trigger":{"kind":"once","delay":3},`+path+`}}`, ""), `mover 1 "lift": trigger: Delay is not 0 to 2 s`},
		{"a hold of no time", moving(`{"mover":{"trigger":{"kind":"timed","hold":0},`+path+`}}`, ""), `Hold of a Timed mover is not 250 ms or more`},
		{"a train that does not loop", moving(`{"mover":{"trigger":{"kind":"stop_go"},`+path+`}}`, ""), `a StopGo mover needs a path that loops`},
		{"a button of nothing", volume(`{"volume":{"button":true}}`, ""), `volume 0 "pool": Button or Waypoint without Triggers: name the mover`},
		{"a button of a missing mover", volume(`{"volume":{"triggers":"gate","button":true}}`, ""), `volume 0 "pool": it triggers gate, and no mover has that name`},
		{"a flat volume", volume(`{"volume":{"water":true}}`, `"scale":[1,0.0001,1],`), `node 2 "pool": volume: thinner`},
		{"a launch of two", volume(`{"volume":{"launch":[1,2]}}`, ""), `launch has 2 numbers`},
		{"an up of nothing", volume(`{"volume":{"up":[0,0,0]}}`, ""), `up is not a direction`},
		{"a priority past 127", volume(`{"volume":{"priority":300}}`, ""), `priority is 300`},
		{"friction below zero", volume(`{"volume":{"friction":-1}}`, ""), `node 2 "pool": volume: `},
		{"a mesh volume", strings.Replace(volume(`{"collide":"mesh","volume":{}}`, ""), `"name":"pool",`, `"name":"pool","mesh":0,`, 1), `a volume is a hull or a box`},
	} {
		_, err := level.Read(glb(c.text, floorBin()))
		if got := fmt.Sprint(err); !strings.Contains(got, c.want) || !strings.HasPrefix(got, "level: ") {
			t.Errorf("%s: got %q, want %q in it", c.name, got, c.want)
		}
	}
}

// BAS-12: a door of a file that opens where somebody comes near: its times, its defaults, and the
// volume that names it, which stands before it in the file.
func TestTriggersOfTheFile(t *testing.T) {
	const path = `"path":[[0,[0,0,0]],[1,[1,0,0]]]`
	for _, c := range []struct {
		text string
		want collide.Trigger
	}{
		{`{"kind":"timed"}`, collide.Trigger{Kind: collide.Timed, Delay: collide.DefaultDelay, Hold: 2 * clock.Second}},
		{`{"kind":"timed","delay":0,"hold":0.75}`, collide.Trigger{Kind: collide.Timed, Hold: 750 * clock.Millisecond}},
		{`{"kind":"toggle","delay":0.35}`, collide.Trigger{Kind: collide.Toggle, Delay: 350 * clock.Millisecond}},
		{`{"kind":"once"}`, collide.Trigger{Kind: collide.Once, Delay: collide.DefaultDelay}},
	} {
		l := read(t, moving(`{"mover":{"trigger":`+c.text+`,`+path+`}}`, ""), floorBin())
		if got := l.World.Movers()[0].Trigger; got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.text, got, c.want)
		}
	}
	text := moving(`{"mover":{"trigger":{"kind":"once","delay":0},`+path+`}}`, "")
	text = strings.Replace(text, `"extras":{"backstep":{"spawn":true}}`, `"extras":{"backstep":{"volume":{"triggers":"lift","waypoint":2,"button":true}}}`, 1)
	l := read(t, text, floorBin())
	var log collide.Triggers
	view := collide.WorldAt{World: l.World.WithTriggers(&log), At: clock.Second}
	log.Open(collide.TriggerCause{Now: clock.Second}, 0)
	place := l.World.VolumeBounds(0).Centre()
	view.TriggerVolumes(geom.Upright(place, geom.Up, .3, .9), true)
	if got := view.PoseAt(1, 2*clock.Second).Translation.Sub(view.Pose(1).Translation); got != geom.V(1, 0, 0) {
		t.Errorf("a second after its button was pressed the lift has gone %v, want 1 along X", got)
	}
}
