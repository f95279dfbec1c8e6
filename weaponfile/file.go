package weaponfile

import (
	"fmt"
	"os"

	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/strictyaml"
)

// MaxFile is the size of the largest file, in bytes.
const MaxFile = 1 << 20

// ReadFile reads a table from the file at a path. A file that cannot be read is an error too.
func ReadFile(path string) (shot.Table, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("weaponfile: %w", err)
	}
	return Read(path, b)
}

// Read reads a table of weapons from the bytes of a file; name is the file in errors. A table
// that it returns passes shot.Table.Check. The error is of type [strictyaml.Errors].
func Read(name string, b []byte) (shot.Table, error) {
	d, err := strictyaml.Open(name, b, MaxFile, "table of weapons")
	if err != nil {
		return nil, err
	}
	r, root := d.Reader()
	var t shot.Table
	root.Mapping(func(m *strictyaml.Mapping) { readTable(m, &t) })
	if err := r.Err(); err != nil {
		return nil, err
	}
	if err := t.Check(); err != nil {
		return nil, strictyaml.Errors{{File: name, Text: err.Error()}}
	}
	return t, nil
}
