package arena

import (
	"slices"
	"sync"

	"github.com/backstep-net/backstep/shot"
)

//go:generate go test . -run TestTheWeaponsFile -update

// Weapons returns a copy of the arena's own weapons, those of weapons.yaml. A match may
// have others (MatchConfig.Weapons) and sends them to its players.
func Weapons() shot.Table { return slices.Clone(ownWeapons()) }

// ownWeapons unpacks the embedded table once: a broken one is a bug.
var ownWeapons = sync.OnceValue(func() shot.Table {
	t, err := shot.ReadTable(packedWeapons)
	if err != nil {
		panic("arena: packedWeapons: " + err.Error())
	}
	return t
})

// SetWeapons sets the table before a match begins. It panics if the table is invalid
// (shot.Table.Check).
func (g *Game) SetWeapons(t shot.Table) {
	if err := t.Check(); err != nil {
		panic("arena: " + err.Error())
	}
	g.weapons = t
}
