package conformance

import (
	"reflect"
	"strings"

	"github.com/backstep-net/backstep/geom"
)

// lean leaves out what is zero, as all files of the suite do.
func lean(m map[string]any) map[string]any {
	for name, v := range m {
		if isZero(reflect.ValueOf(v)) {
			delete(m, name)
		}
	}
	return m
}

func isZero(v reflect.Value) bool {
	if v.Kind() != reflect.Slice {
		return v.IsZero()
	}
	for i := range v.Len() {
		if !isZero(v.Index(i)) {
			return false
		}
	}
	return true
}

// lower is a name of ours as the suite has it.
func lower(name string) string {
	if name == strings.ToUpper(name) {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// show returns a value as JSON has it: structures by the names of their fields without
// what is zero, vectors and quaternions as lists.
func show(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case geom.Vec3:
		return []float64{x.X, x.Y, x.Z}
	case geom.Quat:
		return []float64{x.X, x.Y, x.Z, x.W}
	}
	switch v.Kind() {
	case reflect.Pointer:
		return show(v.Elem())
	case reflect.Struct:
		m := map[string]any{}
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				m[lower(v.Type().Field(i).Name)] = show(f)
			}
		}
		return m
	case reflect.Array, reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			if v.Kind() == reflect.Array && v.Index(i).IsZero() {
				break
			}
			list = append(list, show(v.Index(i)))
		}
		return list
	}
	return v.Interface()
}

// fill sets v, which is zero, to what JSON says.
func fill(v reflect.Value, from any) {
	switch v.Kind() {
	case reflect.Struct:
		if list, ok := from.([]any); ok { // a vector or a quaternion
			for i := range list {
				v.Field(i).SetFloat(list[i].(float64))
			}
			return
		}
		for i := range v.NumField() {
			if f, ok := from.(map[string]any)[lower(v.Type().Field(i).Name)]; ok {
				fill(v.Field(i), f)
			}
		}
	case reflect.Array, reflect.Slice:
		list := from.([]any)
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
		}
		for i := range list {
			fill(v.Index(i), list[i])
		}
	case reflect.Bool:
		v.SetBool(from.(bool))
	case reflect.Float64:
		v.SetFloat(from.(float64))
	case reflect.String:
		v.SetString(from.(string))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), from)
	default:
		if v.CanInt() {
			v.SetInt(int64(from.(float64)))
		} else {
			v.SetUint(uint64(from.(float64)))
		}
	}
}
