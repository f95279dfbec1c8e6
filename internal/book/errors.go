package book

import (
	"cmp"
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/backstep-net/backstep/internal/deps"
)

// Message is the text of a panic or an error of a public package.
type Message struct {
	Package string         // its folder
	Panic   bool           // or an error
	Text    string         // with … for what is known only when it happens
	From    []string       // the exported functions that raise it, as far as names tell; at most three
	At      token.Position // of the call that makes it
}

// Messages returns the texts of the panics and errors of the public packages of a tree, in the
// order of the packages and then of the texts. A text that only passes on another one is left
// out.
func Messages(tree fs.FS) ([]Message, error) {
	packages, err := public(tree)
	if err != nil {
		return nil, err
	}
	var all []Message
	for _, s := range packages {
		var found []Message
		callers := s.callers()
		for _, f := range s.files {
			for _, d := range f.Decls {
				from, errorMethod := raisers(d, callers)
				ast.Inspect(d, func(n ast.Node) bool {
					if text, panics := message(n, errorMethod); strings.ContainsFunc(prefix.ReplaceAllString(text, ""), isLetter) {
						found = append(found, Message{s.dir, panics, text, from, s.positions.Position(n.Pos())})
					}
					return true
				})
			}
		}
		slices.SortStableFunc(found, func(a, b Message) int { return cmp.Compare(a.Text, b.Text) })
		all = append(all, slices.CompactFunc(found, func(a, b Message) bool { return a.Text == b.Text && a.Panic == b.Panic })...)
	}
	return all, nil
}

// prefix matches the name of a package at the beginning of a text.
var prefix = regexp.MustCompile(`^[a-z]+: `)

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' }

// raisers returns the exported functions by which a declaration is reached, or the names of its
// variables, and whether it is a method Error.
func raisers(d ast.Decl, callers map[string][]string) (from []string, errorMethod bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return exportedFrom(d, callers), d.Recv != nil && d.Name.Name == "Error"
	case *ast.GenDecl:
		if v, ok := d.Specs[0].(*ast.ValueSpec); ok && len(d.Specs) == 1 && v.Names[0].IsExported() {
			return []string{v.Names[0].Name}, false
		}
	}
	return nil, false
}

// message returns the text that a node raises: a call of panic, errors.New or fmt.Errorf, or
// what a method Error returns. It is empty for any other node.
func message(n ast.Node, errorMethod bool) (text string, panics bool) {
	switch n := n.(type) {
	case *ast.ReturnStmt:
		if errorMethod && len(n.Results) == 1 {
			return said(n.Results[0]), false
		}
	case *ast.CallExpr:
		switch f := n.Fun.(type) {
		case *ast.Ident:
			if f.Name == "panic" {
				return said(n.Args[0]), true
			}
		case *ast.SelectorExpr:
			if pkg, ok := f.X.(*ast.Ident); ok && (pkg.Name == "errors" && f.Sel.Name == "New" || pkg.Name == "fmt" && f.Sel.Name == "Errorf") {
				return said(n.Args[0]), false
			}
		}
	}
	return "", false
}

// verb matches what a format puts in.
var verb = regexp.MustCompile(`%(?:(%)|[-+# 0]*[\d.]*[a-zA-Z])`)

// said returns the text of an expression, with … for each part that is no literal.
func said(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err != nil || e.Kind != token.STRING {
			return "…"
		}
		return strings.ReplaceAll(verb.ReplaceAllString(text, "…$1"), "…%", "%")
	case *ast.BinaryExpr:
		return said(e.X) + said(e.Y)
	case *ast.ParenExpr:
		return said(e.X)
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Sprintf" {
			return said(e.Args[0])
		}
	}
	return "…"
}

// exportedFrom returns the exported functions by which a function is reached, nearest first.
func exportedFrom(fn *ast.FuncDecl, callers map[string][]string) []string {
	var found []string
	seen := map[string]bool{}
	for next := []string{deps.FunctionName(fn)}; len(next) > 0 && len(found) < 3; next = next[1:] {
		name := next[0]
		if seen[name] {
			continue
		}
		seen[name] = true
		typ, method, ok := strings.Cut(name, ".")
		if !ok {
			method = typ
		}
		if ast.IsExported(typ) && ast.IsExported(method) {
			found = append(found, name)
			continue
		}
		next = append(next, callers[method]...)
	}
	return found
}

//go:embed causes.txt
var causes string

// causeOf returns what causes.txt says of a package.
func causeOf(dir string) string {
	for line := range strings.Lines(causes) {
		if text, ok := strings.CutPrefix(line, dir+": "); ok {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// thrown matches an error that TypeScript throws: its class and its text.
var thrown = regexp.MustCompile("(?s)new (?:\\w*Error)\\(\\s*(?:`((?:[^`\\\\]|\\\\.)*)`|\"((?:[^\"\\\\]|\\\\.)*)\")")

// put matches what a template of TypeScript puts in.
var put = regexp.MustCompile(`\$\{(?:[^{}]|\{[^{}]*\})*\}`)

// thrownBy returns the texts of the errors that an npm package throws, in order.
func thrownBy(tree fs.FS, dir string) ([]string, error) {
	files, err := fs.Glob(tree, dir+"/src/*.ts")
	var texts []string
	for _, f := range files {
		b, err := fs.ReadFile(tree, f)
		if err != nil {
			return nil, err
		}
		for _, m := range thrown.FindAllStringSubmatch(string(b), -1) {
			if !strings.Contains(m[1]+m[2], " ") {
				continue // a name, such as that of what has another version
			}
			texts = append(texts, put.ReplaceAllString(m[1]+m[2], "…"))
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts), err
}

// errorList returns the texts of panics and errors as tables, a package after the other.
func errorList(tree fs.FS, _ string) (string, error) {
	all, err := Messages(tree)
	var b strings.Builder
	dir := ""
	for _, m := range all {
		if m.Package != dir {
			dir = m.Package
			cause := causeOf(dir)
			if cause == "" {
				return "", fmt.Errorf("internal/book/causes.txt has no line for package %s", dir)
			}
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| text | | from |\n|---|---|---|\n", dir, cause)
		}
		kind := "error"
		if m.Panic {
			kind = "panic"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", codeCell(m.Text), kind, codes(m.From))
	}
	return b.String(), err
}

// webErrors returns the texts of the errors of an npm package, which is in a folder, as a table.
func webErrors(tree fs.FS, dir string) (string, error) {
	texts, err := thrownBy(tree, dir)
	var b strings.Builder
	b.WriteString("\n| text |\n|---|\n")
	for _, t := range texts {
		fmt.Fprintf(&b, "| %s |\n", codeCell(t))
	}
	return b.String(), err
}

// codeCell returns a text as code in a cell of a table.
func codeCell(text string) string {
	return "`" + strings.NewReplacer("`", "'", "|", `\|`, "\n", " ").Replace(strings.TrimSpace(text)) + "`"
}
