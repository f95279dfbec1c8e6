package wasmlink

import (
	"bytes"
	"errors"
	"fmt"
)

// The ids of the sections that this package reads.
const (
	customSection = 0
	codeSection   = 10
	dataSection   = 11
)

// header is how every WebAssembly module of version 1 begins.
var header = []byte("\x00asm\x01\x00\x00\x00")

// section is one section of a module.
type section struct {
	id   byte
	name string // of a custom section, else ""
	body []byte // without id, length and name
}

// errEnds reports a module that ends within a value.
var errEnds = errors.New("wasmlink: the module ends early")

// parseModule splits a module into its sections. The bodies are parts of b.
func parseModule(b []byte) ([]section, error) {
	rest, ok := bytes.CutPrefix(b, header)
	if !ok {
		return nil, errors.New("wasmlink: not a WebAssembly module of version 1")
	}
	r := reader{rest: rest}
	var all []section
	for len(r.rest) > 0 && r.err == nil {
		s := section{id: r.byte()}
		body := reader{rest: r.take(r.unsigned())}
		if s.id == customSection {
			s.name = string(body.take(body.unsigned()))
		}
		s.body = body.rest
		all = append(all, s)
		r.err = errors.Join(r.err, body.err)
	}
	return all, r.err
}

// appendModule appends a module with these sections.
func appendModule(dst []byte, sections []section) []byte {
	dst = append(dst, header...)
	for _, s := range sections {
		name := appendName(nil, s)
		dst = append(dst, s.id)
		dst = appendUnsigned(dst, uint64(len(name)+len(s.body)))
		dst = append(append(dst, name...), s.body...)
	}
	return dst
}

// appendName appends the name of a custom section, nothing for another one.
func appendName(dst []byte, s section) []byte {
	if s.id != customSection {
		return dst
	}
	return append(appendUnsigned(dst, uint64(len(s.name))), s.name...)
}

// compiler returns the version of Go that wrote the module, as its producers section
// names it: "go1.26.8".
func compiler(sections []section) (string, error) {
	for _, s := range sections {
		if s.name != "producers" {
			continue
		}
		_, after, ok := bytes.Cut(s.body, []byte("\x02Go"))
		r := reader{rest: after}
		version := string(r.take(r.unsigned()))
		if ok && r.err == nil {
			return version, nil
		}
	}
	return "", errors.New("wasmlink: the module does not name Go as its compiler: " +
		"give the file that go build wrote")
}

// reader reads values from the front of a byte slice. After a failure every read returns
// zero, and err stays.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) byte() byte {
	if b := r.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// take returns the next n bytes, nil if there are fewer.
func (r *reader) take(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.rest)) {
		r.fail(errEnds)
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// unsigned returns an unsigned LEB128 of at most 32 bits.
func (r *reader) unsigned() uint64 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.fail(errors.New("wasmlink: a number is longer than 32 bits"))
	return 0
}

// signed returns a signed LEB128 of at most 32 bits.
func (r *reader) signed() int64 {
	var v int64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			unused := 64 - shift - 7
			return v << unused >> unused
		}
	}
	r.fail(errors.New("wasmlink: a number is longer than 32 bits"))
	return 0
}

// fail notes the first failure.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// failf is fail with a formatted sentence.
func (r *reader) failf(format string, args ...any) { r.fail(fmt.Errorf("wasmlink: "+format, args...)) }

// appendUnsigned appends an unsigned LEB128.
func appendUnsigned(dst []byte, v uint64) []byte {
	for ; v >= 0x80; v >>= 7 {
		dst = append(dst, byte(v)|0x80)
	}
	return append(dst, byte(v))
}

// appendSigned appends a signed LEB128.
func appendSigned(dst []byte, v int64) []byte {
	for v < -0x40 || v >= 0x40 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v)&0x7f)
}
