package wasmlink

import (
	"bytes"
	"cmp"
	"slices"
)

// image is the linear memory that a module's data segments fill, from address base on.
// Between segments it is zero, as memory is before they are copied.
type image struct {
	base  uint32
	bytes []byte
}

// segment is bytes that are copied to an address when the module starts.
type segment struct {
	at    uint32
	bytes []byte
}

// maxImage bounds the memory that data segments span, in bytes: more is no browser core.
const maxImage = 256 << 20

// readImage reads a data section. It refuses segments that the Go linker does not write:
// passive ones, computed addresses, another memory, segments that overlap.
func readImage(body []byte) (image, error) {
	r := reader{rest: body}
	var all []segment
	for n := r.unsigned(); n > 0 && r.err == nil; n-- {
		all = append(all, readSegment(&r))
	}
	if len(r.rest) > 0 {
		r.failf("%d bytes follow the data segments", len(r.rest))
	}
	slices.SortFunc(all, func(a, b segment) int { return cmp.Compare(a.at, b.at) })
	if end, ok := endOf(all); !ok {
		r.failf("data segments overlap")
	} else if end > maxImage {
		r.failf("data segments reach to address %#x, above %d MB", end, maxImage>>20)
	}
	if r.err != nil || len(all) == 0 {
		return image{}, r.err
	}
	return flatten(all), nil
}

// endOf returns the address after the last of some segments in order, false if any overlap.
func endOf(all []segment) (end uint64, ok bool) {
	for _, s := range all {
		if uint64(s.at) < end {
			return 0, false
		}
		end = uint64(s.at) + uint64(len(s.bytes))
	}
	return end, true
}

// flatten returns the memory that segments in order fill; there is at least one.
func flatten(all []segment) image {
	first, last := all[0], all[len(all)-1]
	m := image{base: first.at, bytes: make([]byte, int(last.at-first.at)+len(last.bytes))}
	for _, s := range all {
		copy(m.bytes[s.at-m.base:], s.bytes)
	}
	return m
}

// readSegment reads one segment: memory 0, i32.const ADDRESS, end, bytes.
func readSegment(r *reader) segment {
	if kind := r.unsigned(); kind != 0 && r.err == nil {
		r.failf("data segment of kind %d: this is no module of the Go linker", kind)
	}
	if op := r.byte(); op != 0x41 && r.err == nil {
		r.failf("the address of a data segment is computed: this is no module of the Go linker")
	}
	at := r.signed()
	if op := r.byte(); op != 0x0b && r.err == nil {
		r.failf("the address of a data segment is computed: this is no module of the Go linker")
	}
	return segment{uint32(at), r.take(r.unsigned())}
}

// appendImage appends a data section. A run of at least gap zeros splits a segment; short
// runs are written, because they compress better than the addresses of more segments do.
func appendImage(dst []byte, m image, gap int) []byte {
	all := split(m, gap)
	dst = appendUnsigned(dst, uint64(len(all)))
	for _, s := range all {
		dst = append(dst, 0, 0x41)
		dst = append(appendSigned(dst, int64(int32(s.at))), 0x0b)
		dst = append(appendUnsigned(dst, uint64(len(s.bytes))), s.bytes...)
	}
	return dst
}

// split returns the parts of an image between runs of at least gap zeros, and drops zeros
// at both ends.
func split(m image, gap int) []segment {
	var all []segment
	zeros := make([]byte, gap)
	at, rest := m.base, m.bytes
	for {
		lead := len(rest) - len(bytes.TrimLeft(rest, "\x00"))
		at, rest = at+uint32(lead), rest[lead:]
		if len(rest) == 0 {
			return all
		}
		end := bytes.Index(rest, zeros)
		if end < 0 {
			return append(all, segment{at, bytes.TrimRight(rest, "\x00")})
		}
		all = append(all, segment{at, rest[:end]})
		at, rest = at+uint32(end), rest[end:]
	}
}
