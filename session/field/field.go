// Package field replicates values that a game declares: a player's team and score, what it has in
// hand, which player is "it", facts of the match. A field is a number or a text of each player,
// entity, or of the match itself (id 0). It costs nothing while it does not change; a change is sent
// to its audience in each datagram until it is acknowledged. Numbers keep their history, so that
// clients read those of others at the view time.
//
// A value that changes a hitbox belongs into the pose (track.GameData.UserData) and not into a field,
// because shots are judged at the exact instant of the view.
//
// A game declares them in session.Game.Fields, sets them with session.Server.SetNumber and SetText,
// and reads them with session.Client.Number and Text:
//
//	game.Fields = []session.Field[Hero]{{Name: "score", Max: 999}, {Name: "name", Text: 24}}
//
// Only a game that brings its own session uses this package. Start at [Spec]: the server has a [Table],
// and a [Cursor] for each client; a client has a [Mirror], built from the same list of specs.
package field

import (
	"unicode/utf8"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/track"
)

// MaxFields is the most fields that a game declares. A cellRef, and the size of an entry on the wire
// (entryBits), count on it.
const MaxFields = 64

// MaxText is the most bytes of a text.
const MaxText = 255

// Audience says which clients receive a field.
type Audience uint8

// The audiences.
const (
	// Everyone is all clients of the match, also those that cannot see the player: what must
	// stay hidden with it belongs into the pose.
	Everyone Audience = iota
	// Owner is the player whose field it is.
	Owner
	// Team is the players whose number in the field "team" is the same, and not 0. A value is
	// not taken back from a player that changes its team, but one that leaves a team, or the match,
	// takes its own values along.
	Team
)

// TeamName is the name of the field that Team goes by.
const TeamName = "team"

// Spec declares a field.
type Spec struct {
	// Name is what clients find it by, unique in the game: 1 to 32 bytes. Required.
	Name string
	// Audience says which clients receive it; zero means Everyone.
	Audience Audience
	// Min and Max bound a number, and include 0, which it is at first. Both zero: any number. A bounded
	// number takes only as many bits as its range needs.
	Min, Max int64
	// Text makes it a text of at most so many bytes of UTF-8, 1 to MaxText; zero is a number.
	Text int
}

// Check panics where specs cannot be declared: specs are the caller's code, and both ends must have
// the same, or one would read the other's numbers with another range.
func Check(specs []Spec) {
	if len(specs) > MaxFields {
		panic("field: a game declares at most 64 fields")
	}
	for i := range specs {
		s := &specs[i]
		switch {
		case len(s.Name) < 1 || len(s.Name) > 32 || Index(specs, s.Name) != i:
			panic("field: Spec.Name is 1 to 32 bytes and unique: " + s.Name)
		case s.Min > 0 || s.Max < 0:
			panic("field: Spec.Min to Max must include 0, which is what a field is at first: " + s.Name)
		case s.Text < 0 || s.Text > MaxText || s.Text > 0 && s.Max|s.Min != 0:
			panic("field: Spec.Text is 0 to 255, and a text has no Min and Max: " + s.Name)
		case s.Audience > Team:
			panic("field: Spec.Audience must be Everyone, Owner or Team: " + s.Name)
		case s.Audience == Team && Index(specs, TeamName) < 0:
			panic(`field: Spec.Audience Team needs a field of the name "team": ` + s.Name)
		}
	}
}

// Index returns the place of the field of a name, −1 where there is none.
func Index(specs []Spec, name string) int {
	for i := range specs {
		if specs[i].Name == name {
			return i
		}
	}
	return -1
}

// clamp returns the number nearest to v that the field can hold. A game's score may run past Max:
// clients would refuse the datagram, so it stops there.
func (s *Spec) clamp(v int64) int64 {
	if s.Min == 0 && s.Max == 0 {
		return v
	}
	return min(max(v, s.Min), s.Max)
}

// value is the value of a field: a number or a text.
type value struct {
	number int64
	text   []byte
}

// entry is one value as a datagram has it.
type entry struct {
	id    track.ID
	field int
	age   uint64 // ticks since the change
	value
}

// entryBits is the most bits of an entry besides its id and a text: the bit that announces it, the
// field (6 bits for 64), the age as eight groups of five bits, and the number as sixteen.
const entryBits = 1 + 6 + 40 + 80

// pack packs an entry in either direction. Reading, its text is part of the message.
func (e *entry) pack(p *bits.Packer, specs []Spec) {
	track.PackID(p, &e.id, 0)
	p.Ranged(&e.field, 0, len(specs)-1)
	p.Uvarint(&e.age)
	switch s := &specs[e.field]; {
	case s.Text > 0:
		if p.Blob(&e.text, s.Text); !utf8.Valid(e.text) {
			p.Fail(bits.ErrRange)
		}
	case s.Min == 0 && s.Max == 0:
		p.Varint(&e.number)
	default:
		number := int(e.number)
		p.Ranged(&number, int(s.Min), int(s.Max))
		e.number = int64(number)
	}
}
