package shot

import (
	"math"
	"reflect"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
)

// everything is a weapon with something in every field.
func everything() Weapon {
	return Weapon{
		Name: "everything", Kind: Projectile, Range: 50.1, Cooldown: 700 * ms, Reload: 1500 * ms, Deploy: 300 * ms, Magazine: 6,
		Damage:  [rig.HitGroups]uint16{rig.Body: 90, rig.Head: 91, rig.Arm: 92, rig.Leg: 93, rig.Shield: 1, 6: 2, 7: 3},
		Falloff: Falloff{10, 20, 0.1}, Policy: rewind.HeadFirst, Pellets: 2,
		Spread:          Spread{Cone: 0.1, Pattern: [][2]float64{{0.25, -0.5}, {0, 0.3}}, Secret: true},
		Swing:           Swing{Arc: 1.5, Tilt: -0.2, Begins: 100 * ms, Lasts: 200 * ms, Radius: 0.05},
		Flight:          Ballistics{Speed: 25, Gravity: 9.8, Radius: 0.1, Bounce: 0.4, Fuse: 2 * clock.Second, EntityKind: 3},
		Blast:           Blast{Radius: 4, Inner: 1, Damage: 100, Min: 0.2, Self: 0.5, Push: 8},
		LagCompensation: LagCompensation{MaxRewind: 200 * ms, Beyond: Present, Cover: 150 * ms, Flight: TimelineFade},
	}
}

// A server's welcome brings a client the very same table.
func TestTablesTravelWithoutLoss(t *testing.T) {
	want := Table{Rifle(), everything()}
	b := want.Append([]byte("x"))[1:]
	got, err := ReadTable(b)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v (%v), want %+v", got, err, want)
	}
	t.Logf("%d bytes; the rifle alone %d", len(b), len(Table{Rifle()}.Append(nil)))
	full := make(Table, MaxWeapons)
	for i := range full {
		full[i] = everything()
		full[i].Name = "a name that is as long as can be"
		full[i].Pellets, full[i].Spread.Pattern = MaxPellets, make([][2]float64, MaxPellets)
		for k := range full[i].Spread.Pattern {
			full[i].Spread.Pattern[k] = [2]float64{0.7, 0.1 + 1/float64(k+3)}
		}
	}
	if n := len(full.Append(nil)); n > maxTable {
		t.Errorf("the largest table takes %d bytes, more than %d", n, maxTable)
	} else {
		t.Logf("the largest table takes %d bytes", n)
	}
}

// What cannot be played with is an error that names the weapon and the field, and a table
// with it is not read.
func TestTablesAreChecked(t *testing.T) {
	for _, c := range []struct {
		change func(w *Weapon)
		want   string
	}{
		{func(w *Weapon) {}, ""},
		{func(w *Weapon) { w.Name = "" }, `shot: weapon 2: name is "", not 1 to 32 bytes`},
		{func(w *Weapon) { w.Kind = 3 }, "shot: weapon 2, everything: kind is none of hitscan, melee and projectile"},
		{func(w *Weapon) { w.Cooldown = 0 }, "shot: weapon 2, everything: cooldown is 0 µs, not within 1000 … 60000000 µs"},
		{func(w *Weapon) { w.Reload = -1 }, "shot: weapon 2, everything: reload is -1 µs, not within 0 … 60000000 µs"},
		{func(w *Weapon) { w.Falloff.Min = 1.5 }, "shot: weapon 2, everything: falloff least is 1.5, not within 0 … 1"},
		{func(w *Weapon) { w.Falloff.From = 21 }, "shot: weapon 2, everything: falloff from is 21, not within 0 … 20"},
		{func(w *Weapon) { w.Spread.Cone = math.NaN() }, "shot: weapon 2, everything: spread cone is NaN, not within 0 … 0.7853981633974483"},
		{func(w *Weapon) { w.Pellets = 3 }, "shot: weapon 2, everything: spread pattern has 2 pellets of 3"},
		{func(w *Weapon) { w.Spread.Pattern[0][0] = 0.9 }, "shot: weapon 2, everything: spread pattern leaves the cone with pellet 1"},
		{func(w *Weapon) { w.Flight.Fuse = 0 }, "shot: weapon 2, everything: flight fuse is 0 µs, not within 8333 … 10000000 µs"},
		{func(w *Weapon) { w.Flight.Speed = 0 }, "shot: weapon 2, everything: flight speed is 0, not within 0.1 … 500"},
		{func(w *Weapon) { w.Blast.Inner = 5 }, "shot: weapon 2, everything: blast inner is 5, not within 0 … 4"},
		{func(w *Weapon) { w.Kind, w.Range = Hitscan, 0 }, "shot: weapon 2, everything: range is 0, not within 0.1 … 4000"},
		{func(w *Weapon) { w.Kind, w.Range, w.Swing.Lasts = Melee, 2, 0 }, "shot: weapon 2, everything: swing lasts is 0 µs, not within 1000 … 10000000 µs"},
		{func(w *Weapon) { w.Kind, w.Range, w.Cooldown = Melee, 2, 250*ms }, "shot: weapon 2, everything: cooldown is 250000 µs, shorter than the swing"},
		{func(w *Weapon) { w.LagCompensation.MaxRewind = clock.Second + 1 }, "shot: weapon 2, everything: lag compensation max rewind is 1000001 µs, not within 0 … 1000000 µs"},
	} {
		table := Table{Rifle(), everything()}
		c.change(&table[1])
		got := ""
		if err := table.Check(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	for _, n := range []int{0, 9} {
		if err := make(Table, n).Check(); err == nil || err.Error() != "shot: a table has 1 … 8 weapons" {
			t.Errorf("%d weapons: %v", n, err)
		}
	}
}

// FuzzTable: THR-13: any bytes are a table that can be played with or an error, and what
// was read is written as the same bytes.
func FuzzTable(f *testing.F) {
	f.Add(Table{Rifle(), everything()}.Append(nil))
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := ReadTable(b)
		if err == nil && string(table.Append(nil)) != string(b) {
			t.Fatalf("read %x, wrote %x", b, table.Append(nil))
		}
	})
}

// No field is missing from the list: NaN in any number and a negative time anywhere is refused
// by name, and any change of a field changes the packed table.
func TestEveryFieldOfAWeaponIsListed(t *testing.T) {
	n := 0
	var visit func(path string, v reflect.Value, w *Weapon)
	visit = func(path string, v reflect.Value, w *Weapon) {
		switch x := v.Addr().Interface().(type) {
		case *float64:
			n++
			old := *x
			*x = math.NaN()
			if err := (Table{*w}).Check(); err == nil {
				t.Errorf("%s: NaN is not refused", path)
			}
			*x = old
			return
		case *clock.Micros:
			n++
			old := *x
			*x = -1
			if err := (Table{*w}).Check(); err == nil {
				t.Errorf("%s: −1 µs is not refused", path)
			}
			*x = old
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				visit(path+"."+v.Type().Field(i).Name, v.Field(i), w)
			}
		case reflect.Array, reflect.Slice:
			for i := range v.Len() {
				visit(path, v.Index(i), w)
			}
		case reflect.Uint8, reflect.Uint16, reflect.Bool:
			n++
			before, old := string(Table{*w}.Append(nil)), reflect.ValueOf(v.Interface())
			if v.Kind() == reflect.Bool {
				v.SetBool(!v.Bool())
			} else if v.Uint() > 0 {
				v.SetUint(v.Uint() - 1)
			} else {
				v.SetUint(1)
			}
			if (Table{*w}).Check() == nil && string(Table{*w}.Append(nil)) == before {
				t.Errorf("%s: a change does not change the packed table", path)
			}
			v.Set(old)
		}
	}
	w := everything()
	visit("Weapon", reflect.ValueOf(&w).Elem(), &w)
	if want := everything(); n < 40 || !reflect.DeepEqual(w, want) {
		t.Errorf("visited %d fields, want at least 40; left %+v, want %+v", n, w, want)
	}
}
