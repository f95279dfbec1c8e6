package embedded

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// The source is formatted Go with a string of the bytes, whatever they are.
func TestSourceHoldsTheBytes(t *testing.T) {
	for _, want := range [][]byte{nil, {0}, []byte(`"\n` + "`\x00\xff"), bytes.Repeat([]byte{0, 1, 254, '\\'}, 100)} {
		source := Source("weapons", "table is packed.", "table", want)
		if formatted, err := format.Source(source); err != nil || !bytes.Equal(formatted, source) {
			t.Fatalf("gofmt would change the source (%v):\n%s", err, source)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok {
				part, err := strconv.Unquote(l.Value)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, part...)
			}
			return true
		})
		if !bytes.Equal(got, want) {
			t.Errorf("the source holds %x, want %x", got, want)
		}
	}
}
