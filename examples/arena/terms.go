package arena

import (
	"errors"

	"github.com/backstep-net/backstep/shot"
)

// Terms is what the game's clients must know before they enter a match: its weapons, as
// bytes for session.ServerConfig.MatchInfo.
func (g *Game) Terms() []byte { return g.weapons.Append(nil) }

// SetTerms takes over a match's terms, as they came with session.Welcomed; none leaves the
// arena's own weapons. Call it before Enter. What makes no sense is an error, and changes
// nothing.
func (g *Game) SetTerms(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	t, err := shot.ReadTable(b)
	if err != nil {
		return errors.New("arena: the match's weapons make no sense here: " + err.Error())
	}
	g.weapons = t
	return nil
}

// SetWeapons makes a table the game's, before its match begins. It panics where that is no
// table to play with (shot.Table.Check).
func (g *Game) SetWeapons(t shot.Table) {
	if err := t.Check(); err != nil {
		panic("arena: " + err.Error())
	}
	g.weapons = t
}
