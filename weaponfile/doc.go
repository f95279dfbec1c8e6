// Package weaponfile reads weapons from a YAML file into a [shot.Table], and reports every error
// of the file by line. Start at [Read]; docs/weapons.md is the format.
//
// Only a server reads the file. It sends the table to its clients ([shot.Table.Append]), which
// need no YAML.
package weaponfile
