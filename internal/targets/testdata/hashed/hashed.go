// Package hashed has a golden test that a fused multiply-add breaks, so that
// the test above it can show that the targets are told apart.
package hashed

// Sum adds products as no code of the core may.
func Sum(n int) float64 {
	s := 0.0
	for i := 1; i <= n; i++ {
		s = 1/float64(i)*0.7 + s
	}
	return s
}

// Rounded is the same sum, each product rounded on its own.
func Rounded(n int) float64 {
	s := 0.0
	for i := 1; i <= n; i++ {
		s += float64(1 / float64(i) * 0.7)
	}
	return s
}
