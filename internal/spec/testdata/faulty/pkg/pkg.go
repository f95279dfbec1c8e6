// Package pkg cites NEW-01 and ODD-02 in its code, and UTF-16, which is no row.
package pkg
