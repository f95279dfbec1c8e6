package scenario

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// motionKeys are those of each kind of root motion, all needed.
var motionKeys = map[string][]string{
	"constant_force": {"velocity"},
	"radial_force":   {"centre", "radius", "strength"},
	"move_to":        {"target"},
	"jump_to":        {"way", "height"},
}

// rootMotion reads a motion. An unknown kind may have the keys of any.
func (f fields) rootMotion(x *RootMotion) {
	n := f.of["root_motion"]
	keys := []string{"kind", "for", "by", "mode", "priority", "local", "ignore_vertical", "finish", "clamp"}
	kind := value(n, "kind")
	for _, k := range RootMotions() {
		if kind == nil || motionKeys[kind.Value] == nil || k == kind.Value {
			keys = append(keys, motionKeys[k]...)
		}
	}
	g := f.fields(n, "root_motion", keys...)
	g.need("kind")
	g.used("kind", &x.Kind, RootMotions(), UseRootMotion)
	g.need(append(motionKeys[x.Kind], "for")...)
	g.time("for", &x.For, clock.Microsecond, MaxTime)
	g.vector("velocity", &x.Velocity, 1000)
	g.vector("centre", &x.Centre, MaxReach)
	g.number("radius", &x.Radius, thin, MaxReach)
	g.number("strength", &x.Strength, -1000, 1000)
	g.vector("target", &x.Target, MaxReach)
	g.vector("way", &x.Way, MaxReach)
	g.number("height", &x.Height, 0, MaxReach)
	g.acting(x)
}

// acting reads how a motion acts beside others, and how it ends.
func (f fields) acting(x *RootMotion) {
	mode, by := "override", "server"
	if x.Kind == "radial_force" {
		mode = "additive"
	}
	f.word("mode", &mode, []string{"override", "additive"})
	f.word("by", &by, []string{"server", "owner"})
	x.Additive, x.ByOwner = mode == "additive", by == "owner"
	if x.Additive && (x.Kind == "move_to" || x.Kind == "jump_to") {
		f.add(f.of["mode"].Line, "a %s says where the character is; it cannot be additive", x.Kind)
	}
	f.whole("priority", &x.Priority, -128, 127)
	f.truth("local", &x.Local)
	f.truth("ignore_vertical", &x.IgnoreVertical)
	x.Finish = optional(f, "finish", func(v *geom.Vec3) { f.vector("finish", v, 1000) })
	x.Clamp = optional(f, "clamp", func(v *float64) { f.number("clamp", v, 0, 1000) })
	if x.Finish != nil && x.Clamp != nil {
		f.add(f.node.Line, "root_motion has finish and clamp; it has one of the two")
	}
}
