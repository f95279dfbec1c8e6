// Package wasmlink makes a WebAssembly module that the Go linker wrote smaller, for
// browsers that download it. Start at Shrink.
//
// The module behaves as before: same functions, same memory, same stack maps. Panics exit
// with their message. What it no longer has is the text of stack traces: names of
// functions, files and lines. They are in the file that went in, which runs in its place.
package wasmlink
