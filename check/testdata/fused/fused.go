// Package fused has a sum that a compiler may fuse.
package fused

// Sum is rounded once on some processors, twice on others.
func Sum(a, b, c float64) float64 { return a*b + c }
