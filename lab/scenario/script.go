package scenario

import (
	"cmp"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/strictyaml"
)

// readScript reads the script of player i and sorts it by time.
func (r *reader) readScript(v strictyaml.Value, i int) {
	var out []Entry
	v.List(0, MaxEntries, func(_ int, v strictyaml.Value) {
		v.Mapping(func(m *strictyaml.Mapping) {
			e := r.readEntry(m, i)
			times, every := readRepetition(m, len(out), MaxEntries, "the entries of the script")
			for ; times > 0 && e.At <= MaxTime; times-- {
				out = append(out, e)
				e.At += every
			}
		})
	})
	slices.SortStableFunc(out, func(a, b Entry) int { return cmp.Compare(a.At, b.At) })
	r.Players[i].Script = out
}

func (r *reader) readEntry(m *strictyaml.Mapping, player int) Entry {
	e := Entry{Line: m.Line}
	m.Key("at").Required().Time(&e.At, 0, MaxTime)
	if idle(m.Given()) {
		m.Errorf("the entry at %s does nothing", strictyaml.FormatTime(e.At))
	}
	number := func(key string, into **float64) {
		if x := 0.0; m.Key(key).Number(&x, -1, 1, "") {
			*into = &x
		}
	}
	angle := func(key string, into **float64, most float64) {
		if x := 0.0; m.Key(key).Angle(&x, -most, most) {
			*into = &x
		}
	}
	button := func(key string, into **bool) {
		if x := false; m.Key(key).Bool(&x) {
			*into = &x
		}
	}
	number("forward", &e.Forward)
	number("right", &e.Right)
	number("up", &e.Up)
	angle("yaw", &e.Yaw, 360)
	angle("turn", &e.Turn, 3600)
	angle("pitch", &e.Pitch, 90)
	angle("tilt", &e.Tilt, 3600)
	button("jump", &e.Jump)
	button("crouch", &e.Crouch)
	m.Key("press").Word(&e.Press, r.options.Buttons)
	m.Key("release").Word(&e.Release, r.options.Buttons)
	r.readMode(m, &e)
	if x := (geom.Vec3{}); m.Key("push").Vector(&x, 1000) {
		e.Push = &x
	}
	m.Key("fire").Mapping(func(m *strictyaml.Mapping) { e.Fire = r.readFire(m, player) })
	m.Key("root_motion").Mapping(func(m *strictyaml.Mapping) { e.RootMotion = readRootMotion(m) })
	return e
}

// idle reports whether an entry has a time and nothing else.
func idle(keys []string) bool {
	only := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == "every" || k == "times" })
	return len(only) == 1 && only[0] == "at"
}

// readMode reads a movement mode, and the path of mode path: by default the first.
func (r *reader) readMode(m *strictyaml.Mapping, e *Entry) {
	mode, name := m.Key("mode"), ""
	known := mode.Word(&e.Mode, modes)
	v := m.Key("path").When(e.Mode == "path" || mode.Given() && !known, "goes with mode: path")
	switch {
	case e.Mode == "path" && len(r.Paths) == 0:
		m.Errorf("mode is path, and the scenario has no paths")
	case v.Word(&name, r.pathNames()):
		e.Path = r.path(name)
	}
}

// readFire reads a shot at a player, or along two angles.
func (r *reader) readFire(m *strictyaml.Mapping, shooter int) *Fire {
	x := &Fire{Weapon: "rifle"}
	m.Key("weapon").Word(&x.Weapon, r.options.Weapons)
	at, yaw, pitch := m.Key("at"), m.Key("yaw"), m.Key("pitch")
	switch {
	case at.Given() && (yaw.Given() || pitch.Given()):
		m.Errorf("fire has at and angles; it has one of the two")
	case at.Given():
		x.Part = "body"
		if r.readPlayerName(at, &x.At); x.At != "" && x.At == r.Players[shooter].Name {
			at.Errorf("%s fires at itself", x.At)
		}
	case !yaw.Given():
		m.Errorf("fire has neither at nor yaw")
	}
	m.Key("part").When(at.Given(), "goes with at").Word(&x.Part, Parts())
	m.Key("lead").When(at.Given(), "goes with at").Bool(&x.Lead)
	yaw.Angle(&x.Yaw, -360, 360)
	pitch.Angle(&x.Pitch, -90, 90)
	return x
}

// readRootMotion reads a motion. Each kind has keys of its own, all required.
func readRootMotion(m *strictyaml.Mapping) *RootMotion {
	x := &RootMotion{}
	known := m.Key("kind").Required().Word(&x.Kind, rootMotions)
	m.Key("for").Required().Time(&x.For, clock.Microsecond, MaxTime)
	key := func(name, kind string) strictyaml.Value {
		v := m.Key(name)
		if x.Kind == kind {
			return v.Required()
		}
		return v.When(!known, "goes with kind: %s", kind)
	}
	key("velocity", "constant_force").Vector(&x.Velocity, 1000)
	key("centre", "radial_force").Vector(&x.Centre, MaxReach)
	key("radius", "radial_force").Number(&x.Radius, thin, MaxReach, "m")
	key("strength", "radial_force").Number(&x.Strength, -1000, 1000, "m/s")
	key("target", "move_to").Vector(&x.Target, MaxReach)
	key("displacement", "jump_to").Vector(&x.Displacement, MaxReach)
	key("height", "jump_to").Number(&x.Height, 0, MaxReach, "m")
	mode, by := additiveModes[0], motionStarters[0]
	if x.Kind == "radial_force" {
		mode = "additive"
	}
	v := m.Key("mode")
	v.Word(&mode, additiveModes)
	m.Key("by").Word(&by, motionStarters)
	x.Additive, x.ByOwner = mode == "additive", by == "owner"
	if x.Additive && (x.Kind == "move_to" || x.Kind == "jump_to") {
		v.Errorf("a %s sets the position of the character; it cannot be additive", x.Kind)
	}
	strictyaml.Whole(m.Key("priority"), &x.Priority, -128, 127)
	m.Key("local").When(x.Kind == "constant_force" || !known, "goes with kind: constant_force").Bool(&x.Local)
	m.Key("ignore_vertical").Bool(&x.IgnoreVertical)
	if f := (geom.Vec3{}); m.Key("finish").Vector(&f, 1000) {
		x.Finish = &f
	}
	if c := 0.0; m.Key("clamp").Number(&c, 0, 1000, "m/s") {
		x.Clamp = &c
	}
	if x.Finish != nil && x.Clamp != nil {
		m.Errorf("root_motion has finish and clamp; it has one of the two")
	}
	return x
}
