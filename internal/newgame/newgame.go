// Package newgame writes the project of a new game, for backstep new. Its templates are packages of
// this module, so they compile and are vetted like the rest; their import path is rewritten. The first
// template is a whole game, and the others have only the files in which they differ from it.
package newgame

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// Kinds are the templates. The first is the default, and whole.
var Kinds = []string{"third", "shooter", "topdown", "bodies"}

//go:embed all:templates
var templates embed.FS

// here is the import path of the templates.
const here = "github.com/backstep-net/backstep/internal/newgame/templates/"

// Module is the library's module path.
const Module = "github.com/backstep-net/backstep"

// Options say what to write.
type Options struct {
	// Name is the module path of the game, such as "example.com/tag" or "tag". Required.
	Name string
	// Kind is one of Kinds; empty means the first.
	Kind string
	// Version is the library's, such as "v0.1.0". Required without Local.
	Version string
	// Local is a checkout of the library to build with in place of a version; its npm packages
	// must be built. Empty means none.
	Local string
}

// modulePath is what Go takes for a module path, but stricter.
var modulePath = regexp.MustCompile(`^[a-z0-9][a-z0-9.~_-]*(/[a-zA-Z0-9][a-zA-Z0-9.~_-]*)*$`)

// Folder returns the folder of a game by its name: the last element.
func Folder(name string) string { return path.Base(name) }

// Write writes a project into a folder, which must be empty or not there. The error names what is
// wrong and what to do.
func Write(folder string, o Options) error {
	if !modulePath.MatchString(o.Name) {
		return fmt.Errorf("new: %q is no module path: use letters, digits and dashes, such as tag or example.com/tag", o.Name)
	}
	if o.Version == "" && o.Local == "" {
		return errors.New("new: this backstep was built from a checkout, which has no version: name one with --library VERSION, or the checkout with --local DIR")
	}
	if o.Version != "" && (!semver.IsValid(o.Version) || semver.Canonical(o.Version) != o.Version) {
		return fmt.Errorf("new: --library %s is no version that a go.mod can name: want something like v0.1.0", o.Version)
	}
	if o.Kind == "" {
		o.Kind = Kinds[0]
	}
	if !slices.Contains(Kinds, o.Kind) {
		return fmt.Errorf("new: there is no template %q: take one of %s", o.Kind, strings.Join(Kinds, ", "))
	}
	switch list, err := os.ReadDir(folder); {
	case err == nil && len(list) > 0:
		return fmt.Errorf("new: the folder %s is not empty: choose another name, or remove it", folder)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("new: %w", err)
	}
	for _, kind := range []string{Kinds[0], o.Kind} {
		if err := o.copy("templates/"+kind, folder); err != nil {
			return fmt.Errorf("new: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), o.goMod(), 0o666); err != nil {
		return fmt.Errorf("new: %w", err)
	}
	return nil
}

// copy writes the files of a template.
func (o *Options) copy(from, folder string) error {
	return fs.WalkDir(templates, from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := templates.ReadFile(name)
		if err != nil {
			return err
		}
		to := filepath.Join(folder, filepath.FromSlash(strings.TrimPrefix(name, from)))
		switch path.Base(name) {
		case "gitignore":
			to = filepath.Join(folder, ".gitignore")
		case "package.json":
			if b, err = o.packageJSON(b); err != nil {
				return err
			}
		default:
			b = []byte(o.fill(string(b)))
		}
		if path.Ext(name) == ".go" { // another module path sorts elsewhere among the imports
			if b, err = format.Source(b); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o666)
	})
}

// fill puts the game's names in place of the template's.
func (o *Options) fill(text string) string {
	text = strings.NewReplacer(here+o.Kind+"/", o.Name+"/", here+Kinds[0]+"/", o.Name+"/").Replace(text)
	if title := Folder(o.Name); strings.HasPrefix(text, "# NAME") || strings.Contains(text, "<title>NAME<") {
		text = strings.Replace(text, "NAME", title, 1)
	}
	return text
}

// packageJSON adds the library's npm packages.
func (o *Options) packageJSON(b []byte) ([]byte, error) {
	var p map[string]any
	if err := json.Unmarshal(b, &p); err != nil {
		return nil, err
	}
	needs, builds := p["dependencies"].(map[string]any), p["devDependencies"].(map[string]any)
	needs["@backstep/client"], builds["@backstep/vite"] = o.npm("client"), o.npm("vite")
	needs["@backstep/three"], needs["three"], builds["@types/three"] = o.npm("three"), "~0.187.0", "~0.187.0"
	out, err := json.MarshalIndent(p, "", "  ")
	return append(out, '\n'), err
}

// npm returns where npm finds a package of the library.
func (o *Options) npm(name string) string {
	if o.Local != "" {
		return "file:" + filepath.ToSlash(filepath.Join(o.Local, "web", name))
	}
	return strings.TrimPrefix(o.Version, "v")
}

// goMod returns the module file. backstep dev lets go mod tidy complete it.
func (o *Options) goMod() []byte {
	version, replace := o.Version, ""
	if o.Local != "" {
		version, replace = "v0.0.0", fmt.Sprintf("\nreplace %s => %s\n", Module, modfile.AutoQuote(filepath.ToSlash(o.Local)))
	}
	return fmt.Appendf(nil, "module %s\n\ngo 1.26\n\ntool %s/cmd/backstep\n\nrequire %s %s\n%s", o.Name, Module, Module, version, replace)
}
