// Package figure holds the arena's figure for the server and the browser core. Start at
// Humanoid.
package figure

//go:generate go test ../../humanoid -run TestTheCommittedFiles -update
