package record

import "encoding/binary"

// appendIndex appends the index: for each chunk its kind, its distance from the beginning of the one
// before, and its ticks.
func appendIndex(dst []byte, chunks []chunk) []byte {
	at := int64(0)
	for i := range chunks {
		c := &chunks[i]
		dst = append(dst, byte(c.kind))
		dst = binary.AppendUvarint(dst, uint64(c.offset-at))
		dst = binary.AppendUvarint(dst, uint64(c.first))
		dst = binary.AppendUvarint(dst, uint64(c.last))
		at = c.offset
	}
	return dst
}

// readIndex reads what appendIndex wrote in a file with the index at an offset: chunks before it, in
// order.
func readIndex(b []byte, end int64) ([]chunk, error) {
	s := source{b: b}
	var chunks []chunk
	at := int64(0)
	for s.more() {
		c := chunk{kind: kind(s.byte())}
		at += int64(s.uvarint(uint64(end - at)))
		c.offset = at
		c.first, c.last = uint32(s.uvarint(1<<32-1)), uint32(s.uvarint(1<<32-1))
		if c.kind < headChunk || c.kind >= indexChunk || c.first > c.last || at > end-chunkHeader ||
			len(chunks) > 0 && at < chunks[len(chunks)-1].offset+chunkHeader {
			s.fail(errValue)
		}
		chunks = append(chunks, c)
	}
	return chunks, s.err
}
