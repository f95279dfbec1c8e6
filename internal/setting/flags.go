package setting

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/backstep-net/backstep/strictyaml"
)

// List is a flag that may be repeated.
type List struct {
	Values []string           // so far; those of the program come first
	Add    func(string) error // called with each value that is set
}

// Set implements flag.Value.
func (l *List) Set(s string) error {
	if err := l.Add(s); err != nil {
		return err
	}
	l.Values = append(l.Values, s)
	return nil
}

// String implements flag.Value.
func (l *List) String() string { return strings.Join(l.Values, ",") }

// Text is a flag that checks its text as it is set.
type Text struct {
	To    *string            // where it goes
	Check func(string) error // called with each text that is set
}

// Set implements flag.Value.
func (t *Text) Set(s string) error {
	*t.To = s
	return t.Check(s)
}

// String implements flag.Value.
func (t *Text) String() string {
	if t.To == nil { // package flag asks the zero value
		return ""
	}
	return *t.To
}

// Table returns the settings of the flags of package flag, but for those named.
func Table(f *flag.FlagSet, without ...string) (table []Setting) {
	skip := map[string]bool{}
	for _, name := range without {
		skip[name] = true
	}
	f.VisitAll(func(v *flag.Flag) {
		if skip[v.Name] {
			return
		}
		_, list := v.Value.(*List)
		table = append(table, Setting{Name: v.Name, List: list, Secret: IsSecret(v.Name), Default: v.DefValue})
	})
	return table
}

// IsSecret reports whether a setting names a file with a secret.
func IsSecret(name string) bool { return name == "admin-secret" || name == "token-key" }

// Apply sets the flags that the command line has not set. Each error says where the value comes from.
func Apply(f *flag.FlagSet, set map[string]bool, given map[string]Given) error {
	var errs []error
	f.VisitAll(func(v *flag.Flag) {
		g, ok := given[v.Name]
		if !ok || set[v.Name] {
			return
		}
		for _, value := range g.Values {
			if err := f.Set(v.Name, value); err != nil {
				if IsSecret(v.Name) {
					value = "…" // it may be the secret itself
				}
				errs = append(errs, fmt.Errorf("%s: %s is %q: %w", g.From, v.Name, value, err))
			}
		}
	})
	return errors.Join(errs...)
}

// Effective returns what each flag of a table holds and where it comes from. set are the flags of the command line.
func Effective(f *flag.FlagSet, table []Setting, set map[string]bool, given map[string]Given) (all []Value) {
	for _, s := range table {
		v := Value{Setting: s, From: From(s.Name, set, given)}
		held := f.Lookup(s.Name).Value
		if l, ok := held.(*List); ok {
			v.Values = l.Values
		} else {
			v.Values = []string{held.String()}
		}
		all = append(all, v)
	}
	return all
}

// NearestFlag returns the error of a FlagSet's Parse; that of a flag which does not exist names the nearest one.
func NearestFlag(err error, f *flag.FlagSet) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return err
	}
	var known []string
	f.VisitAll(func(v *flag.Flag) { known = append(known, v.Name) })
	return fmt.Errorf("there is no flag -%s; the nearest is -%s", name, strictyaml.Nearest(name, known))
}
