package weaponfile

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/strictyaml"
)

// The words of files, each at the index of its number in package shot.
var (
	kinds     = []string{shot.Hitscan.String(), shot.Melee.String(), shot.Projectile.String()}
	policies  = []string{"nearest", "head-first"}
	beyonds   = []string{"match", "capped", "present"}
	timelines = []string{"shooter", "fade", "present"}
)

// maxTime is the longest cooldown, reload and deploy.
const maxTime = 60 * clock.Second

// readTable is the schema of a file.
func readTable(m *strictyaml.Mapping, t *shot.Table) {
	named := map[string]bool{}
	m.Key("weapons").Required().List(1, shot.MaxWeapons, func(_ int, v strictyaml.Value) {
		w := shot.Weapon{}
		v.Name = "a weapon"
		v.Mapping(func(m *strictyaml.Mapping) { readWeapon(m, &w) })
		if w.Name != "" && named[w.Name] {
			v.Errorf("there is a weapon %q before this one", w.Name)
		}
		named[w.Name] = true
		*t = append(*t, w)
	})
}

// readWeapon is the schema of a weapon. Some keys go with some kinds alone.
func readWeapon(m *strictyaml.Mapping, w *shot.Weapon) {
	v := m.Key("name").Required()
	if v.Text(&w.Name, "a name of 1 to "+strconv.Itoa(shot.MaxName)+" bytes", isName) {
		m.Name = "the " + w.Name
	}
	strictyaml.Index(m.Key("kind").Required(), &w.Kind, kinds)
	with := func(v strictyaml.Value, of ...shot.Kind) strictyaml.Value {
		var words []string
		for _, k := range of {
			words = append(words, kinds[k])
		}
		return v.When(slices.Contains(of, w.Kind), "goes with kind: %s; %s is kind: %s", strings.Join(words, " or "), m.Name, kinds[w.Kind])
	}
	needed := func(v strictyaml.Value, of ...shot.Kind) strictyaml.Value {
		if slices.Contains(of, w.Kind) {
			v.Required()
		}
		return with(v, of...)
	}
	needed(m.Key("range"), shot.Hitscan, shot.Melee).Number(&w.Range, 0.1, shot.MaxRange, "m")
	m.Key("cooldown").Required().Time(&w.Cooldown, clock.Millisecond, maxTime)
	m.Key("reload").Time(&w.Reload, 0, maxTime)
	m.Key("deploy").Time(&w.Deploy, 0, maxTime)
	strictyaml.Whole(m.Key("magazine"), &w.Magazine, 0, 255)
	readDamage(m.Key("damage").Required(), &w.Damage)
	strictyaml.Index(m.Key("policy"), &w.Policy, policies)
	strictyaml.Whole(with(m.Key("pellets"), shot.Hitscan), &w.Pellets, 0, shot.MaxPellets)
	with(m.Key("falloff"), shot.Hitscan, shot.Melee).Mapping(func(m *strictyaml.Mapping) {
		m.Key("to").Required().Number(&w.Falloff.To, 0.1, shot.MaxRange, "m")
		m.Key("from").Number(&w.Falloff.From, 0, w.Falloff.To, "m")
		m.Key("min").Number(&w.Falloff.Min, 0, 1, "")
	})
	with(m.Key("spread"), shot.Hitscan, shot.Projectile).Mapping(func(m *strictyaml.Mapping) {
		m.Key("cone").Required().Angle(&w.Spread.Cone, 0, 45)
		m.Key("secret").Bool(&w.Spread.Secret)
		readPattern(m.Key("pattern"), w)
	})
	needed(m.Key("swing"), shot.Melee).Mapping(func(m *strictyaml.Mapping) { readSwing(m, &w.Swing) })
	if s := &w.Swing; w.Cooldown > 0 && s.Lasts > 0 && w.Cooldown < s.Begins+s.Lasts {
		m.Errorf("cooldown of %s is %s, shorter than its swing of %s", m.Name, strictyaml.FormatTime(w.Cooldown), strictyaml.FormatTime(s.Begins+s.Lasts))
	}
	needed(m.Key("flight"), shot.Projectile).Mapping(func(m *strictyaml.Mapping) { readFlight(m, &w.Flight) })
	with(m.Key("blast"), shot.Projectile).Mapping(func(m *strictyaml.Mapping) { readBlast(m, &w.Blast) })
	m.Key("lag_compensation").Mapping(func(m *strictyaml.Mapping) {
		l := &w.LagCompensation
		m.Key("max_rewind").Time(&l.MaxRewind, 0, shot.MaxLagCompensation)
		strictyaml.Index(m.Key("beyond"), &l.Beyond, beyonds)
		m.Key("cover").Time(&l.Cover, 0, shot.MaxLagCompensation)
		strictyaml.Index(with(m.Key("flight_timeline"), shot.Projectile), &l.Flight, timelines)
	})
}

func isName(s string) bool {
	return s != "" && len(s) <= shot.MaxName && !strings.ContainsFunc(s, unicode.IsControl)
}

// readDamage reads one number for every hit group but a shield, or a mapping by hit group.
func readDamage(v strictyaml.Value, damage *[rig.HitGroups]uint16) {
	if v.IsMapping() {
		v.Mapping(func(m *strictyaml.Mapping) {
			for group := rig.Body; group < rig.HitGroups; group++ {
				strictyaml.Whole(m.Key(group.String()), &damage[group], 0, math.MaxUint16)
			}
		})
		return
	}
	var all uint16
	strictyaml.Whole(v, &all, 0, math.MaxUint16)
	for group := rig.Body; group < rig.HitGroups; group++ {
		if group != rig.Shield {
			damage[group] = all
		}
	}
}

// readPattern reads where in the cone each pellet goes: [right, up], in shares of the cone.
func readPattern(v strictyaml.Value, w *shot.Weapon) {
	pellets := max(int(w.Pellets), 1)
	v.Name = "pattern, a place for each pellet,"
	v.List(pellets, pellets, func(i int, v strictyaml.Value) {
		v.Name = "pattern " + strconv.Itoa(i+1)
		var at [2]float64
		v.Numbers(at[:], -1, 1, "two shares of the cone such as [0.5, -0.2]")
		if at[0]*at[0]+at[1]*at[1] > 1 {
			v.Errorf("%s leaves the cone: %v² + %v² is more than 1", v.Name, at[0], at[1])
		}
		w.Spread.Pattern = append(w.Spread.Pattern, at)
	})
}

func readSwing(m *strictyaml.Mapping, s *shot.Swing) {
	m.Key("arc").Angle(&s.Arc, 0, 360)
	m.Key("tilt").Angle(&s.Tilt, -180, 180)
	m.Key("begins").Time(&s.Begins, 0, shot.MaxFuse)
	m.Key("lasts").Required().Time(&s.Lasts, clock.Millisecond, shot.MaxFuse)
	m.Key("radius").Number(&s.Radius, 0, 2, "m")
}

func readFlight(m *strictyaml.Mapping, b *shot.Ballistics) {
	m.Key("speed").Required().Number(&b.Speed, 0.1, shot.MaxSpeed, "m/s")
	m.Key("gravity").Number(&b.Gravity, 0, 100, "m/s²")
	m.Key("radius").Number(&b.Radius, 0, 2, "m")
	m.Key("bounce").Number(&b.Bounce, 0, 1, "")
	m.Key("fuse").Required().Time(&b.Fuse, shot.FlightStep, shot.MaxFuse)
	strictyaml.Whole(m.Key("entity_kind"), &b.EntityKind, 0, 255)
}

func readBlast(m *strictyaml.Mapping, b *shot.Blast) {
	m.Key("radius").Required().Number(&b.Radius, 0.1, shot.MaxBlast, "m")
	m.Key("inner").Number(&b.Inner, 0, b.Radius, "m")
	strictyaml.Whole(m.Key("damage").Required(), &b.Damage, 0, math.MaxUint16)
	m.Key("min").Number(&b.Min, 0, 1, "")
	m.Key("self").Number(&b.Self, 0, 1, "")
	m.Key("push").Number(&b.Push, 0, 100, "m/s")
}
