// Package setting gives a server's flags two more sources: the environment and a YAML file. A flag of the command
// line comes before the environment, the environment before the file, and the file before the default. The flags
// themselves are the only table: names, kinds and descriptions of all three follow from them.
//
// Start at [Read]. The flag --per-address is BACKSTEP_PER_ADDRESS in the environment and per-address in the file.
// Whatever is unknown there is an error with the nearest name, since a setting with a typing error would
// silently mean its default.
package setting

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/backstep-net/backstep/strictyaml"
)

// Prefix begins the name of each environment variable.
const Prefix = "BACKSTEP_"

// maxFile bounds a file of settings, in bytes.
const maxFile = 64 << 10

// ConfigVariable names the file, where no flag does.
const ConfigVariable = Prefix + "CONFIG"

// others are variables that mean something else: what backstep dev tells the server that it starts, and what this
// project's own tests read.
var others = []string{
	"DEV", "CRASHES", "DRAINS", "FIGURES", "FUZZ_INPUTS", "FUZZ_SEED", "HOURS", "MODEL", "NOT_RUN", "SEED", "SEEDS", "SOAK", "STRESS",
}

// Setting is one value that a program takes.
type Setting struct {
	Name    string // of the flag, and the key in the file
	List    bool   // it may have several values
	Secret  bool   // it names a file with a secret: see Print
	Default string // as text, "" where there is none
}

// Variable returns the name of the setting in the environment.
func (s Setting) Variable() string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
}

// Given is what the environment or the file gives for a setting.
type Given struct {
	Values []string // one, or those of a list
	From   string   // "BACKSTEP_PLAYERS" or "server.yaml:3"
}

// Read returns what the environment, and where file is not "" the file, give for the settings of a table, by name. The
// environment is as os.Environ returns it; lists there are separated by commas. The error names every unknown
// variable and key with the nearest known one.
func Read(table []Setting, environ []string, file string) (map[string]Given, error) {
	given := map[string]Given{}
	var errs []error
	if file != "" {
		errs = append(errs, readFile(table, file, given))
	}
	errs = append(errs, readEnvironment(table, environ, given))
	return given, errors.Join(errs...)
}

// File returns the name of the file that the environment names, "" where it names none.
func File(environ []string) string {
	for _, e := range environ {
		if name, value, _ := strings.Cut(e, "="); name == ConfigVariable {
			return value
		}
	}
	return ""
}

func readEnvironment(table []Setting, environ []string, given map[string]Given) error {
	var known []string
	byName := map[string]Setting{}
	for _, s := range table {
		known = append(known, s.Variable())
		byName[s.Variable()] = s
	}
	var errs []error
	for _, e := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(e, "=")
		rest, ok := strings.CutPrefix(name, Prefix)
		if !ok || name == ConfigVariable || slices.Contains(others, rest) || strings.HasPrefix(rest, "TEST_") {
			continue
		}
		s, ok := byName[name]
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("unknown environment variable %s%s", strictyaml.Clip(name), strictyaml.DidYouMean(name, known)))
		case s.List && value == "":
			given[s.Name] = Given{From: name}
		case s.List:
			given[s.Name] = Given{strings.Split(value, ","), name}
		default:
			given[s.Name] = Given{[]string{value}, name}
		}
	}
	return errors.Join(errs...)
}

func readFile(table []Setting, file string, given map[string]Given) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("the file of settings: %w", err)
	}
	doc, err := strictyaml.Open(file, b, maxFile, "configuration")
	if err != nil {
		return err
	}
	r, root := doc.Reader()
	root.Mapping(func(m *strictyaml.Mapping) {
		for _, s := range table {
			v := m.Key(s.Name)
			if !v.Given() {
				continue
			}
			g := Given{From: fmt.Sprintf("%s:%d", file, v.Line())}
			add := func(v strictyaml.Value) {
				text := ""
				if v.Text(&text, "one value", func(string) bool { return true }) {
					g.Values = append(g.Values, text)
				}
			}
			if s.List && v.IsList() {
				v.List(0, 1000, func(_ int, member strictyaml.Value) { add(member) })
			} else {
				add(v)
			}
			given[s.Name] = g
		}
	})
	return r.Err()
}

// SourceError is an error of a value that comes from the environment or the file.
type SourceError struct {
	Err  error  // what is wrong with it
	From string // as Given.From
}

// Error returns the error and where the value comes from.
func (e *SourceError) Error() string { return e.Err.Error() + " (from " + e.From + ")" }

// Unwrap returns the error of the value.
func (e *SourceError) Unwrap() error { return e.Err }

// flagIn finds the names of flags in an error's text, such as --players=900.
var flagIn = regexp.MustCompile(`(?:^|\s)--?([a-z][a-z-]*)`)

// Explain adds to an error which names a flag where the flag's value comes from, as a *SourceError, if that is not the
// command line.
func Explain(err error, given map[string]Given) error {
	if err == nil {
		return nil
	}
	for _, found := range flagIn.FindAllStringSubmatch(err.Error(), -1) {
		if g, ok := given[found[1]]; ok {
			return &SourceError{err, g.From}
		}
	}
	return err
}

// Secret returns what a file holds on its first line; "" without a file. The error does not repeat the file's name:
// a user that gives the secret itself by mistake must not find it in a log.
func Secret(name, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return "", fmt.Errorf("%s names the file that holds the secret, and reading it failed: %w", name, err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	if line = strings.TrimSpace(line); len(line) < 16 {
		return "", fmt.Errorf("%s=%s: want a secret of 16 characters at least, on the first line", name, file)
	}
	return line, nil
}
