package check

import (
	"math"
	"reflect"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
)

var (
	stateType = reflect.TypeFor[movement.State]()
	timeType  = reflect.TypeFor[clock.Micros]()
)

// namingOwn returns a game whose corrections name the fields of its own too, those first: character.Fill names
// movement's only, because package reflect has no place in a browser's core.
func namingOwn[S comparable, C any](game session.Game[S, C]) session.Game[S, C] {
	others := game.Differ
	game.Differ = func(predicted, truth *S, into []predict.Difference) []predict.Difference {
		into = fieldsApart("", reflect.ValueOf(predicted).Elem(), reflect.ValueOf(truth).Elem(), into)
		if others == nil {
			return into
		}
		return others(predicted, truth, into)
	}
	return game
}

// fieldsApart appends the fields that differ but for movement's.
func fieldsApart(path string, a, b reflect.Value, into []predict.Difference) []predict.Difference {
	switch {
	case a.Type() == stateType:
	case a.Kind() == reflect.Struct:
		for i := range a.NumField() {
			into = fieldsApart(a.Type().Field(i).Name, a.Field(i), b.Field(i), into)
		}
	case a.Kind() == reflect.Array:
		for i := range a.Len() {
			into = fieldsApart(path, a.Index(i), b.Index(i), into)
		}
	default:
		if by := apart(a, b); by != 0 {
			into = append(into, predict.Difference{Field: path, By: by})
		}
	}
	return into
}

// apart returns by how much two values differ: times in seconds, 1 for what has no numbers.
func apart(a, b reflect.Value) float64 {
	switch {
	case a.Type() == timeType:
		return math.Abs(float64(a.Int()-b.Int())) / float64(clock.Second)
	case a.CanInt():
		return math.Abs(float64(a.Int()) - float64(b.Int()))
	case a.CanUint():
		return math.Abs(float64(a.Uint()) - float64(b.Uint()))
	case a.CanFloat():
		return math.Abs(a.Float() - b.Float())
	case a.Equal(b):
		return 0
	}
	return 1
}
