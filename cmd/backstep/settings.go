package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/lmittmann/tint"

	"github.com/backstep-net/backstep/internal/setting"
)

// configFlags are the flags of a command that can be set in the environment and in a file too.
type configFlags struct {
	Config      string `type:"path" placeholder:"FILE" help:"A YAML file of these settings. Flags override BACKSTEP_NAME in the environment, which overrides the file."`
	CheckConfig bool   `help:"Print the effective configuration with the source of each value, check it, and stop."`
}

// configurable is a command with configFlags.
type configurable interface{ configFile() string }

func (c *configFlags) configFile() string { return c.Config }

// given is what the environment and the file give for the flags of the command.
type given map[string]setting.Given

// addSettings returns the arguments with those flags added that the environment or the file give and the arguments do
// not. So they are parsed, checked and reported as flags are.
func addSettings(parser *kong.Kong, args, environ []string) ([]string, given, error) {
	trace, err := kong.Trace(parser, args)
	if err != nil || trace.Error != nil || trace.Selected() == nil {
		return args, nil, nil // Parse reports it
	}
	if _, ok := trace.Selected().Target.Addr().Interface().(configurable); !ok {
		return args, nil, nil
	}
	file, set := setting.File(environ), setFlags(trace)
	if set["help"] {
		return args, nil, nil
	}
	for _, p := range trace.Path {
		if p.Flag != nil && p.Flag.Name == "config" {
			file, _ = trace.FlagValue(p.Flag).(string)
		}
	}
	table := settingsOf(trace.Selected())
	values, err := setting.Read(table, environ, file)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range table {
		if set[s.Name] {
			delete(values, s.Name)
		}
		for _, v := range values[s.Name].Values {
			if v == s.Default {
				continue // an empty path would be made this folder's
			}
			args = append(args, "--"+s.Name+"="+v)
		}
	}
	return args, values, nil
}

// setFlags returns the names of the flags that the command line has.
func setFlags(c *kong.Context) map[string]bool {
	set := map[string]bool{}
	for _, p := range c.Path {
		if p.Flag != nil {
			set[p.Flag.Name] = true
		}
	}
	return set
}

// settingsOf returns the flags of a command that are settings.
func settingsOf(command *kong.Node) (table []setting.Setting) {
	for _, f := range command.Flags {
		if s, ok := settingOf(f); ok {
			table = append(table, s)
		}
	}
	return table
}

// settingOf returns a flag as a setting, and false if it is only for the command line.
func settingOf(f *kong.Flag) (setting.Setting, bool) {
	switch f.Name {
	case "help", "config", "check-config":
		return setting.Setting{}, false
	}
	return setting.Setting{
		Name: f.Name, List: f.IsSlice(), Secret: setting.IsSecret(f.Name), Default: f.Default,
	}, true
}

// printSettings prints what each flag of the command holds, and where it comes from.
func printSettings(out io.Writer, c *kong.Context, from given) error {
	set := setFlags(c)
	for name := range from {
		delete(set, name) // it is one of the arguments now
	}
	var all []setting.Value
	for _, f := range c.Selected().Flags {
		s, ok := settingOf(f)
		if !ok {
			continue
		}
		v := setting.Value{Setting: s, From: setting.From(s.Name, set, from)}
		for k := 0; s.List && k < f.Target.Len(); k++ {
			v.Values = append(v.Values, fmt.Sprint(f.Target.Index(k).Interface()))
		}
		if !s.List {
			v.Values = []string{fmt.Sprint(f.Target.Interface())}
		}
		all = append(all, v)
	}
	return setting.Print(out, all)
}

// newLogger writes JSON if format asks for it; else in colour to a terminal, else plain lines that tools can parse.
func newLogger(to io.Writer, format string, verbose bool) *slog.Logger {
	if f, ok := to.(*os.File); ok && !strings.EqualFold(format, "json") {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return slog.New(tint.NewTextHandler(f, &tint.Options{Level: setting.LogLevel(verbose), TimeFormat: time.TimeOnly}))
		}
	}
	return setting.NewLogger(to, strings.ToLower(format), verbose)
}
