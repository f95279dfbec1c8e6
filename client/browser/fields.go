package browser

import (
	"unsafe"

	"github.com/backstep-net/backstep/client/layout"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// fields is the memory of the entities of a frame and of their declared fields, which is reused.
type fields struct {
	count             int     // declared
	values            []Value // count of each entity
	used              int     // values
	remotes, entities []Entity
}

// describeFields tells the layout which fields the game declares.
func (i *instance[S, C]) describeFields() {
	i.fields.count = len(i.game.Fields)
	var list []layout.RecordField
	for k := range i.game.Fields {
		f, at := &i.game.Fields[k], k*int(unsafe.Sizeof(Value{}))
		if f.Text > 0 {
			at += int(unsafe.Offsetof(Value{}.Text))
		}
		list = append(list, layout.RecordField{Name: f.Name, Offset: at, Text: f.Text > 0})
	}
	layout.Describe[Value](&table, "Fields", list...)
	i.clearFields()
}

// clearFields sets the fields of the player and the match to zero, for the time before they are known.
func (i *instance[S, C]) clearFields() {
	if n := i.fields.count; n > 0 {
		none := make([]Value, n)
		i.view.Fields, i.view.Match = &none[0], &none[0]
	}
}

// showEntities fills the remotes, the entities and all fields.
func (i *instance[S, C]) showEntities() {
	c, v, f := i.client, &i.view, &i.fields
	remotes, entities := c.Remotes(), c.Entities()
	if need := (2 + len(remotes) + len(entities)) * f.count; need > len(f.values) {
		f.values = make([]Value, 2*need)
	}
	f.used = 0
	v.Fields, v.Match = i.fieldsOf(c.ID()), i.fieldsOf(session.OfMatch)
	f.remotes, f.entities = i.withFields(f.remotes[:0], remotes), i.withFields(f.entities[:0], entities)
	v.Remotes, v.Entities = f.remotes, f.entities
}

// withFields appends entities with their fields.
func (i *instance[S, C]) withFields(into []Entity, list []track.Entity) []Entity {
	for k := range list {
		into = append(into, Entity{list[k], i.fieldsOf(list[k].ID)})
	}
	return into
}

// fieldsOf returns the fields of a player, an entity or the match; nil in a game without.
func (i *instance[S, C]) fieldsOf(id track.ID) *Value {
	f := &i.fields
	if f.count == 0 {
		return nil
	}
	values := f.values[f.used : f.used+f.count]
	f.used += f.count
	for k := range values {
		if i.game.Fields[k].Text > 0 {
			values[k].Text = i.client.TextAt(id, k)
		} else {
			values[k].Number = i.client.NumberAt(id, k)
		}
	}
	return &values[0]
}
