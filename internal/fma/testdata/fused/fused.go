// Package fused adds products in one expression in the ways that slip through,
// which the gate must see. The lines marked "fused" are those the compiler rounds
// once; amd64 has the instructions for the others too, but Go 1.26 leaves them.
package fused

// Vec has two lengths.
type Vec struct{ X, Y float64 }

// Plain is the form everybody knows.
func Plain(a, b, c float64) float64 {
	return a*b + c // fused
}

// Accumulated hides the sum in an assignment.
func Accumulated(v, a, dt float64) float64 {
	v -= a * dt // fused on arm64
	return v
}

// Single is the same in 32 bits.
func Single(a, b, c float32) float32 {
	return a*b - c // fused on arm64
}

// Hidden calls a function so small that it is inlined, and the product of the
// caller meets the sum of the callee.
func Hidden(a, b, c float64) float64 {
	return add(a*b, c)
}

func add(a, b float64) float64 {
	return a + b // fused
}

// Over is generic: it is compiled where it is used.
func Over[T ~float64](a, b, c T) T {
	return a*b + c // fused
}

var _ = Over[float64]

// Rounded is how it should be written.
func Rounded(v Vec) float64 {
	return float64(v.X*v.X) + float64(v.Y*v.Y)
}
