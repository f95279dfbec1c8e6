// Package armoury comes from a folder of that name.
package armoury
