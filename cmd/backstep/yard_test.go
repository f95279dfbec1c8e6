package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// yard writes a level of one box and three spawn points: the built-in arena takes
// seconds to read and explore under the race detector.
func yard(t *testing.T) string {
	t.Helper()
	const text = `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"name":"yard","nodes":[0,1,2,3]}],"nodes":[
		{"name":"ground","translation":[0,-1,0],"scale":[12,1,12],"extras":{"backstep":{"collide":"box"}}},
		{"name":"a","translation":[-6,0.1,0],"extras":{"backstep":{"spawn":true}}},
		{"name":"b","translation":[6,0.1,0],"extras":{"backstep":{"spawn":true}}},
		{"name":"c","translation":[0,0.1,6],"extras":{"backstep":{"spawn":true}}}]}`
	padded := text + "   "[:(4-len(text)%4)%4]
	u32 := binary.LittleEndian.AppendUint32
	b := u32(u32([]byte("glTF"), 2), uint32(12+8+len(padded)))
	b = append(u32(u32(b, uint32(len(padded))), 0x4E4F534A), padded...)
	path := filepath.Join(t.TempDir(), "yard.glb")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
