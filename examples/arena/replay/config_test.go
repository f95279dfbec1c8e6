package replay

import "testing"

// FuzzConfig: whatever a recording says of a match's weapons, a page gets a list of them. [THR-13, THR-17]
func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"Weapons":[{"Name":"rifle","Kind":0}]}`))
	f.Add([]byte(`{"Weapons":[{"Kind":255}]}`))
	f.Add([]byte(`{"Weapons":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if weaponsOf(b) == nil {
			t.Fatal("no list")
		}
	})
}
