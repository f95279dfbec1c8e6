package arena

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/backstep-net/backstep/shot"
)

//go:generate go test . -run TestTheWeaponsFile -update

// packedWeapons is weapons.yaml as a program has it who reads no YAML.
//
//go:embed weapons.table
var packedWeapons []byte

// Weapons returns the arena's own weapons, a fresh copy: those of weapons.yaml. A match may
// have others (MatchConfig.Weapons), and tells its players so.
func Weapons() shot.Table { return slices.Clone(ownWeapons()) }

// ownWeapons reads the program's own table once: a broken one is a bug.
var ownWeapons = sync.OnceValue(func() shot.Table {
	t, err := shot.ReadTable(packedWeapons)
	if err != nil {
		panic("arena: weapons.table: " + err.Error())
	}
	return t
})
