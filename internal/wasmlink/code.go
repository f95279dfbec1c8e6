package wasmlink

import "bytes"

// importSection is the id of the section with the imports, which are all functions.
const importSection = 2

// code is the bodies of a module's functions. Function i of the tables is body i.
type code struct {
	imports int // that precede the bodies in the numbering of calls
	bodies  [][]byte
}

// readCode reads the code section and the number of imports.
func readCode(sections []section) (code, error) {
	var c code
	var r reader
	for _, s := range sections {
		switch s.id {
		case importSection:
			imports := reader{rest: s.body}
			c.imports = int(imports.unsigned())
			r.fail(imports.err)
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

// mayCall reports whether a body has the bytes of a call of function i. Other instructions
// can have these bytes as well.
func (c code) mayCall(body, i int) bool {
	call := appendUnsigned([]byte{0x10}, uint64(c.imports+i))
	return bytes.Contains(c.bodies[body], call)
}
