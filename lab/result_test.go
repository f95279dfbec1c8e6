package lab_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/lab"
)

// FuzzResult: any text is a result or an error, and a result that was read is written and read again
// without a difference. [THR-13]
func FuzzResult(f *testing.F) {
	for _, text := range []string{`{}`, `{"hash":"1","players":{"ann":{}}}`, `{"hash":"1","players":{"ann":null}}`, `[`, `{"players":{}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := lab.Read(bytes.NewReader(b))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "lab: ") {
				t.Fatalf("the error does not say where it is from: %v", err)
			}
			return
		}
		var once, twice bytes.Buffer
		if err := r.Write(&once); err != nil {
			t.Fatal(err)
		}
		again, err := lab.Read(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		if err := again.Write(&twice); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Fatalf("written %s, then %s (%v)", &once, &twice, err)
		}
	})
}
