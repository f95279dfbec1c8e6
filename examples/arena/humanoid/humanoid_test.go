package humanoid_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/backstep-net/backstep/examples/arena/humanoid"
	"github.com/backstep-net/backstep/internal/embedded"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/rig"
)

var update = flag.Bool("update", false, "write the committed humanoid.glb and figure/humanoid.go anew")

const assets = "../assets"

func built(t testing.TB) ([]byte, *rig.Rig) {
	t.Helper()
	b, err := humanoid.Build()
	if err != nil {
		t.Fatal(err)
	}
	r, err := level.ReadRig(b)
	if err != nil {
		t.Fatal(err)
	}
	return b, r
}

func TestTheCommittedFilesAreWhatBuildBuilds(t *testing.T) {
	glb, r := built(t)
	again, _ := built(t)
	if !bytes.Equal(glb, again) {
		t.Error("Build returned other bytes the second time")
	}
	source := embedded.Source("figure", "Humanoid is the figure of all players as rig.Unpack reads it, made from humanoid.glb.",
		"Humanoid", r.Append(nil))
	for name, want := range map[string][]byte{"humanoid.glb": glb, "figure/humanoid.go": source} {
		path := filepath.Join(assets, name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s has %d bytes that differ from the %d that Build makes; go generate ./examples/arena/assets/... writes it", path, len(have), len(want))
		}
	}
}
