package track

import (
	"reflect"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// fillWhole sets every field of a value to something that is not zero, each to another.
func fillWhole(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fillWhole(v.Field(i), n)
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1 / float64(*n))
	case reflect.Int64:
		v.SetInt(int64(*n))
	default:
		v.SetUint(uint64(*n))
	}
}

// A checkpoint keeps all of a sample, but for what the session sets anew: a field that is added
// later and forgotten in PackWhole fails here. [THR-63]
func TestAWholeSampleSurvives(t *testing.T) {
	var want, got Sample
	n := 0
	fillWhole(reflect.ValueOf(&want).Elem(), &n)
	buf := make([]byte, 512)
	p := bits.NewWriter(buf)
	packed := want
	packed.PackWhole(&p)
	if p.Err() != nil {
		t.Fatal(p.Err())
	}
	r := bits.Packer{}
	r.Read(p.Bytes())
	got.PackWhole(&r)
	if r.End(); r.Err() != nil {
		t.Fatal(r.Err())
	}
	want.At, want.BaseChangedAt, want.PreviousBase, want.Lag, want.BaseVelocity = 0, 0, collide.Static, 0, geom.Vec3{}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if want.ClipAt == clock.Micros(0) || n < 40 {
		t.Errorf("only %d fields were filled", n)
	}
}
