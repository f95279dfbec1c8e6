package deps

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listed is what the tests want of a line of go list -json.
type listed struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string
	Imports    []string
	Export     string
	Incomplete bool // it or what it imports does not compile
}

// The table of docs/architecture.md has in its last column what Packages has. A row may say less of the core than
// "core", and "all of the above" instead of it. [ENT-01]
func TestTheTableOfTheDocument(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(sources(t), "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z/]+)`.* \\| ([^|]*) \\|$").FindAllStringSubmatch(string(b), -1) {
		rows[m[1]] = strings.Split(m[2], ", ")
	}
	compared := 0
	for _, p := range Packages {
		row := rows[p.Name]
		if slices.Contains(p.Imports, "*") || slices.Contains(row, "all of the above") {
			continue
		}
		compared++
		core := slices.Contains(p.Imports, "core")
		for _, name := range p.Imports {
			if name != "core" && !slices.Contains(row, name) {
				t.Errorf("%s may import %s: its row has %q", p.Name, name, row)
			}
		}
		for _, name := range row {
			if other := name == "libraries" || name == "std" || name == "–"; !other && !core && !slices.Contains(p.Imports, name) {
				t.Errorf("the row of %s has %s, which it may not import", p.Name, name)
			}
		}
	}
	if compared < 30 {
		t.Errorf("%d packages compared: the table is no longer read", compared)
	}
}

// TestEveryImportIsInTheTable compares Packages with the code, as built for the server and for the browser. [ENT-01]
func TestEveryImportIsInTheTable(t *testing.T) {
	root := sources(t)
	for _, target := range []string{"linux/amd64", "wasip1/wasm"} {
		for _, p := range list(t, root, target, "./...") {
			for _, fault := range faults(p) {
				t.Errorf("%s: %s", target, fault)
			}
		}
	}
}

// TestAClientLinksNoServer lists what the Go client and its transports are compiled with on each kind
// of target. Under JavaScript it also leaves out net/http and QUIC, for the size of the page. [ENT-01]
func TestAClientLinksNoServer(t *testing.T) {
	root := sources(t)
	server := []string{
		"github.com/quic-go/quic-go/http3", "github.com/quic-go/webtransport-go", "github.com/quic-go/qpack",
		Module + "/host", Module + "/fleet", Module + "/record", Module + "/lab", Module + "/level", Module + "/examples",
		Module + "/transport/quic/quicserver", Module + "/cert", "golang.org/x/crypto/acme",
	}
	browser := append([]string{"net/http", "crypto/tls", "github.com/quic-go", "github.com/coder/websocket"}, server...)
	for target, unwanted := range map[string][]string{"linux/amd64": server, "wasip1/wasm": server, "js/wasm": browser} {
		linked := list(t, root, target, "-deps", "./client", "./transport/quic", "./transport/websocket")
		if target == "js/wasm" {
			linked = list(t, root, target, "-deps", "./client", "./transport/websocket")
		}
		for _, p := range linked {
			for _, u := range unwanted {
				if p.ImportPath == u || strings.HasPrefix(p.ImportPath, u+"/") {
					t.Errorf("%s: the client is compiled with %s", target, p.ImportPath)
				}
			}
		}
		if len(linked) < 50 {
			t.Errorf("%s: only %d packages were listed", target, len(linked))
		}
	}
}

// TestEveryPlatformHasItsFiles finds packages without files for a platform, and imports of them. That
// they compile there is for make platforms, which takes minutes.
func TestEveryPlatformHasItsFiles(t *testing.T) {
	root := sources(t)
	for target, packages := range map[string]string{
		"windows/amd64": "./...", "darwin/arm64": "./...", "linux/arm64": "./...", "js/wasm": "./client", "wasip1/wasm": "./client",
	} {
		for _, p := range list(t, root, target, "-deps", packages) {
			if p.Incomplete {
				t.Errorf("%s: %s or what it imports has no files there", target, p.ImportPath)
			}
		}
	}
}

// faults names what a package imports and must not.
func faults(p listed) []string {
	name, ours := PackageOf(p.ImportPath)
	if !ours || name == "" {
		return nil
	}
	pkg, ok := Lookup(name)
	if !ok {
		return []string{fmt.Sprintf("%s: the package %q is not in the table: give it a row in "+
			"internal/deps and in docs/architecture.md", p.ImportPath, name)}
	}
	var out []string
	for _, i := range p.Imports {
		if why := refused(pkg, p.Name, i); why != "" {
			out = append(out, fmt.Sprintf("%s imports %s: %s", p.ImportPath, i, why))
		}
	}
	return out
}

// refused says why the package called name, in the package, may not import i, and
// nothing if it may.
func refused(pkg Package, name, i string) string {
	target, ours := PackageOf(i)
	switch {
	case ours && target == pkg.Name:
		return ""
	case ours && target == "examples" && name != "main" && pkg.Name != "internal":
		return "only mains import a game"
	case ours && !allows(pkg.Imports, target, i):
		return fmt.Sprintf("%s may import %v of this module", pkg.Name, pkg.Imports)
	case ours:
		return ""
	case strings.Contains(strings.Split(i, "/")[0], "."):
		if !pkg.Libraries {
			return pkg.Name + " imports no library"
		}
	case pkg.Core && !slices.Contains(CoreStd, i) && !slices.Contains(pkg.Std, i):
		return "not among the standard packages of the core"
	}
	return ""
}

// allows reports whether a list of packages lets a package of the package target in.
func allows(list []string, target, i string) bool {
	t, _ := Lookup(target)
	return slices.ContainsFunc(list, func(s string) bool {
		return s == "*" || s == target || s == "core" && t.Core || Module+"/"+s == i
	})
}

// TestTheTableRefuses shows the gate at work on imports that must not be.
func TestTheTableRefuses(t *testing.T) {
	for _, c := range []struct {
		pkg, imports string
		refuse       bool
	}{
		{"geom", "math", false},
		{"geom", "fmt", true},
		{"geom", "time", true},
		{"geom", Module + "/clock", true},
		{"movement", Module + "/movement/rootmotion", false},
		{"movement", Module + "/predict", true},
		{"bits", "github.com/google/go-cmp/cmp", true},
		{"session", Module + "/rewind", false},
		{"session", Module + "/transport", true},
		{"lab", Module + "/transport/mem", false},
		{"lab", Module + "/transport/quic", true},
		{"transport", Module + "/bits", true},
		{"transport", "github.com/quic-go/quic-go", false},
		{"host", Module + "/examples/arena", true},
	} {
		pkg, _ := Lookup(c.pkg)
		if why := refused(pkg, c.pkg, c.imports); (why != "") != c.refuse {
			t.Errorf("%s imports %s: refused %t (%q), want %t", c.pkg, c.imports, why != "", why, c.refuse)
		}
	}
	if got := faults(listed{ImportPath: Module + "/attic"}); len(got) != 1 {
		t.Errorf("a package without a row: got %q, want one fault", got)
	}
}

// sources opens every source file, so that go test sees a change, and returns
// the root.
func sources(t *testing.T) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Sources(root); err != nil {
		t.Fatal(err)
	}
	return root
}

// list runs go list for a target ("goos/goarch"), without cgo. Packages that do
// not compile are listed too, so that one does not hide the faults of others.
func list(t *testing.T, root, target string, args ...string) []listed {
	t.Helper()
	goos, goarch, _ := strings.Cut(target, "/")
	cmd := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Name,Dir,GoFiles,Imports,Export,Incomplete"}, args...)...)
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, errs.String())
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("%s: %v", cmd, err)
		}
		all = append(all, p)
	}
}
