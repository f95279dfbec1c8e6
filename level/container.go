package level

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// The container: a header of three words, then chunks of a length, a kind and
// that many bytes (glTF 2.0, section 4.4).
const (
	glbMagic  = 0x46546C67 // "glTF"
	chunkJSON = 0x4E4F534A // "JSON"
	chunkBIN  = 0x004E4942 // "BIN\0"

	// maxBrackets bounds the objects and lists of the JSON part, so that a few megabytes
	// of "{},{}," cannot allocate gigabytes of structs. A level of MaxNodes nodes has
	// about five per node.
	maxBrackets = 200_000
	// encoding/json itself allows 10,000 levels; the walk over nodes is bounded by
	// MaxDepth.
	maxNesting = 64
)

// split returns the chunks of the container. bin is nil if there is no binary chunk.
//
// The lengths are compared in 64 bits: a chunk of 4 GB would be negative in an int of 32
// bits. Chunks of unknown kinds are skipped, as the format demands.
func split(b []byte) (text, bin []byte, err error) {
	switch {
	// The size comes first: nothing of a file that is too large is looked at.
	case len(b) > MaxFile:
		return nil, nil, fmt.Errorf("the file has %d bytes, more than the %d a level may have", len(b), MaxFile)
	case len(b) < 12 || binary.LittleEndian.Uint32(b) != glbMagic:
		return nil, nil, errors.New("not a .glb: it does not begin with a glTF header (a .gltf has to be exported as binary)")
	}
	if v := binary.LittleEndian.Uint32(b[4:]); v != 2 {
		return nil, nil, fmt.Errorf("version %d of the .glb container; only 2 is read", v)
	}
	// A file that was cut off by a full disk or an aborted download shows here, and not as
	// a missing accessor.
	if n := binary.LittleEndian.Uint32(b[8:]); int64(n) != int64(len(b)) {
		return nil, nil, fmt.Errorf("the header says %d bytes and the file has %d: cut off or with something behind it", n, len(b))
	}
	for at, i := 12, 0; at < len(b); i++ {
		if len(b)-at < 8 {
			return nil, nil, fmt.Errorf("chunk %d at byte %d: its header is cut off", i, at)
		}
		n, kind := binary.LittleEndian.Uint32(b[at:]), binary.LittleEndian.Uint32(b[at+4:])
		at += 8
		if int64(n) > int64(len(b)-at) {
			return nil, nil, fmt.Errorf("chunk %d at byte %d: says %d bytes where %d are left", i, at-8, n, len(b)-at)
		}
		body := b[at : at+int(n)]
		at += int(n)
		switch {
		case i == 0 && kind != chunkJSON:
			return nil, nil, fmt.Errorf("chunk 0 is of kind %#x; the first must be JSON", kind)
		case i == 0:
			text = body
		case i == 1 && kind == chunkBIN:
			bin = body
		}
	}
	if text == nil {
		return nil, nil, errors.New("no JSON chunk")
	}
	return text, bin, nil
}

// checkNesting bounds the number and depth of JSON values before anything is decoded.
//
// It does not check the syntax, which json does afterwards: it only counts brackets outside
// of strings, in one pass without memory.
func checkNesting(text []byte) error {
	brackets, depth, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			brackets++
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth > maxNesting {
			return fmt.Errorf("JSON: nested deeper than %d at byte %d", maxNesting, i)
		}
		if brackets > maxBrackets {
			return fmt.Errorf("JSON: more than %d objects and lists", maxBrackets)
		}
	}
	return nil
}

// decode reads the fields of the JSON part that a level needs.
func decode(text []byte) (*document, error) {
	if err := checkNesting(text); err != nil {
		return nil, err
	}
	d := new(document)
	if err := json.Unmarshal(text, d); err != nil {
		// The byte tells a person with an editor where to look; the text of json alone does
		// not.
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("JSON: byte %d: %w", syntax.Offset, err)
		}
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return nil, fmt.Errorf("JSON: byte %d: %s: a %s where a Go %s is read", kind.Offset, kind.Field, kind.Value, kind.Type)
		}
		return nil, fmt.Errorf("JSON: %w", err)
	}
	return d, nil
}
