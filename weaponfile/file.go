package weaponfile

import (
	"fmt"
	"os"

	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/strictyaml"
)

// MaxFile is the largest file, in bytes.
const MaxFile = 1 << 20

// ReadFile reads the file of a path: Read of what is in it, or why it could not be read.
func ReadFile(path string) (shot.Table, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("weaponfile: %w", err)
	}
	return Read(path, b)
}

// Read reads a table of weapons from the bytes of a file; the name is for messages. What is
// no YAML, larger than MaxFile, more than one document, uses aliases, merge keys or tags, or
// says anything that no weapon has or can have, is an error of type Errors. What it returns
// passes shot.Table.Check.
func Read(name string, b []byte) (shot.Table, error) {
	r := &reader{file: name}
	t := r.table(strictyaml.Document(b, MaxFile, "table", r.add))
	if err := r.err(); err != nil {
		return nil, err
	}
	if err := t.Check(); err != nil {
		return nil, Errors{{File: name, Text: err.Error()}}
	}
	return t, nil
}
