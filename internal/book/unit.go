package book

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/backstep-net/backstep/internal/deps"
)

// unit is the code of one page.
type unit struct {
	*Compiler
	file     string // the page
	pieces   []piece
	programs map[string]*program // the packages of complete files, by name
	mains    []*program
	faults   []string
}

// piece is a declaration or some statements of a block.
type piece struct {
	line    int      // of the page
	text    string   // whole lines
	names   []string // that it declares; none for statements
	checked bool     // no fault counts: it was checked before, or is quoted from a file that compiles
}

// program is a package of complete files.
type program struct {
	files    []*ast.File
	checked  *types.Package
	checking bool
}

// fault adds a fault, once.
func (u *unit) fault(line int, text string) {
	if f := fmt.Sprintf("%s:%d: %s", u.file, line, text); !slices.Contains(u.faults, f) {
		u.faults = append(u.faults, f)
	}
}

// addFile adds a block that is a complete file.
func (u *unit) addFile(b Block) {
	file, err := u.parse(u.at(b.Line) + b.Text)
	if err != nil {
		u.syntax(err)
		return
	}
	name := file.Name.Name
	if name == "main" {
		u.mains = append(u.mains, &program{files: []*ast.File{file}})
		return
	}
	if u.programs[name] == nil {
		u.programs[name] = &program{}
	}
	u.programs[name].files = append(u.programs[name].files, file)
}

// add adds a block, or the declarations of a hidden comment. What the block declares again takes
// the place of what is there: the page up to here is checked first.
func (u *unit) add(line int, text string, quoted bool) {
	text = strings.ReplaceAll(omitted.ReplaceAllString(text, "\n"), "…", "")
	pieces, err := u.split(line, text)
	if err != nil {
		u.syntax(err)
		return
	}
	again := func(old piece) bool {
		return slices.ContainsFunc(pieces, func(p piece) bool {
			return slices.ContainsFunc(p.names, func(n string) bool { return slices.Contains(old.names, n) })
		})
	}
	if slices.ContainsFunc(u.pieces, again) {
		u.checkPieces()
		u.pieces = slices.DeleteFunc(u.pieces, again)
		for i := range u.pieces {
			u.pieces[i].checked = true
		}
	}
	for _, p := range pieces {
		p.checked = quoted
		u.pieces = append(u.pieces, p)
	}
}

// split takes a text apart: it is declarations, or statements, or both in paragraphs or lines of
// their own.
func (u *unit) split(line int, text string) ([]piece, error) {
	if file, err := u.parse("package p\n" + u.at(line) + text); err == nil {
		return u.declarations(file, line, text), nil
	}
	_, err := u.parse(inFunction(u.at(line) + text))
	if err == nil {
		return []piece{{line: line, text: text}}, nil
	}
	for _, between := range []string{"\n\n", "\n"} {
		before, after, ok := strings.Cut(strings.TrimRight(text, "\n"), between)
		if !ok {
			continue
		}
		first, e := u.split(line, before+"\n")
		if e != nil {
			err = cmp.Or(err, e)
			continue
		}
		rest, e := u.split(line+strings.Count(before+between, "\n"), after+"\n")
		return append(first, rest...), e
	}
	return nil, err
}

// declarations returns the declarations of a file, made of a text at a line of the page.
func (u *unit) declarations(file *ast.File, line int, text string) []piece {
	lines := strings.SplitAfter(text, "\n")
	var pieces []piece
	from := line
	for i, d := range file.Decls {
		to := line + len(lines) // below the declaration
		if i+1 < len(file.Decls) {
			to = u.files.Position(d.End()).Line + 1
		}
		if next := len(pieces); next > 0 && to <= from { // on the line of the one before
			pieces[next-1].names = append(pieces[next-1].names, declaredBy(d)...)
			continue
		}
		pieces = append(pieces, piece{line: from, text: strings.Join(lines[from-line:min(to-line, len(lines))], ""), names: declaredBy(d)})
		from = to
	}
	return pieces
}

// declaredBy returns the names that a declaration declares, a method with its type.
func declaredBy(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if name := deps.FunctionName(d); name != "init" && name != "_" {
			names = append(names, name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// at returns the comment after which positions are those of the page.
func (u *unit) at(line int) string { return fmt.Sprintf("//line %s:%d\n", u.file, line) }

// inFunction returns a file with statements in a function.
func inFunction(statements string) string {
	return "package p\nfunc _() {\n" + statements + "\n}\n"
}

func (u *unit) parse(text string) (*ast.File, error) {
	return parser.ParseFile(u.files, u.file, text, 0)
}

// syntax adds the first error of a parser as a fault.
func (u *unit) syntax(err error) {
	var list scanner.ErrorList
	if errors.As(err, &list) {
		u.fault(list[0].Pos.Line, list[0].Msg)
		return
	}
	u.fault(0, err.Error())
}

// check checks all that was added.
func (u *unit) check() {
	for _, name := range slices.Sorted(maps.Keys(u.programs)) {
		if _, err := u.Import(name); err != nil {
			u.fault(0, err.Error())
		}
	}
	for _, m := range u.mains {
		u.typecheck("main", m.files)
	}
	u.checkPieces()
}

// checkPieces checks the pieces as one package.
func (u *unit) checkPieces() {
	var declarations, statements strings.Builder
	blocks, returns := 0, false
	for _, p := range u.pieces {
		if len(p.names) > 0 || strings.HasPrefix(p.text, "func init()") {
			declarations.WriteString(u.at(p.line) + p.text)
			continue
		}
		blocks++
		statements.WriteString("{\n" + u.at(p.line) + p.text)
		returns = returns || strings.Contains(p.text, "\treturn err") || strings.HasPrefix(p.text, "return err")
	}
	head := "\nfunc _() {\n"
	if returns {
		head = "\nfunc _() error {\n"
	}
	body := declarations.String() + head + statements.String() + strings.Repeat("}\n", blocks) + "panic(0)\n}\n"
	file, err := u.parse("package p\n" + body)
	if err != nil {
		u.syntax(err)
		return
	}
	if file, err = u.parse("package p; " + u.imports(file) + "\n" + body); err != nil {
		u.syntax(err)
		return
	}
	u.typecheck("p", []*ast.File{file})
}

// imports returns the import declarations that the names in a file need.
func (u *unit) imports(file *ast.File) string {
	unresolved := map[*ast.Ident]bool{}
	for _, id := range file.Unresolved {
		unresolved[id] = true
	}
	needed := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && unresolved[id] {
				needed[id.Name] = true
			}
		}
		return true
	})
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(u.programs)) {
		fmt.Fprintf(&b, "import . %q; ", name)
	}
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		p := u.paths[name]
		if u.programs[name] != nil {
			p = name
		}
		if p != "" {
			fmt.Fprintf(&b, "import %s %q; ", name, p)
		}
	}
	return b.String()
}

// typecheck checks the files of a package. What is declared and not used is no fault.
func (u *unit) typecheck(name string, files []*ast.File) *types.Package {
	config := types.Config{Importer: u, Error: func(err error) {
		var e types.Error
		if !errors.As(err, &e) || e.Soft && strings.Contains(e.Msg, "not used") { // a snippet may declare and not use
			return
		}
		at := e.Fset.Position(e.Pos)
		if !u.within(at) {
			u.fault(at.Line, e.Msg)
		}
	}}
	pkg, _ := config.Check(name, u.files, files, nil) // the faults are known
	return pkg
}

// within reports whether a position is in a piece whose faults do not count.
func (u *unit) within(at token.Position) bool {
	return slices.ContainsFunc(u.pieces, func(p piece) bool {
		return p.checked && at.Line >= p.line && at.Line < p.line+strings.Count(p.text, "\n")
	})
}

// Import implements types.Importer: a package of the page by the end of its path, or else one of
// the module or of the libraries.
func (u *unit) Import(p string) (*types.Package, error) {
	if _, ok := u.exports[p]; ok || p == "unsafe" {
		return u.gc.Import(p)
	}
	own := u.programs[path.Base(p)]
	switch {
	case own == nil:
		return nil, fmt.Errorf("there is no package %s", p)
	case own.checking:
		return nil, fmt.Errorf("package %s imports itself", p)
	case own.checked == nil:
		own.checking = true
		own.checked = u.typecheck(path.Base(p), own.files)
		own.checking = false
	}
	return own.checked, nil
}
