package weaponfile

import (
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/strictyaml"
	"github.com/backstep-net/backstep/track"
)

// The words that files use, by the numbers that are meant.
var (
	kinds    = []string{"rays", "melee", "projectile"}
	policies = []string{"nearest", "head-first"}
	beyonds  = []string{"match", "capped", "present"}
	leads    = []string{"shooter", "fade", "present"}
)

// keys are those of a weapon.
var keys = []string{
	"name", "kind", "reach", "cooldown", "reload", "draw", "magazine", "damage", "falloff", "policy",
	"pellets", "spread", "swing", "flight", "blast", "favour",
}

// only says which keys go with which kinds alone.
var only = []struct {
	key   string
	kinds []shot.Kind
}{
	{"pellets", []shot.Kind{shot.Rays}},
	{"falloff", []shot.Kind{shot.Rays, shot.Melee}},
	{"spread", []shot.Kind{shot.Rays, shot.Projectile}},
	{"reach", []shot.Kind{shot.Rays, shot.Melee}},
	{"swing", []shot.Kind{shot.Melee}},
	{"flight", []shot.Kind{shot.Projectile}},
	{"blast", []shot.Kind{shot.Projectile}},
}

// mostTime is the longest time of a hand: to fire again, to reload, to draw.
const mostTime = 60 * clock.Second

// table reads the whole file.
func (r *reader) table(root *yaml.Node) shot.Table {
	if root == nil {
		return nil
	}
	f := r.fields(root, "the file", "weapons")
	f.need("weapons")
	list := f.get("weapons")
	switch {
	case list == nil:
		return nil
	case list.Kind != yaml.SequenceNode:
		r.add(list.Line, "weapons is %s, not a list", strictyaml.Describe(list))
		return nil
	case len(list.Content) == 0 || len(list.Content) > shot.MaxWeapons:
		r.add(list.Line, "weapons has %d members, not 1 … %d", len(list.Content), shot.MaxWeapons)
		return nil
	}
	t := make(shot.Table, len(list.Content))
	named := map[string]bool{}
	for i, n := range list.Content {
		if r.weapon(n, &t[i]); t[i].Name != "" && named[t[i].Name] {
			r.add(n.Line, "there is a weapon %q before this one", t[i].Name)
		}
		named[t[i].Name] = true
	}
	return t
}

func (r *reader) weapon(n *yaml.Node, w *shot.Weapon) {
	f := r.fields(n, "a weapon", keys...)
	f.text("name", &w.Name)
	if w.Name != "" {
		f.name = "the " + w.Name
	}
	word(f, "kind", &w.Kind, kinds)
	f.need("name", "kind", "cooldown", "damage")
	for _, o := range only {
		f.only(f.name, w.Kind, o.key, o.kinds)
	}
	f.number("reach", &w.Reach, 0.1, shot.MaxReach)
	f.time("cooldown", &w.Cooldown, clock.Millisecond, mostTime)
	f.time("reload", &w.Reload, 0, mostTime)
	f.time("draw", &w.Draw, 0, mostTime)
	whole(f, "magazine", &w.Magazine, 255)
	f.damage(w)
	word(f, "policy", &w.Policy, policies)
	whole(f, "pellets", &w.Pellets, shot.MaxPellets)
	f.falloff(&w.Falloff)
	f.spread(w)
	f.favour(w)
	switch w.Kind {
	case shot.Rays:
		f.need("reach")
	case shot.Melee:
		f.need("reach", "swing")
		f.swing(w)
	case shot.Projectile:
		f.need("flight")
		f.flight(&w.Flight)
		f.blast(&w.Blast)
	}
}

// only complains of a key that does not go with the kind.
func (f fields) only(whose string, kind shot.Kind, key string, of []shot.Kind) {
	n := f.of[key]
	if n == nil {
		return
	}
	words := ""
	for _, k := range of {
		if k == kind {
			return
		}
		if words != "" {
			words += " or "
		}
		words += kinds[k]
	}
	f.add(n.Line, "%s goes with kind: %s; %s is kind: %s", key, words, whose, kinds[kind])
}

// damage reads a number for every part but a shield, or a mapping of parts.
func (f fields) damage(w *shot.Weapon) {
	n := f.get("damage")
	if n == nil {
		return
	}
	if n.Kind == yaml.ScalarNode {
		var all uint16
		whole(f, "damage", &all, math.MaxUint16)
		for tag := rig.Body; tag < rig.Tags; tag++ {
			if tag != rig.Shield {
				w.Damage[tag] = all
			}
		}
		return
	}
	var parts []string
	for tag := rig.Body; tag < rig.Tags; tag++ {
		parts = append(parts, tag.String())
	}
	g := f.fields(n, "damage", parts...)
	for i, part := range parts {
		whole(g, part, &w.Damage[i+1], math.MaxUint16)
	}
}

func (f fields) falloff(into *shot.Falloff) {
	n := f.get("falloff")
	if n == nil {
		return
	}
	g := f.fields(n, "falloff", "from", "to", "least")
	g.need("to")
	g.number("to", &into.To, 0.1, shot.MaxReach)
	g.number("from", &into.From, 0, into.To)
	g.number("least", &into.Least, 0, 1)
}

func (f fields) spread(w *shot.Weapon) {
	n := f.get("spread")
	if n == nil {
		return
	}
	g := f.fields(n, "spread", "cone", "pattern", "secret")
	g.need("cone")
	g.angle("cone", &w.Spread.Cone, 0, 45)
	g.truth("secret", &w.Spread.Secret)
	p := g.get("pattern")
	if p == nil {
		return
	}
	pellets := max(int(w.Pellets), 1)
	if p.Kind != yaml.SequenceNode || len(p.Content) != pellets {
		f.add(p.Line, "pattern is %s, not one place for each of %d pellets", strictyaml.Describe(p), pellets)
		return
	}
	for i, place := range p.Content {
		w.Spread.Pattern = append(w.Spread.Pattern, f.place(place, "pattern "+strconv.Itoa(i+1)))
	}
}

// place reads [right, up], in shares of the cone.
func (r *reader) place(n *yaml.Node, name string) (at [2]float64) {
	if n.Kind != yaml.SequenceNode || len(n.Content) != 2 {
		r.add(n.Line, "%s is %s, not two shares of the cone such as [0.5, -0.2]", name, strictyaml.Describe(n))
		return at
	}
	for i, c := range n.Content {
		at[i], _ = r.number(c, name, -1, 1)
	}
	if at[0]*at[0]+at[1]*at[1] > 1 {
		r.add(n.Line, "%s leaves the cone: %s² + %s² is more than 1", name, short(at[0]), short(at[1]))
		return [2]float64{}
	}
	return at
}

func (f fields) swing(w *shot.Weapon) {
	n := f.get("swing")
	if n == nil {
		return
	}
	s := &w.Swing
	g := f.fields(n, "swing", "arc", "tilt", "begins", "lasts", "radius")
	g.need("lasts")
	g.angle("arc", &s.Arc, 0, 360)
	g.angle("tilt", &s.Tilt, -180, 180)
	g.time("begins", &s.Begins, 0, shot.MaxFuse)
	g.time("lasts", &s.Lasts, clock.Millisecond, shot.MaxFuse)
	g.number("radius", &s.Radius, 0, 2)
	if w.Cooldown > 0 && s.Lasts > 0 && w.Cooldown < s.Begins+s.Lasts {
		f.add(f.node.Line, "cooldown of %s is %s, shorter than its swing of %s", f.name, spell(w.Cooldown), spell(s.Begins+s.Lasts))
	}
}

func (f fields) flight(into *shot.Ballistics) {
	n := f.get("flight")
	if n == nil {
		return
	}
	g := f.fields(n, "flight", "speed", "gravity", "radius", "bounce", "fuse", "looks")
	g.need("speed", "fuse")
	g.number("speed", &into.Speed, 0.1, shot.MaxSpeed)
	g.number("gravity", &into.Gravity, 0, 100)
	g.number("radius", &into.Radius, 0, 2)
	g.number("bounce", &into.Bounce, 0, 1)
	g.time("fuse", &into.Fuse, shot.FlightStep, shot.MaxFuse)
	looks := uint8(into.EntityKind)
	whole(g, "looks", &looks, 255)
	into.EntityKind = track.Kind(looks)
}

func (f fields) blast(into *shot.Blast) {
	n := f.get("blast")
	if n == nil {
		return
	}
	g := f.fields(n, "blast", "radius", "inner", "damage", "least", "self", "push")
	g.need("radius", "damage")
	g.number("radius", &into.Radius, 0.1, shot.MaxBlast)
	g.number("inner", &into.Inner, 0, into.Radius)
	whole(g, "damage", &into.Damage, math.MaxUint16)
	g.number("least", &into.Least, 0, 1)
	g.number("self", &into.Self, 0, 1)
	g.number("push", &into.Push, 0, 100)
}

func (f fields) favour(w *shot.Weapon) {
	n, into := f.get("favour"), &w.LagCompensation
	if n == nil {
		return
	}
	g := f.fields(n, "favour", "cap", "beyond", "cover", "flight")
	g.time("cap", &into.Cap, 0, shot.MaxLagCompensation)
	word(g, "beyond", &into.Beyond, beyonds)
	g.time("cover", &into.Cover, 0, shot.MaxLagCompensation)
	g.only(f.name, w.Kind, "flight", []shot.Kind{shot.Projectile})
	word(g, "flight", &into.Flight, leads)
}
