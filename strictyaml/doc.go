// Package strictyaml reads plain YAML: one document without aliases, merge keys or tags, with
// everything that is wrong by line and the nearest word. Start at Document; files of weapons
// (weaponfile) and scenarios (lab/scenario) are read by it.
package strictyaml
