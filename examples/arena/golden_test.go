package arena

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/transport/mem"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// One minute of everything through owner and server, packets and all, gives one
// hash on every processor: `make test` runs this on amd64 v1 and v3, arm64 and
// WebAssembly.
func TestGoldenTour(t *testing.T) {
	var got strings.Builder
	world := yard(t)
	for _, frame := range []int{60, 144} {
		s := newStage(t, world, Spawn{Position: geom.V(0, 0.1, 4)})
		p := s.join(frame, mem.Network{RTT: 100 * time.Millisecond}, tourInput(inYard, 0))
		s.run(60 * clock.Second)
		h, _ := s.match.State(p.ID())
		fmt.Fprintf(&got, "%d frames/s: server %016x owner %016x\n", frame, h.Hash(), p.Self().Hash())
	}
	const file = "testdata/tour.golden"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
