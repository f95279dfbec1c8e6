package wasmlink

import (
	"bytes"
	"fmt"
)

// The ids of the sections with the imports, which are all functions, and the exports.
const (
	importSection = 2
	exportSection = 7
)

// code is the bodies of a module's functions. Function i of the tables is body i.
type code struct {
	imports int      // that precede the bodies in the numbering of calls
	exports []uint64 // bodies that the page calls
	bodies  [][]byte
}

// readCode reads the code section, the number of imports, and the exports.
func readCode(sections []section) (code, error) {
	var c code
	var r reader
	for _, s := range sections {
		switch s.id {
		case importSection:
			imports := reader{rest: s.body}
			c.imports = int(imports.unsigned())
			r.fail(imports.err)
		case exportSection:
			r.fail(c.readExports(reader{rest: s.body}))
		case codeSection:
			bodies := reader{rest: s.body, err: r.err}
			for n := bodies.unsigned(); n > 0 && bodies.err == nil; n-- {
				c.bodies = append(c.bodies, bodies.take(bodies.unsigned()))
			}
			r.fail(bodies.err)
		}
	}
	return c, r.err
}

// readExports reads an export section.
func (c *code) readExports(r reader) error {
	for n := r.unsigned(); n > 0 && r.err == nil; n-- {
		r.take(r.unsigned()) // name
		kind, i := r.byte(), r.unsigned()
		if kind == 0 && i < uint64(c.imports) {
			return fmt.Errorf("wasmlink: the module exports import %d", i)
		}
		if kind == 0 {
			c.exports = append(c.exports, i-uint64(c.imports))
		}
	}
	return r.err
}

// appendCode appends a code section.
func appendCode(dst []byte, c code) []byte {
	dst = appendUnsigned(dst, uint64(len(c.bodies)))
	for _, body := range c.bodies {
		dst = append(appendUnsigned(dst, uint64(len(body))), body...)
	}
	return dst
}

// mayCall reports whether a body has the bytes of a call of function i. Other instructions
// can have these bytes as well.
func (c code) mayCall(body, i int) bool {
	call := appendUnsigned([]byte{0x10}, uint64(c.imports+i))
	return bytes.Contains(c.bodies[body], call)
}
