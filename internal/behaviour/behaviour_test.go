// Package behaviour holds docs/behaviour.md against the tests that it names.
package behaviour

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// named finds `package.TestName` in the document.
var named = regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz|Benchmark)\\w+)`")

func TestEveryTestThatTheDocumentNamesExists(t *testing.T) {
	doc, err := os.ReadFile("../../docs/behaviour.md")
	if err != nil {
		t.Fatal(err)
	}
	found := named.FindAllStringSubmatch(string(doc), -1)
	if len(found) < 200 {
		t.Fatalf("got %d tests named in docs/behaviour.md: too few to be the document", len(found))
	}
	sources := map[string]string{}
	for _, m := range found {
		if _, ok := sources[m[1]]; !ok {
			sources[m[1]] = testsOf(t, m[1])
		}
		if !strings.Contains(sources[m[1]], "\nfunc "+m[2]+"(") {
			t.Errorf("docs/behaviour.md names %s.%s: there is no such test", m[1], m[2])
		}
	}
	if strings.Contains(string(doc), "| ? |") {
		t.Error("docs/behaviour.md has a row without an answer")
	}
}

// testsOf returns the text of a package's tests.
func testsOf(t *testing.T, pkg string) string {
	files, err := filepath.Glob(filepath.Join("../..", pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}
