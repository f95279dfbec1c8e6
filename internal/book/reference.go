package book

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/internal/language"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
)

// References generate what stands between reference comments. The comment begins with the name
// of one; what follows the name is its argument.
var References = map[string]func(tree fs.FS, argument string) (string, error){
	"contents":    index,
	"errors":      errorList,
	"web-errors":  webErrors,
	"packages":    packages,
	"configs":     configs,
	"fields":      fields,
	"events":      events,
	"tunables":    tunables,
	"commands":    commands,
	"serve-flags": serveFlags,
	"settings":    settings,
}

// Update returns the pages of a tree whose references are not what [References] generate, or that
// cite a row of the specification without a link to it, by file, as they must be.
func Update(tree fs.FS, pages []figures.Page) (map[string]string, error) {
	places, err := rowPlaces(tree)
	if err != nil {
		return nil, err
	}
	stale, used := map[string]string{}, map[string]bool{}
	for _, p := range pages {
		was := p.String()
		for i := range p.Parts {
			part := &p.Parts[i]
			if part.Key == "" && part.Command == "" && part.Reference == "" && citesRows(p.File) {
				part.Text = linkRows(p.File, part.Text, places)
			}
			if part.Reference == "" {
				continue
			}
			name, argument, _ := strings.Cut(part.Reference, " ")
			used[name] = true
			generate := References[name]
			if generate == nil {
				return nil, fmt.Errorf("%s: no reference is called %q: want one of %q", p.File, name, slices.Sorted(maps.Keys(References)))
			}
			text, err := generate(tree, argument)
			if err != nil {
				return nil, fmt.Errorf("%s: reference %s: %w", p.File, part.Reference, err)
			}
			if citesRows(p.File) {
				text = linkRows(p.File, text, places)
			}
			part.Text = "\n" + text
		}
		if now := p.String(); now != was {
			stale[p.File] = now
		}
	}
	for name := range References {
		if !used[name] {
			return nil, fmt.Errorf("no page has the comment <!-- reference %s -->", name)
		}
	}
	return stale, nil
}

// packages returns the public packages as a table, each with the first sentence of its comment.
func packages(tree fs.FS, _ string) (string, error) {
	all, err := public(tree)
	var b strings.Builder
	b.WriteString("| package | |\n|---|---|\n")
	for _, s := range all {
		synopsis := new(doc.Package).Synopsis(s.comment())
		synopsis = strings.TrimPrefix(synopsis, "Package "+s.name()+" ")
		fmt.Fprintf(&b, "| [`%s`](../../%s) | %s |\n", s.dir, s.dir, sentenceOf(synopsis))
	}
	return b.String(), err
}

// configs returns the configurations of the public packages, each as a table of its fields.
func configs(tree fs.FS, _ string) (string, error) {
	all, err := public(tree)
	var b strings.Builder
	for _, s := range all {
		structs := s.structs()
		for _, name := range slices.Sorted(maps.Keys(structs)) {
			if language.IsConfig(name) {
				fmt.Fprintf(&b, "\n## %s.%s\n\n%s", s.name(), name, s.table(structs[name]))
			}
		}
	}
	return b.String(), err
}

// fields returns the fields of a struct as a table; it is named by its folder and name:
// "session.Stats".
func fields(tree fs.FS, argument string) (string, error) {
	dir, name := path.Split(argument)
	pkg, name, _ := strings.Cut(name, ".")
	s, err := read(tree, dir+pkg)
	if err != nil {
		return "", err
	}
	if s == nil || s.structs()[name].node == nil {
		return "", fmt.Errorf("there is no exported struct %s", argument)
	}
	return "\n" + s.table(s.structs()[name]), nil
}

// table returns what the comment of a struct says, and its fields.
func (s *source) table(t structure) string {
	return sentenceOf(t.comment) + "\n\n" + s.fields(t.node)
}

// events returns the kinds of events that a page gets, by their names there, with their comments: those of a Client.
func events(tree fs.FS, _ string) (string, error) {
	s, err := read(tree, "session")
	if err != nil {
		return "", err
	}
	list, err := s.constants("EventKind")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| `event.kind` | meaning |\n|---|---|\n")
	for _, c := range list {
		name, meaning, found := strings.Cut(strings.TrimSpace(c.comment), ": ")
		if !found || name != c.name {
			return "", fmt.Errorf("session.%s: want a comment that begins with %s and a colon", c.name, c.name)
		}
		if slices.Contains(serverEvents, name) {
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ToLower(name[:1])+name[1:], sentenceOf(meaning))
	}
	return b.String(), nil
}

// serverEvents are the kinds that only a Server has.
var serverEvents = []string{"Joined", "Left", "Shot", "Kick", "TimeDiscrepancy", "TimeDiscrepancyCleared", "Mispredicting"}

// tunables returns the tunables of movement.Model: names in Go and in files, default, range and
// comment.
func tunables(tree fs.FS, _ string) (string, error) {
	s, err := read(tree, "movement")
	if err != nil {
		return "", err
	}
	comments := s.comments(s.structs()["Model"].node)
	var b strings.Builder
	b.WriteString("| tunable | in files | default | range | meaning |\n|---|---|---|---|---|\n")
	for _, t := range movement.Tunables() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %.6g | %.6g … %.6g | %s |\n", t.Field, t.Name, t.Default, t.Min, t.Max, sentenceOf(comments[t.Field]))
	}
	return b.String(), nil
}

// comments returns the comment of each field of a struct; those of a run share one.
func (s *source) comments(t *ast.StructType) map[string]string {
	comments := map[string]string{}
	for _, r := range s.rows(t) {
		for _, n := range r.names {
			comments[n] = strings.Join(r.comments, " ")
		}
	}
	return comments
}

// commands returns what each command of backstep prints for --help, as the tests of cmd/backstep
// hold it.
func commands(tree fs.FS, _ string) (string, error) {
	files, err := fs.Glob(tree, "cmd/backstep/testdata/*.txt")
	var all []string
	for _, f := range files {
		text, err := fs.ReadFile(tree, f)
		if err != nil {
			return "", err
		}
		if m := usage.FindSubmatch(text); m != nil {
			all = append(all, fmt.Sprintf("\n## %s\n\n```text\n%s```\n", m[1], text))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ""), err
}

// usage matches the first line of a command's help.
var usage = regexp.MustCompile(`^Usage: ([a-z ]*[a-z])`)

// settings returns what backstep serve prints for --check-config, as the tests of cmd/backstep hold it.
func settings(tree fs.FS, _ string) (string, error) {
	text, err := fs.ReadFile(tree, "cmd/backstep/testdata/settings.yaml")
	return "```yaml\n" + string(text) + "```\n", err
}

// serveFlags returns what a server made with serve.Main prints for -help.
func serveFlags(fs.FS, string) (string, error) {
	var b bytes.Buffer
	err := serve.Run(context.Background(), session.Game[struct{}, struct{}]{}, serve.Config[struct{}, struct{}]{}, []string{"-help"}, &b)
	if !errors.Is(err, flag.ErrHelp) {
		return "", fmt.Errorf("serve.Run with -help: %w", err)
	}
	return "```text\n" + strings.ReplaceAll(b.String(), "\t", "    ") + "```\n", nil
}
