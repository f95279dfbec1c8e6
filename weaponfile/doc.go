// Package weaponfile is weapons as files: YAML in, a shot.Table out, and of a bad file all that
// is wrong with it, by line. Start at Read; docs/weapons.md is the format.
//
// A server reads the file. Its clients are told the table (shot.Table.Append) and need no
// YAML.
package weaponfile
