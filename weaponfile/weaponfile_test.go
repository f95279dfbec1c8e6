package weaponfile

import (
	"errors"
	"math"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/strictyaml"
)

const page = "../docs/weapons.md"

// example returns the table on the page.
func example(t testing.TB) (text string, all string) {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	all = string(b)
	_, rest, _ := strings.Cut(all, "```yaml\n")
	text, _, _ = strings.Cut(rest, "```")
	return text, all
}

// The example of docs/weapons.md is a table, and says what is expected of it.
func TestThePagesExample(t *testing.T) {
	text, _ := example(t)
	got, err := Read("weapons.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	const ms = clock.Millisecond
	rifle := shot.Rifle()
	rifle.Deploy = 250 * ms
	want := shot.Table{rifle, {
		Name: "shotgun", Range: 40, Pellets: 8, Cooldown: 800 * ms, Reload: 2400 * ms, Magazine: 6,
		Damage:  [rig.HitGroups]uint16{rig.Body: 10, rig.Head: 15, rig.Arm: 8, rig.Leg: 8},
		Falloff: shot.Falloff{From: 6, To: 25, Min: 0.2},
		Spread: shot.Spread{Cone: 3.5 / 180 * math.Pi, Pattern: [][2]float64{
			{0, 0}, {0.5, 0}, {0.25, 0.45}, {-0.25, 0.45}, {-0.5, 0}, {-0.25, -0.45}, {0.25, -0.45}, {0, 0.95}}},
	}, {
		Name: "rocket launcher", Kind: shot.Projectile, Cooldown: clock.Second, Reload: 2500 * ms, Magazine: 4,
		Damage: [rig.HitGroups]uint16{rig.Body: 70, rig.Head: 70, rig.Arm: 70, rig.Leg: 70, 6: 70, 7: 70},
		Flight: shot.Ballistics{Speed: 25, Radius: 0.1, Fuse: 4 * clock.Second, EntityKind: 4},
		Blast:  shot.Blast{Radius: 3, Inner: 0.5, Damage: 70, Min: 0.2, Self: 0.5, Push: 9},
	}, {
		Name: "grenade", Kind: shot.Projectile, Cooldown: 900 * ms, Reload: 3 * clock.Second, Magazine: 3,
		Damage:          [rig.HitGroups]uint16{rig.Body: 10, rig.Head: 20, rig.Arm: 10, rig.Leg: 10},
		Flight:          shot.Ballistics{Speed: 16, Gravity: 9.81, Radius: 0.12, Bounce: 0.45, Fuse: 2 * clock.Second, EntityKind: 5},
		Blast:           shot.Blast{Radius: 4, Inner: 1, Damage: 90, Min: 0.2, Self: 0.7, Push: 8},
		LagCompensation: shot.LagCompensation{Flight: shot.TimelineFade},
	}, {
		Name: "sword", Kind: shot.Melee, Range: 2.2, Cooldown: 600 * ms, Deploy: 250 * ms, Policy: rewind.HeadFirst,
		Damage:          [rig.HitGroups]uint16{rig.Body: 50, rig.Head: 80, rig.Arm: 40, rig.Leg: 40},
		Swing:           shot.Swing{Arc: 110. / 180 * math.Pi, Tilt: 20. / 180 * math.Pi, Begins: 120 * ms, Lasts: 180 * ms, Radius: 0.06},
		LagCompensation: shot.LagCompensation{MaxRewind: 200 * ms, Beyond: shot.Present, Cover: 150 * ms},
	}}
	for i := range want {
		if i >= len(got) || !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("weapon %d:\n got %+v\nwant %+v", i+1, got[i], want[i])
		}
	}
	t.Logf("%d weapons travel in %d bytes", len(got), len(got.Append(nil)))
}

// The page has a row for every key of the schema, with its range, and explains every reason.
func TestThePageHasEveryKeyWithItsRange(t *testing.T) {
	text, all := example(t)
	d, err := strictyaml.Open("weapons.md", []byte(text), MaxFile, "table")
	if err != nil {
		t.Fatal(err)
	}
	r, root := d.Reader()
	r.Keys = map[string]string{}
	root.Mapping(func(m *strictyaml.Mapping) { readTable(m, &shot.Table{}) })
	depends := map[string]string{"falloff.from": "0 … `to`", "blast.inner": "0 … `radius`"}
	for key, bounds := range r.Keys {
		key = strings.TrimPrefix(key, "a weapon.")
		if b, ok := depends[key]; ok {
			bounds = b
		}
		row := regexp.MustCompile("(?m)^\\| `" + key + "` \\| ([^|]*) \\|").FindStringSubmatch(all)
		switch {
		case row != nil && (bounds == "" || row[1] == bounds):
		case row != nil:
			t.Errorf("the page says of %s: %s, want %s", key, row[1], bounds)
		case !strings.HasPrefix(key, "damage.") && !strings.Contains("weapons damage falloff spread swing flight blast lag_compensation", key):
			t.Errorf("the page has no row for %s", key)
		}
	}
	for r := shot.UnknownWeapon; r.String() != "unknown reason"; r++ {
		if !strings.Contains(all, "| "+r.String()+" |") {
			t.Errorf("the page does not explain %q", r)
		}
	}
}

// changed returns a file in which the text before ⇒ is replaced by the text after it, whose /
// begin new lines.
func changed(t *testing.T, change string) string {
	text := strings.Join([]string{
		"weapons:",
		"  - name: rifle",
		"    kind: hitscan",
		"    range: 100",
		"    cooldown: 100ms",
		"    damage: 25",
		"  - name: sword",
		"    kind: melee",
		"    range: 2",
		"    cooldown: 1s",
		"    damage: {body: 10}",
		"    swing: {arc: 90, lasts: 200ms}",
		"  - name: rocket",
		"    kind: projectile",
		"    cooldown: 1s",
		"    damage: 25",
		"    flight: {speed: 20, fuse: 2s}",
		"    blast: {radius: 3, damage: 80}",
	}, "\n") + "\n"
	from, to, ok := strings.Cut(change, " ⇒ ")
	if !ok {
		return change
	}
	if strings.Count(text, from) < 1 {
		t.Fatalf("no %q in the file", from)
	}
	return strings.Replace(text, from, strings.ReplaceAll(to, "/", "\n    "), 1)
}

// Every error has its file and line, the range, and the nearest word.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ change, want string }{
		{"range: 100 ⇒ range: 100", ""},
		{"kind: hitscan ⇒ kind: hitscn", `3: unknown kind "hitscn"; did you mean "hitscan"?`},
		{"range: 100 ⇒ range: 100/magazin: 30", `5: unknown key "magazin" in the rifle; did you mean "magazine"?`},
		{"range: 100 ⇒ range: 5000", `4: range is 5000, not within 0.1 … 4000 m`},
		{"range: 100 ⇒ range: far", `4: range is "far", not a number`},
		{"range: 100 ⇒ range: .inf", `4: range is .inf, not a number`},
		{"range: 100 ⇒ range: 100/range: 50", `5: the key "range" comes twice in a weapon, first in line 4`},
		{"range: 100 ⇒ range:", `4: range has no value`},
		{"    range: 100\n ⇒ ", `2: range is missing in the rifle`},
		{"cooldown: 100ms ⇒ cooldown: 100", `5: cooldown is 100, a time without a unit; did you mean "100ms"?`},
		{"cooldown: 100ms ⇒ cooldown: 100m", `5: cooldown is 100m, and "m" is no unit of time; did you mean "ms"?`},
		{"cooldown: 100ms ⇒ cooldown: 2us", `5: cooldown is 2us, not within 1ms … 60s`},
		{"cooldown: 100ms ⇒ cooldown: [1]", `5: cooldown is a list of 1, not a time such as 80ms`},
		{"damage: 25 ⇒ damage: -1", `6: damage is -1, not within 0 … 65535`},
		{"damage: 25 ⇒ damage: 2.5", `6: damage is 2.5, not a whole number`},
		{"{body: 10} ⇒ {bdoy: 10}", `11: unknown key "bdoy" in damage; did you mean "body"?`},
		{"range: 100 ⇒ range: 100/swing: {lasts: 1s}", `5: swing goes with kind: melee; the rifle is kind: hitscan`},
		{"kind: melee ⇒ kind: melee/pellets: 3", `9: pellets goes with kind: hitscan; the sword is kind: melee`},
		{"cooldown: 1s\n    damage: {body ⇒ cooldown: 100ms\n    damage: {body", `7: cooldown of the sword is 100ms, shorter than its swing of 200ms`},
		{"arc: 90 ⇒ arc: 400", `12: arc is 400, not within 0 … 360 degrees`},
		{", lasts: 200ms ⇒ ", `12: lasts is missing in swing`},
		{"range: 100 ⇒ range: 100/spread: {cone: 50}", `5: cone is 50, not within 0 … 45 degrees`},
		{"range: 100 ⇒ range: 100/spread: {cone: 5, pattern: [[0, 0], [1, 0]]}", `5: pattern, a place for each pellet, has 2 members, not 1`},
		{"range: 100 ⇒ range: 100/spread: {cone: 5, pattern: [[0.9, 0.9]]}", `5: pattern 1 leaves the cone: 0.9² + 0.9² is more than 1`},
		{"range: 100 ⇒ range: 100/spread: {cone: 5, pattern: [7]}", `5: pattern 1 is 7, not two shares of the cone such as [0.5, -0.2]`},
		{"range: 100 ⇒ range: 100/spread: {cone: 5, secret: yes}", `5: secret is "yes", not true or false`},
		{"range: 100 ⇒ range: 100/falloff: {from: 9, to: 5}", `5: from is 9, not within 0 … 5 m`},
		{"range: 100 ⇒ range: 100/lag_compensation: {flight_timeline: fade}", `5: flight_timeline goes with kind: projectile; the rifle is kind: hitscan`},
		{"range: 100 ⇒ range: 100/lag_compensation: {max_rewind: 2s}", `5: max_rewind is 2s, not within 0s … 1s`},
		{"range: 100 ⇒ range: 100/lag_compensation: {beyond: presence}", `5: unknown beyond "presence"; did you mean "present"?`},
		{"speed: 20 ⇒ speed: 0", `17: speed is 0, not within 0.1 … 500 m/s`},
		{"fuse: 2s ⇒ fuse: 11s", `17: fuse is 11s, not within 8333us … 10s`},
		{"    flight: {speed: 20, fuse: 2s}\n ⇒ ", `13: flight is missing in the rocket`},
		{"damage: 80 ⇒ damage: 80, inner: 4", `18: inner is 4, not within 0 … 3 m`},
		{"name: sword ⇒ name: rifle", `7: there is a weapon "rifle" before this one`},
		{"name: sword ⇒ name: a name that is much longer than can be", `7: name is "a name that is much longer than can be", not a name of 1 to 32 bytes`},
		{"kind: melee ⇒ kind: &x melee/policy: *x", `9: aliases are not read here; write the value of *x out`},
		{"kind: melee ⇒ kind: !t melee", `8: tags such as !t are not read here`},
		{"", `1: the file is empty`},
		{"weapons: []\n", `1: weapons has 0 members, not 1 … 8`},
		{"weapons: 3\n", `1: weapons is 3, not a list`},
		{"wepons: []\n", `1: unknown key "wepons"; did you mean "weapons"?`},
		{"7\n", `1: a table of weapons is a mapping of keys, not 7`},
		{"a: b\n---\nc: d\n", `2: a second document begins; a file is one table of weapons`},
		{"weapons: [\n", `not YAML`},
	} {
		_, err := Read("w.yaml", []byte(changed(t, c.change)))
		switch {
		case c.want == "" && err == nil:
		case err == nil:
			t.Errorf("%q is read; want %s", c.change, c.want)
		case c.want == "not YAML":
			if !regexp.MustCompile(`^w\.yaml:\d+: not YAML: `).MatchString(err.Error()) {
				t.Errorf("%q: %v", c.change, err)
			}
		case !strings.HasPrefix(err.Error(), "w.yaml:"+c.want):
			t.Errorf("%q:\n got %v\nwant w.yaml:%s", c.change, err, c.want)
		}
		var one strictyaml.Error
		if err != nil && !errors.As(err, &one) {
			t.Errorf("%q: no strictyaml.Error inside %T", c.change, err)
		}
	}
}

// The errors of a file are listed in the order of their lines, at most 20.
func TestManyMistakes(t *testing.T) {
	_, err := Read("w.yaml", []byte("weapons:\n"+strings.Repeat("  - {kind: no, range: x}\n", 8)))
	var all strictyaml.Errors
	if !errors.As(err, &all) || len(all) != strictyaml.MaxErrors {
		t.Fatalf("%d errors", len(all))
	}
	for i := 1; i < len(all); i++ {
		if all[i].Line < all[i-1].Line {
			t.Errorf("line %d after line %d", all[i].Line, all[i-1].Line)
		}
	}
	if _, err := ReadFile("testdata/none.yaml"); err == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Any bytes are a table that passes its Check and survives encoding, or an error.
func FuzzRead(f *testing.F) {
	text, _ := example(f)
	f.Add([]byte(text))
	f.Add([]byte("weapons: [{name: x, kind: hitscan, range: 1, cooldown: 1s, damage: 1}]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := Read("f", b)
		if (table == nil) == (err == nil) {
			t.Fatalf("%v and %v", table, err)
		}
		if err == nil {
			if again, e := shot.ReadTable(table.Append(nil)); e != nil || !reflect.DeepEqual(again, table) {
				t.Fatalf("%+v became %+v (%v)", table, again, e)
			}
		}
	})
}
