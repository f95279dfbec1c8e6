package session

import (
	"unicode/utf8"

	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/session/field"
	"github.com/backstep-net/backstep/track"
)

// Field declares a value of each player, each entity and the match itself that clients read by
// its name. It is a number, 0 at first, or a text, empty at first. It travels only when it
// changes, and then in each datagram until it has arrived: nothing is sent while it stays.
// What changes a hitbox belongs into Game.Pose instead (track.GameData.UserData), because shots
// are judged at the exact instant of the view.
type Field[S comparable] struct {
	// Name is what both ends find it by, unique in the game: 1 to 32 bytes. Required. A field
	// of the name "team" says which players are in which Team.
	Name string
	// Audience says which clients receive it; zero means Everyone.
	Audience Audience
	// Min and Max bound a number and include 0; what is set beyond is clamped. The narrower,
	// the fewer bits. Both zero: any number.
	Min, Max int64
	// Text makes it a text of at most so many bytes of UTF-8, 1 to 255; zero is a number.
	Text int
	// Of returns the number of a player by its state: the server sets it after each tick, and
	// the player's own client reads it as predicted. For the audience Owner nothing is set or
	// sent, so Server.Number returns 0. Nil: Server.SetNumber and SetText set it.
	Of func(s *S) int64
}

// Audience says which clients receive a field.
type Audience = field.Audience

// The audiences.
const (
	Everyone = field.Everyone // all clients, also those that cannot see the player
	Owner    = field.Owner    // the player whose field it is
	Team     = field.Team     // those whose number in the field "team" is the same, and not 0
)

// OfMatch is the id whose fields are facts of the match.
const OfMatch track.ID = 0

// specs returns the fields of a game as package field has them.
func (g *Game[S, C]) specs() []field.Spec {
	list := make([]field.Spec, len(g.Fields))
	for i := range g.Fields {
		f := &g.Fields[i]
		if f.Of != nil && f.Text > 0 {
			panic("session: Game.Fields: " + f.Name + " has both Of, which is for numbers, and Text: take one away")
		}
		list[i] = field.Spec{Name: f.Name, Audience: f.Audience, Min: f.Min, Max: f.Max, Text: f.Text}
	}
	field.Check(list)
	return list
}

// fieldNamed returns the place of a field, of the kind that is meant.
func (r *rules[S, C]) fieldNamed(name string, text bool) int {
	i := field.Index(r.specs, name)
	if i < 0 {
		panic("session: Game.Fields declares no field of the name " + name + ": declare it on both ends")
	}
	if text != (r.specs[i].Text > 0) {
		panic("session: a number is no text: set " + name + " with SetNumber, or give its Field a Text; texts are set with SetText")
	}
	return i
}

// SetNumber sets a field of a player, an entity, or with OfMatch of the match, clamped to its
// range. A player that is not in the match has none: nothing happens. It panics where the game
// declares no number of that name.
func (s *Server[S, C]) SetNumber(id track.ID, name string, v int64) {
	if f := s.rules.fieldNamed(name, false); s.hasFields(id) {
		s.fields.SetNumber(id, f, v, s.tick)
	}
}

// SetText sets a text, as SetNumber a number. What is too long is cut.
func (s *Server[S, C]) SetText(id track.ID, name, text string) {
	if !utf8.ValidString(text) {
		panic("session: SetText needs UTF-8: " + name)
	}
	if f := s.rules.fieldNamed(name, true); s.hasFields(id) {
		s.fields.SetText(id, f, text, s.tick)
	}
}

// hasFields reports whether an id is not that of a player that is not in the match: what is set for
// a player that has left is not for the next of its id.
func (s *Server[S, C]) hasFields(id track.ID) bool {
	return id == OfMatch || id >= s.first || s.seats.player(id).taken
}

// Number returns a number as the server has it.
func (s *Server[S, C]) Number(id track.ID, name string) int64 {
	return s.fields.Number(id, s.rules.fieldNamed(name, false))
}

// Text returns a text as the server has it.
func (s *Server[S, C]) Text(id track.ID, name string) string {
	return string(s.fields.Text(id, s.rules.fieldNamed(name, true)))
}

// ChangedFields calls visit with each field that has changed since a call that returned since, 0 for
// all that ever changed, and returns what to call it with next: for recordings. Text is empty of a
// number.
func (s *Server[S, C]) ChangedFields(since uint64, visit func(id track.ID, name string, number int64, text string)) uint64 {
	return s.fields.Changed(since, func(id track.ID, f int, number int64, text []byte) {
		visit(id, s.rules.specs[f].Name, number, string(text))
	})
}

// Despawn removes an entity from the match, from the next record on, and its fields. Its id is
// given to another entity, in another life, only when no view that a shot may name can still show
// this one. It panics where there is no such entity.
func (s *Server[S, C]) Despawn(id track.ID) {
	s.despawn(id)
	s.fields.Clear(id, s.tick)
}

// updateFields sets the fields that follow from states.
func (s *Server[S, C]) updateFields() {
	for f := range s.rules.game.Fields {
		of := s.rules.game.Fields[f].Of
		// The owner computes it from its predicted state (NumberAt), and no other client may have it.
		if of == nil || s.rules.game.Fields[f].Audience == Owner {
			continue
		}
		for i := range s.seats {
			if t := &s.seats[i]; t.authority != nil {
				s.fields.SetNumber(t.id, f, of(t.authority.State()), s.tick)
			}
		}
	}
}

// packFields writes the fields that a player lacks, as far as there is room.
func (s *Server[S, C]) packFields(l *batch[S, C], t *seat[S, C]) {
	// What follows has to fit as well: the bit that ends the list, and the head of a part of the snapshot.
	s.fields.Pack(&l.packer, &t.fields, t.id, s.tick, l.packer.Remaining()-replicate.MinBits-1)
}

// Number returns a number of a player, an entity, or with OfMatch of the match: of others as it
// was at the time at which the last Frame shows them, of the player itself and of the match the
// newest; what follows from the player's own state is predicted. 0 is also what this client was
// not sent. It panics where the game declares no number of that name.
func (c *Client[S, C]) Number(id track.ID, name string) int64 {
	return c.NumberAt(id, c.rules.fieldNamed(name, false))
}

// NumberAt is Number of the field of an index in Game.Fields.
func (c *Client[S, C]) NumberAt(id track.ID, index int) int64 {
	if of := c.rules.game.Fields[index].Of; of != nil && id == c.id && c.owner != nil {
		return of(c.owner.State())
	}
	if id == c.id || id == OfMatch {
		return c.fields.Newest(id, index)
	}
	return c.fields.Number(id, index, c.drawn.At)
}

// Text returns a text as it was last sent; empty if it never was.
func (c *Client[S, C]) Text(id track.ID, name string) string {
	return c.TextAt(id, c.rules.fieldNamed(name, true))
}

// TextAt is Text of the field of an index in Game.Fields.
func (c *Client[S, C]) TextAt(id track.ID, index int) string { return c.fields.Text(id, index) }
