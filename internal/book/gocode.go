package book

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/backstep-net/backstep/internal/deps"
)

// Compiler type-checks the Go blocks of pages.
//
// A block with a comment above that names a Go file, examples/jetpack/jetpack.go, is a part of
// that file. A block that begins with "package" is a file; files of one package are a package,
// import each other by any path that ends with its name, and need no import in other blocks. All other blocks of a page are one
// package without imports, which follow from the names: declarations are declarations, and
// statements stand in one function, each block within the one before. What else a block needs, a
// comment above it declares, which a reader does not see:
//
//	<!-- go: var server *session.Server[Hero, Command] -->
//
// "{…}" leaves something out of a literal or a body, and a line of "…" leaves out anything.
type Compiler struct {
	root    string
	exports map[string]string // files of export data by import path
	paths   map[string]string // import paths by the packages' names
	files   *token.FileSet
	gc      types.Importer
}

// NewCompiler returns a compiler of blocks for the module in the folder root, which the go
// command builds.
func NewCompiler(root string) (*Compiler, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Name,Export", "./...", "testing", "log", "net/http", "log/slog")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	c := &Compiler{root: root, exports: map[string]string{}, paths: map[string]string{}, files: token.NewFileSet()}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Name, Export string }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		c.exports[p.ImportPath] = p.Export
		if p.Name != "main" && preferred(p.ImportPath, c.paths[p.Name]) {
			c.paths[p.Name] = p.ImportPath
		}
	}
	c.gc = importer.ForCompiler(c.files, "gc", func(p string) (io.ReadCloser, error) { return os.Open(c.exports[p]) })
	return c, nil
}

// preferred reports whether a block means the package p by a name rather than the package than:
// this module's own, then the standard library's with the shorter path.
func preferred(p, than string) bool {
	rank := func(p string) int {
		switch {
		case p == "" || strings.Contains(p, "internal/") || strings.HasPrefix(p, "vendor/"):
			return 1 << 20
		case strings.HasPrefix(p, deps.Module+"/"):
			return strings.Count(p, "/")
		case strings.Contains(strings.Split(p, "/")[0], "."):
			return 1 << 10
		}
		return 100 + len(p)
	}
	return rank(p) < rank(than)
}

// Faults returns what is wrong with the Go blocks of a page, as lines with file and line.
func (c *Compiler) Faults(p *Page) []string {
	u := &unit{Compiler: c, file: p.File, programs: map[string]*program{}}
	for _, b := range p.Blocks {
		if b.Info != "go" {
			continue
		}
		hidden, hides := strings.CutPrefix(b.Comment, "go:")
		switch {
		case goFile.MatchString(b.Comment):
			if text, err := os.ReadFile(filepath.Join(c.root, b.Comment)); err != nil || !quotes(string(text), b.Text) {
				u.fault(b.Line, "is not what "+b.Comment+" has")
			}
			u.add(b.Line, b.Text, true)
		case complete.MatchString(b.Text):
			u.addFile(b)
		default:
			if hides {
				u.add(b.Line-1-strings.Count(hidden, "\n"), hidden, false)
			}
			u.add(b.Line, b.Text, false)
		}
	}
	u.check()
	return u.faults
}

// complete matches a block that is a file of its own.
var complete = regexp.MustCompile(`^(?://.*\n|\n)*package `)

// goFile matches a comment that names a file.
var goFile = regexp.MustCompile(`^[\w./-]+\.go$`)

// omitted matches a line that stands for something left out.
var omitted = regexp.MustCompile(`(?m)^\s*(?:// )?…\n`)

// docComment matches the lines of comments above declarations.
var docComment = regexp.MustCompile(`(?m)^//.*\n`)

// quotes reports whether a file has the text. Lines of "…" stand for anything, and comments above
// declarations do not count.
func quotes(file, text string) bool {
	file = docComment.ReplaceAllString(file, "")
	for _, part := range omitted.Split(text, -1) {
		part = docComment.ReplaceAllString(part, "")
		part = strings.Trim(part, "\n")
		i := strings.Index(file, part)
		if i < 0 {
			return false
		}
		file = file[i+len(part):]
	}
	return true
}
