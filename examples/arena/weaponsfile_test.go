package arena

import (
	"bytes"
	"os"
	"testing"

	"github.com/backstep-net/backstep/armoury"
	"github.com/backstep-net/backstep/shot"
)

// What the program plays by is what weapons.yaml says; -update writes it anew.
func TestTheWeaponsFile(t *testing.T) {
	table, err := armoury.ReadFile("weapons.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := table.Append(nil)
	if *update {
		if err := os.WriteFile("weapons.table", want, 0o644); err != nil {
			t.Fatal(err)
		}
		packedWeapons = want
	}
	if !bytes.Equal(packedWeapons, want) {
		t.Errorf("weapons.table is not weapons.yaml: go generate ./examples/arena")
	}
	for _, w := range table {
		if w.Kind == shot.Projectile && w.Flight.Looks != KindRocket && w.Flight.Looks != KindGrenade {
			t.Errorf("the %s looks like kind %d, which nobody draws", w.Name, w.Flight.Looks)
		}
	}
	t.Logf("%d bytes in the welcome", len(want))
}
