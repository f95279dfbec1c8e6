// Package deps says which package may import which, and the tests beside it hold
// the code to it. Start at Packages: it is the table of docs/architecture.md.
//
// The other gates (internal/fma, internal/targets) ask it which packages are
// the core. It is imported by tests only.
package deps

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Module is the import path of this module.
const Module = "github.com/backstep-net/backstep"

// Package is one row of the table: what the code of a top-level folder, tests left
// aside, may import.
type Package struct {
	// Name is the folder, without a slash. Its row also holds for the folders within.
	Name string
	// Core packages are pure: see TestPurity. They import no library.
	Core bool
	// Imports are the packages it may import; "core" stands for every core package
	// and "*" for anything. "transport/mem" names a single package.
	Imports []string
	// Std are the standard packages a core package may import beyond CoreStd.
	// It means nothing outside the core, where all of it may be imported.
	Std []string
	// Libraries allows packages of other modules.
	Libraries bool
}

// CoreStd is what every core package may import of the standard library: packages
// that read no clock, start no goroutine and do not drag fmt into the browser.
var CoreStd = []string{
	"bytes", "cmp", "encoding/binary", "errors", "hash/fnv", "iter", "math",
	"math/bits", "slices", "sort", "strconv", "strings", "unicode/utf8", "unsafe",
}

// Packages is the table, in the order of docs/architecture.md.
var Packages = []Package{
	{Name: "geom", Core: true},
	{Name: "clock", Core: true},
	{Name: "bits", Core: true, Imports: []string{"geom"}},
	{Name: "collide", Core: true, Imports: []string{"geom", "bits", "clock"}},
	{Name: "input", Core: true, Imports: []string{"geom"}},
	{Name: "movement", Core: true, Imports: []string{"geom", "bits", "clock", "collide"}},
	{Name: "nav", Core: true, Imports: []string{"geom", "collide"}},
	{Name: "rig", Core: true, Imports: []string{"geom", "clock", "bits"}},
	{Name: "smoothing", Core: true, Imports: []string{"geom", "clock"}},
	{Name: "predict", Core: true, Imports: []string{"geom", "clock", "bits", "smoothing"}},
	{Name: "track", Core: true, Imports: []string{"geom", "clock", "bits", "collide", "smoothing"}},
	{Name: "body", Core: true, Imports: []string{"geom", "bits", "clock", "collide"}},
	{Name: "remote", Core: true, Imports: []string{"geom", "clock", "smoothing", "track", "collide", "body"}},
	{Name: "rewind", Core: true, Imports: []string{"geom", "clock", "collide", "track", "rig"}},
	{Name: "shot", Core: true, Imports: []string{"geom", "clock", "bits", "collide", "track", "rig", "rewind"}},
	{Name: "damage", Core: true, Imports: []string{"geom", "bits", "clock", "track", "rig", "shot"}},
	{Name: "replicate", Core: true, Imports: []string{"geom", "clock", "bits", "collide", "track"}},
	{Name: "visibility", Core: true, Imports: []string{"geom", "clock", "collide", "track", "rig", "rewind"}},
	{Name: "combat", Core: true, Imports: []string{"geom", "clock", "bits", "collide", "track", "rig", "remote", "rewind", "shot", "visibility", "session/notice"}},
	// unicode: it refuses names with control characters.
	{Name: "session", Core: true, Imports: []string{"core"}, Std: []string{"unicode"}},
	{Name: "character", Core: true, Imports: []string{"core"}},
	{Name: "bodies", Core: true, Imports: []string{"geom", "bits", "clock", "collide", "track", "body", "remote", "session"}},
	{Name: "npc", Core: true, Imports: []string{"core"}},

	{Name: "level", Imports: []string{"core"}, Libraries: true},
	{Name: "strictyaml", Imports: []string{"clock", "geom"}, Libraries: true},
	{Name: "weaponfile", Imports: []string{"core", "strictyaml"}, Libraries: true},
	{Name: "record", Imports: []string{"core"}, Libraries: true},
	{Name: "transport", Libraries: true},
	{Name: "token", Imports: []string{"session"}, Libraries: true},
	{Name: "cert", Libraries: true},
	{Name: "host", Imports: []string{"core", "transport", "token", "level", "record"}, Libraries: true},
	{Name: "serve", Imports: []string{"core", "transport/origin", "level", "cert", "host", "token", "fleet", "record", "internal/setting"}, Libraries: true},
	{Name: "fleet"},
	{Name: "front", Imports: []string{"session", "transport", "token", "host", "fleet"}, Libraries: true},
	{Name: "lab", Imports: []string{"core", "transport/mem", "level", "strictyaml"}, Libraries: true},
	{Name: "check", Imports: []string{"core", "lab", "transport/mem", "internal/fma"}},
	{Name: "cmd", Imports: []string{"*"}, Libraries: true},
	{Name: "client", Imports: []string{"*"}, Libraries: true},
	{Name: "examples", Imports: []string{"*"}, Libraries: true},
	// What is under internal serves tests and the build.
	{Name: "internal", Imports: []string{"*"}, Libraries: true},
	{Name: "scripts", Imports: []string{"*"}, Libraries: true},
}

// PackageOf returns the top-level folder of an import path of this module, and
// false for one of another module. The module's root has the empty package.
func PackageOf(importPath string) (string, bool) {
	if importPath == Module {
		return "", true
	}
	rest, ok := strings.CutPrefix(importPath, Module+"/")
	pkg, _, _ := strings.Cut(rest, "/")
	return pkg, ok
}

// Lookup finds a package by name.
func Lookup(name string) (Package, bool) {
	for _, r := range Packages {
		if r.Name == name {
			return r, true
		}
	}
	return Package{}, false
}

// Deterministic reports whether a package's code must give the same bits on every
// processor: the core, and the games, whose step the clients run too.
func Deterministic(pkg string) bool {
	r, ok := Lookup(pkg)
	return ok && (r.Core || r.Name == "examples")
}

// Root returns the folder that holds go.mod, looking upwards from the working
// directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("deps: no go.mod in this folder or above it")
		}
		dir = parent
	}
	return "", err
}

// Source is one Go file of the module.
type Source struct {
	Path string // slash-separated, relative to the root
	Text string // the whole file
}

// Dir is the folder of the file, relative to the root.
func (s Source) Dir() string { return path.Dir(s.Path) }

// Test reports whether it is a test file.
func (s Source) Test() bool { return strings.HasSuffix(s.Path, "_test.go") }

// Sources reads every Go file of the module, testdata left aside, in the order
// of their paths. A gate that runs the go command reads them for a second
// reason: go test repeats a cached result unless a file that the test itself
// opened has changed.
func Sources(root string) ([]Source, error) {
	var all []Source
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && skipped(d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		all = append(all, Source{filepath.ToSlash(rel), string(text)})
		return err
	})
	return all, err
}

// skipped reports the folders that hold no package of the module.
func skipped(name string) bool {
	return name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") ||
		strings.HasPrefix(name, "_")
}
