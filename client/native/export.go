package native

import (
	"os"
	"strings"
	"unsafe"

	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/client/layout"
	"github.com/backstep-net/backstep/session"
)

// Config is how a game plays in a C library. The zero Config is a game that needs nothing of its own.
type Config[S comparable, C any] struct {
	// Client is the configuration of each session; zero is that of one that makes a command each
	// frame. What bs_config names replaces it there.
	Client session.ClientConfig
	// Join is called with the client of each new match before its first frame. Nil does nothing.
	Join func(c *session.Client[S, C])
	// Bodies are the rigid bodies of the game: bs_entities has them where the player's own pushes
	// have put them already. Nil is a game without.
	Bodies *bodies.Config
}

// library is what this program exports.
var library struct {
	open                func(config connectConfig) player
	inputSize, selfSize int
	table               layout.Table
}

// Export makes a game the one of this library, with one configuration or none. Call it once, from an
// init function of main.
func Export[S comparable, C any](game session.Game[S, C], config ...Config[S, C]) {
	if library.open != nil || len(config) > 1 {
		panic("native: Export is called once and takes one Config: a library is of one game")
	}
	var settings Config[S, C]
	if len(config) == 1 {
		settings = config[0]
	}
	session.NewClient(game, settings.Client) // panics where the game is wrong
	input, self := new(C), new(S)
	layout.Add(&library.table, "input", input, true)
	layout.Add(&library.table, "self", self, false)
	library.inputSize, library.selfSize = int(unsafe.Sizeof(*input)), int(unsafe.Sizeof(*self))
	found := library.table.Layout()
	in, out := spansOf(found, "input"), spansOf(found, "self")
	library.open = func(c connectConfig) player { return connect(game, &settings, c, in, out) }
}

// Main is the whole of a library's main function, which does not run in the library. As a program it
// writes the game's header on the standard output, and with the argument -csharp its structs in C#.
func Main() {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		panic("native: backstep.h is for 64-bit machines: run this on one")
	}
	switch {
	case len(os.Args) == 1:
		os.Stdout.WriteString(Header())
	case len(os.Args) == 2 && os.Args[1] == "-csharp":
		os.Stdout.WriteString(CSharp())
	default:
		os.Stderr.WriteString("usage: " + os.Args[0] + " [-csharp]\nwrites the structs of the game for C, or for C#\n")
		os.Exit(2)
	}
}

// generated is the first line of what Main writes.
const generated = "Generated from the game's Go types by running its native main: do not edit."

// Header returns the game's header: the declarations of game_input and game_self.
func Header() string {
	l := library.table.Layout()
	return "/* " + generated + ` */
#ifndef GAME_H
#define GAME_H

#include "backstep.h"

/* What does not fit is another version of the game: build the library and this header anew. */
#ifdef __cplusplus
#define BS_SIZE(type, size) static_assert(sizeof(type) == (size), "another size in Go")
#else
#define BS_SIZE(type, size) _Static_assert(sizeof(type) == (size), "another size in Go")
#endif

` + declareC(l, "input", "game_input", "game") + declareC(l, "self", "game_self", "game") + "#endif\n"
}

// CSharp returns the declarations of game_input and game_self in C#, for Backstep.cs in the folder unity.
func CSharp() string {
	l := library.table.Layout()
	return "// " + generated + "\nusing System.Runtime.InteropServices;\n\n" +
		declareCSharp(l, "input", "game_input", "game") + strings.TrimSuffix(declareCSharp(l, "self", "game_self", "game"), "\n")
}
