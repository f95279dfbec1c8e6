package native

import (
	"slices"
	"unsafe"

	"github.com/backstep-net/backstep/client/layout"
)

// span is bytes that are copied between a Go value and its struct in C.
type span struct {
	at, size int
	flag     bool // one bool, which C may have set to more than 1
}

// spansOf returns the spans of a root.
func spansOf(l *layout.Layout, root string) []span {
	return spans(nil, l, rootOf(l, root), 0)
}

// rootOf returns the index of the type of a root, which there is.
func rootOf(l *layout.Layout, root string) int {
	at := slices.IndexFunc(l.Roots, func(r layout.Root) bool { return r.Name == root })
	return l.Roots[at].Type
}

// spans appends those of a type that lies at an offset. What has an address in it is left out: it
// means nothing in C.
func spans(list []span, l *layout.Layout, index, at int) []span {
	switch t := &l.Types[index]; t.Kind {
	case layout.String, layout.Slice, layout.Pointer:
	case layout.Struct:
		for _, f := range t.Fields {
			list = spans(list, l, f.Type, at+f.Offset)
		}
	case layout.Array:
		for i := range t.Count {
			list = spans(list, l, t.Element, at+i*l.Types[t.Element].Size)
		}
	default:
		last := len(list) - 1
		if flag := t.Kind == layout.Bool; !flag && last >= 0 && !list[last].flag && list[last].at+list[last].size == at {
			list[last].size += t.Size
		} else {
			list = append(list, span{at, t.Size, flag})
		}
	}
	return list
}

// copySpans copies from one value to the other.
func copySpans(to, from unsafe.Pointer, list []span) {
	for _, s := range list {
		source := unsafe.Slice((*byte)(unsafe.Add(from, s.at)), s.size)
		target := unsafe.Slice((*byte)(unsafe.Add(to, s.at)), s.size)
		copy(target, source)
		if s.flag && target[0] > 1 {
			target[0] = 1
		}
	}
}
