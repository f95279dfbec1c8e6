// Package wasmlink makes a WebAssembly module that the Go linker wrote smaller, for
// browsers that download it. Start at Shrink.
//
// The module plays as before: same memory, same stack maps, and panics exit with their
// message. What it no longer has are stack traces, and what the environment variable
// GODEBUG, profiles and the execution tracer switch on. The file that went in has all of
// them, and runs in its place.
package wasmlink
