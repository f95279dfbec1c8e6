package check

import (
	"math/rand/v2"
	"reflect"
)

// anyCommand draws a command: each field stays as it was in most of them.
func anyCommand[C any](r *rand.Rand, before C) C {
	draw(r, reflect.ValueOf(&before).Elem())
	return before
}

// draw changes one in ten of the exported numbers and switches of a value. Numbers are mostly of
// the size of an axis or an angle; some are far out of every range.
func draw(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				draw(r, v.Field(i))
			}
		}
		return
	case reflect.Array:
		for i := range v.Len() {
			draw(r, v.Index(i))
		}
		return
	}
	if r.IntN(10) > 0 || !v.CanSet() {
		return
	}
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case v.CanInt():
		v.SetInt(int64(r.IntN(7) - 3))
	case v.CanUint():
		v.SetUint(uint64(r.IntN(4)))
	case v.CanFloat() && r.IntN(3) > 0:
		v.SetFloat(float64(r.IntN(3) - 1))
	case v.CanFloat():
		v.SetFloat(8 * (r.Float64() - 0.5))
	}
}
