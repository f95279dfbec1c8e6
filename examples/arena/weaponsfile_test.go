package arena

import (
	"bytes"
	"os"
	"testing"

	"github.com/backstep-net/backstep/internal/embedded"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/weaponfile"
)

// What the program plays by is what weapons.yaml says; -update writes it anew.
func TestTheWeaponsFile(t *testing.T) {
	table, err := weaponfile.ReadFile("weapons.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := table.Append(nil)
	if *update {
		source := embedded.Source("arena", "packedWeapons is weapons.yaml in packed form, so that programs need no YAML reader.",
			"packedWeapons", want)
		if err := os.WriteFile("weapons_table.go", source, 0o644); err != nil {
			t.Fatal(err)
		}
		packedWeapons = want
	}
	if !bytes.Equal(packedWeapons, want) {
		t.Errorf("weapons_table.go is not weapons.yaml: go generate ./examples/arena")
	}
	for _, w := range table {
		if w.Kind == shot.Projectile && w.Flight.EntityKind != KindRocket && w.Flight.EntityKind != KindGrenade {
			t.Errorf("the %s looks like kind %d, which nobody draws", w.Name, w.Flight.EntityKind)
		}
	}
	t.Logf("%d bytes in the welcome", len(want))
}
