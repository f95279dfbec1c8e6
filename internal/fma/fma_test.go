package fma

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/internal/deps"
)

// processors are the targets whose compiler fuses; amd64 v1 and WASM have no
// such instruction.
var processors = []struct{ name, goarch, goamd64 string }{
	{"arm64", "arm64", ""},
	{"amd64 v3", "amd64", "v3"},
}

// fused is a package with sums that fuse.
const fused = "./internal/fma/testdata/fused"

// TestSlowNothingFuses compiles the core, the games and what they import, so that generic code is seen
// where a game instantiates it: a sum counts if its line or its function belongs to the core or a game.
// Tests are not compiled: what they compute for themselves may fuse. That the sums of a package
// that must fuse are printed too shows that the compiler prints.
func TestSlowNothingFuses(t *testing.T) {
	root := root(t)
	sources, err := deps.Sources(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		top, _, _ := strings.Cut(s.Dir(), "/")
		if !s.Test() && deps.Deterministic(top) && strings.Contains(s.Text, "math.FMA") {
			t.Errorf("%s calls math.FMA: write float64(a*b) + c", s.Path)
		}
	}
	for _, p := range processors {
		t.Run(p.name, func(t *testing.T) {
			found := compile(t, root, p.goarch, p.goamd64, append(patterns(sources), fused)...)
			t.Logf("%d fused sums, those at the edge among them", len(found))
			if !slices.ContainsFunc(found, func(f Found) bool { return strings.HasSuffix(f.File, "/fused.go") }) {
				t.Errorf("no sum of %s fuses: the compiler printed nothing to judge by", fused)
			}
			seen := map[string]bool{}
			for _, f := range found {
				fault := fmt.Sprintf("%s:%s: a fused sum, compiled in %s: write float64(a*b) + c",
					relative(root, f.File), f.Line, f.Package)
				if counts(root, f) && !seen[fault] {
					t.Error(fault)
					seen[fault] = true
				}
			}
		})
	}
}

// patterns match the packages that must be deterministic.
func patterns(sources []deps.Source) (all []string) {
	for _, s := range sources {
		top, _, _ := strings.Cut(s.Dir(), "/")
		if p := "./" + top + "/..."; deps.Deterministic(top) && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// TestSlowTheGateSees compiles testdata/fused in the same way and wants exactly the
// lines marked there.
func TestSlowTheGateSees(t *testing.T) {
	root := root(t)
	name := filepath.Join("testdata", "fused", "fused.go")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range processors {
		t.Run(p.name, func(t *testing.T) {
			var want []string
			for i, l := range strings.Split(string(text), "\n") {
				if strings.HasSuffix(l, "// fused") || strings.HasSuffix(l, "// fused on "+p.name) {
					want = append(want, fmt.Sprint(i+1))
				}
			}
			found := compile(t, root, p.goarch, p.goamd64, fused)
			var got []string
			for _, f := range found {
				if filepath.Base(f.File) == "fused.go" && !slices.Contains(got, f.Line) {
					got = append(got, f.Line)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("fused on lines %v, want %v (%v)", got, want, found)
			}
		})
	}
}

// compile builds packages for a processor, without linking, and returns the sums that were fused. The go command repeats the
// compiler's output for what it finds in its cache, so a second run sees the same. A
// package that does not compile fails the test and hides nothing of the others.
func compile(t *testing.T, root, goarch, goamd64 string, packages ...string) []Found {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-e", "-export", Flags,
		"-f", "{{if .Incomplete}}{{.ImportPath}}\n{{end}}"}, packages...)...)
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "GOOS=linux", "GOARCH="+goarch, "GOAMD64="+goamd64, "CGO_ENABLED=0")
	var broken, printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &broken, &printed
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, complaints(printed.String()))
	}
	if broken.Len() > 0 {
		t.Errorf("do not compile for this processor (go vet says why), so were not looked at:\n%s%s",
			strings.TrimLeft(broken.String(), "\n"), complaints(printed.String()))
	}
	found, err := Scan(&printed)
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	return found
}

// complaint matches a line of the compiler's that is an error.
var complaint = regexp.MustCompile(`^\S+\.go:\d+:\d+: `)

// complaints is the compiler's output without what Flags ask for.
func complaints(s string) string {
	var out []string
	for l := range strings.Lines(s) {
		if complaint.MatchString(l) {
			out = append(out, l)
		}
	}
	return strings.Join(out, "")
}

// counts reports whether a sum belongs to a package that must be deterministic.
func counts(root string, f Found) bool {
	if strings.HasSuffix(f.File, "_test.go") || strings.HasSuffix(f.Home, "_test.go") {
		return false
	}
	return deterministic(root, f.File) || deterministic(root, f.Home)
}

// deterministic reports whether a file belongs to such a package.
func deterministic(root, file string) bool {
	top, _, _ := strings.Cut(relative(root, file), "/")
	return deps.Deterministic(top)
}

// relative is a file's path from the root, with slashes. Under -trimpath the
// compiler names a file by its import path.
func relative(root, file string) string {
	file = strings.TrimPrefix(file, root+string(filepath.Separator))
	return strings.TrimPrefix(filepath.ToSlash(file), deps.Module+"/")
}

// root is the module's folder.
func root(t *testing.T) string {
	t.Helper()
	dir, err := deps.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// What does not compile is reported without the compiler's lines about sums.
func TestAnErrorOfTheCompiler(t *testing.T) {
	const said = "# game\nfmahash0 triggered /g/a.go:3:4 100111\n./a.go:9:2: undefined: x\n/g/b.go:5:1 [bisect-match 0x8a1]\n"
	if got, want := withoutSums(said), "# game\n./a.go:9:2: undefined: x\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
