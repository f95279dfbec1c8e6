package book

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
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

// withBackstep returns the environment with this module's backstep in the path.
func withBackstep(t *testing.T) []string {
	t.Helper()
	folder, err := backstep()
	if err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// backstep builds the program once and returns its folder, which TestMain removes.
var backstep = sync.OnceValues(func() (folder string, err error) {
	if folder, err = os.MkdirTemp("", "backstep-book-"); err != nil {
		return "", err
	}
	built = folder
	build := exec.Command("go", "build", "-ldflags=-w", "-o", folder, "./cmd/backstep")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, text)
	}
	return folder, nil
})

var built string // the folder of backstep

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(built)
	os.Exit(code)
}

// compiler is made once: it has the go command compile the whole module.
var compiler = sync.OnceValues(func() (*Compiler, error) { return NewCompiler(root) })

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
