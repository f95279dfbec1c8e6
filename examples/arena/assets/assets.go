// Package assets holds the arena's files for programs that serve them. Start at
// Arena.
package assets

import _ "embed"

// Arena is the arena's level as binary glTF, as `backstep level build` writes it.
//
//go:embed arena.glb
var Arena []byte

// Yard is the second, small level, as `backstep level build --yard` writes it.
//
//go:embed yard.glb
var Yard []byte
