package structured

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/backstep-net/backstep/bits"
)

// floats are one number of each class that a float can have.
var floats = []float64{
	math.NaN(), math.Float64frombits(0x7ff0000000000001), math.Float64frombits(0xffffffffffffffff), // quiet, signalling, all bits
	math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1), 1e300, 1 << 62,
}

// Finite returns an error that names the first number of a value, at any depth, that is not finite.
func Finite(v any) error { return finite("", reflect.ValueOf(v)) }

func finite(path string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%s is %v", path, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if err := finite(path+"."+v.Type().Field(i).Name, v.Field(i)); err != nil {
				return err
			}
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			if err := finite(path, v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return finite(path, v.Elem())
		}
	}
	return nil
}

// Floats tries every class of float in every place of a message and in every field of a value: bytes that
// say so are refused or read as numbers that are finite, and a writer refuses a value that is not, or
// writes one that is.
func Floats[T any](t *testing.T, pack func(*T, *bits.Packer), value T) {
	t.Helper()
	out := make([]byte, 1<<16)
	var p bits.Packer
	p.Write(out)
	if pack(&value, &p); p.Err() != nil {
		t.Fatalf("the value itself cannot be packed: %v", p.Err())
	}
	message := append([]byte(nil), p.Bytes()...)
	tried := 0
	read := func(b []byte, what string) {
		var back T
		tried++
		p.Read(b)
		pack(&back, &p)
		if err := Finite(back); err != nil {
			t.Errorf("%s: read as a value whose %v (error %v)", what, err, p.Err())
		}
	}
	for at := 0; at+64 <= 8*len(message); at++ {
		for _, f := range floats {
			b := append([]byte(nil), message...)
			setBits(b, at, 64, math.Float64bits(f))
			read(b, fmt.Sprintf("%v at bit %d", f, at))
		}
	}
	fields := 0
	eachFloat(reflect.ValueOf(&value).Elem(), func(v reflect.Value) {
		old := v.Float()
		fields++
		for _, f := range floats {
			v.SetFloat(f)
			p.Write(out)
			if pack(&value, &p); p.Err() == nil {
				read(p.Bytes(), fmt.Sprintf("%v written", f))
			}
		}
		v.SetFloat(old)
	})
	t.Logf("%d places of %d bytes and %d fields, %d classes of float: %d messages", max(0, 8*len(message)-63), len(message), fields, len(floats), tried)
}

// eachFloat calls a function with each number of a value that can be set.
func eachFloat(v reflect.Value, call func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if v.CanSet() {
			call(v)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachFloat(v.Field(i), call)
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			eachFloat(v.Index(i), call)
		}
	}
}
