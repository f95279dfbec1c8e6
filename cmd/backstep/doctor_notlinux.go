//go:build !linux

package main

// force does nothing: only Linux has buffers beyond its limit.
func force(int, int) {}

// clockUnset reports false: it is known on Linux only.
func clockUnset() bool { return false }
