package arena

import (
	"errors"

	"github.com/backstep-net/backstep/shot"
)

// MatchInfo returns what clients must know before they enter a match: the weapons, as bytes
// for session.ServerConfig.MatchInfo.
func (g *Game) MatchInfo() []byte { return g.weapons.Append(nil) }

// SetMatchInfo applies a match's info, as received with session.Welcomed; an empty one
// keeps the arena's own weapons. Call it before Enter. Malformed bytes are an error and
// change nothing.
func (g *Game) SetMatchInfo(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	t, err := shot.ReadTable(b)
	if err != nil {
		return errors.New("arena: invalid weapons of the match: " + err.Error())
	}
	g.weapons = t
	return nil
}

// SetWeapons sets the table before a match begins. It panics if the table is invalid
// (shot.Table.Check).
func (g *Game) SetWeapons(t shot.Table) {
	if err := t.Check(); err != nil {
		panic("arena: " + err.Error())
	}
	g.weapons = t
}
