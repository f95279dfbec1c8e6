//go:build !linux

package main

// force does nothing: only Linux has buffers beyond its limit.
func force(int, int) {}

// clockUnset reports false: this system is not asked.
func clockUnset() bool { return false }
