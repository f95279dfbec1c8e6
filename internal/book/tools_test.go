package book

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/backstep-net/backstep/internal/deps"
	"github.com/backstep-net/backstep/internal/targets"
)

// openSources opens what the commands of a test read, so that go test repeats it when that has
// changed.
func openSources(t *testing.T) {
	t.Helper()
	if _, err := deps.Sources(root); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(root + "/web/*/src/*.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, err := os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
}

// webPackages builds the npm packages unless they are built, and skips the test where npm has not
// installed what they need.
func webPackages(t *testing.T, web string) {
	t.Helper()
	if _, err := os.Stat(web + "/node_modules/typescript"); err != nil {
		targets.NotRun(t, "TypeScript of the documents: run npm ci in web/")
		t.Skip(err)
	}
	sources, err := filepath.Glob(web + "/*/tsconfig.json")
	if err != nil {
		t.Fatal(err)
	}
	built := true
	for _, s := range sources {
		_, err := os.Stat(filepath.Dir(s) + "/dist")
		built = built && err == nil
	}
	if built {
		return
	}
	build := exec.CommandContext(t.Context(), "npm", "run", "--silent", "packages")
	build.Dir = web
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
