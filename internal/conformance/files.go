package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// ReadLines reads a file of JSON, a value a line.
func ReadLines[T any](name string) ([]T, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []T
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("conformance: %s:%d: %w", name, n, err)
		}
		list = append(list, v)
	}
	return list, lines.Err()
}

// Lines returns values as JSON, one a line.
func Lines[T any](list []T) []byte {
	var b bytes.Buffer
	for _, v := range list {
		line, err := json.Marshal(v)
		if err != nil {
			panic("conformance: " + err.Error())
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.Bytes()
}
