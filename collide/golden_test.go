package collide_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
)

var update = flag.Bool("update", false, "write testdata/golden.txt anew")

// Every processor gives the same bits: the packed scene A, and what 10,000
// queries of each kind answer in it.
func TestGolden(t *testing.T) {
	w, err := benchscene.A.World()
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("scene A, packed: %s\n", w.Hash())
	for _, q := range []struct {
		name string
		set  benchscene.QuerySet
	}{
		{"ray 50 m", benchscene.Ray50}, {"ray down", benchscene.RayDown},
		{"capsule sideways", benchscene.CapsuleSideways}, {"capsule down", benchscene.CapsuleDown},
		{"ball", benchscene.Ball},
	} {
		sum := fnv.New64a()
		hits := 0
		for _, x := range benchscene.A.Queries(q.set, 10000) {
			h, ok := ask(w, &x)
			if ok {
				hits++
			}
			write(sum.Write, h.Fraction, h.Point, h.Normal, h.Face, h.Depth, float64(h.Triangle))
		}
		got += fmt.Sprintf("%s: %d hits, %016x\n", q.name, hits, sum.Sum64())
	}
	sum := fnv.New64a()
	into := make([]collide.Contact, 0, 32)
	for _, x := range benchscene.A.Queries(benchscene.CapsuleSideways, 10000) {
		body := x.Body.Moved(geom.V(0, -.2, 0))
		for _, c := range w.Contacts(body, .12, into) {
			write(sum.Write, c.Distance, c.Point, c.Normal, c.Face, 0, float64(c.Triangle))
		}
		push, _ := (&collide.View{World: w}).Depenetrate(body, 1)
		write(sum.Write, 0, push, push, push, 0, 0)
	}
	got += fmt.Sprintf("contacts and pushes: %016x\n", sum.Sum64())
	const file = "testdata/golden.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func ask(w *collide.World, q *benchscene.Query) (collide.Hit, bool) {
	if q.Body.Radius == 0 {
		return w.Ray(q.Body.A, q.Delta)
	}
	return w.SweepCapsule(q.Body, q.Delta)
}

// write hashes an answer; −0 as 0, for the two are equal.
func write(to func([]byte) (int, error), a float64, p, n, f geom.Vec3, d, t float64) {
	var b []byte
	for _, x := range []float64{a, p.X, p.Y, p.Z, n.X, n.Y, n.Z, f.X, f.Y, f.Z, d, t} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x+0))
	}
	to(b)
}
