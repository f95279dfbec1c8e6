// Package strictyaml decodes configuration files of plain YAML and reports every error by file
// and line, with the nearest valid word. Start at [Open]; weapons (weaponfile) and
// scenarios (lab/scenario) are read with it.
//
// The schema of a mapping is a function that names each key once, with the kind, unit and range
// of its value; the variable it decodes into holds the default:
//
//	r, root := document.Reader()
//	root.Mapping(func(m *strictyaml.Mapping) {
//		m.Key("reach").Required().Number(&w.Reach, 0.1, 4000, "m")
//		m.Key("reload").Time(&w.Reload, 0, 60*clock.Second)
//	})
//	return r.Err()
//
// Unknown, repeated, empty and missing keys, wrong kinds and values out of range are errors of
// that one declaration. Aliases, merge keys, tags and further documents are refused: they would
// let a short file mean a long one, or hide what a key says.
package strictyaml
