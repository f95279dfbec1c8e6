package setting_test

import (
	"bytes"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/internal/setting"
)

var table = []setting.Setting{
	{Name: "players", Default: "32"}, {Name: "per-address"}, {Name: "origin", List: true}, {Name: "drain"}, {Name: "admin-secret", Secret: true},
}

// write returns the name of a file with this text.
func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The environment comes before the file, a list is one in both, and each value knows where it comes from. [THR-56]
func TestTheEnvironmentComesBeforeTheFile(t *testing.T) {
	file := write(t, "server.yaml", "players: 8\ndrain: 10m\norigin: [a.example, '*.b.example']\n")
	got, err := setting.Read(table, []string{"HOME=/", "BACKSTEP_PLAYERS=9", "BACKSTEP_PER_ADDRESS=3", "BACKSTEP_CONFIG=" + file, "BACKSTEP_DEV=1"}, file)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"players": "9 from BACKSTEP_PLAYERS", "per-address": "3 from BACKSTEP_PER_ADDRESS", "drain": "10m from " + file + ":2",
		"origin": "a.example *.b.example from " + file + ":3", "admin-secret": " from ",
	} {
		if g := got[name]; strings.Join(g.Values, " ")+" from "+g.From != want {
			t.Errorf("%s: got %v, want %s", name, g, want)
		}
	}
	if got, _ := setting.Read(table, []string{"BACKSTEP_ORIGIN=a.example,b.example"}, ""); len(got["origin"].Values) != 2 {
		t.Errorf("a list in the environment: got %v, want two values", got["origin"])
	}
	if got, _ := setting.Read(table, []string{"BACKSTEP_ORIGIN="}, file); len(got["origin"].Values) != 0 {
		t.Errorf("an empty list in the environment: got %v, want none instead of the file's", got["origin"])
	}
	if got := setting.File([]string{"A=b", "BACKSTEP_CONFIG=x.yaml"}); got != "x.yaml" {
		t.Errorf("the file of the environment: got %q", got)
	}
}

// What is unknown is refused with the nearest name, the file's with its line; all mistakes come at once. [THR-56]
func TestUnknownSettingsAreRefused(t *testing.T) {
	file := write(t, "server.yaml", "players: 8\nplayrs: 9\norigin: {a: b}\n")
	_, err := setting.Read(table, []string{"BACKSTEP_DRAIM=3s"}, file)
	want := file + `:2: unknown key "playrs"; did you mean "players"?` + "\n" +
		file + ":3: origin is a mapping, not one value\n" +
		`unknown environment variable BACKSTEP_DRAIM; did you mean "BACKSTEP_DRAIN"?`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if _, err := setting.Read(table, nil, file+".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// An error of a value names where the value comes from, if it was not typed. [THR-56]
func TestExplain(t *testing.T) {
	given := map[string]setting.Given{"players": {From: "server.yaml:3"}}
	var source *setting.SourceError
	if err := setting.Explain(errors.New("--players=900: want 1 to 128"), given); !errors.As(err, &source) || err.Error() != "--players=900: want 1 to 128 (from server.yaml:3)" {
		t.Errorf("got %v", err)
	}
	if err := setting.Explain(errors.New("--drain=-1s: want 0s or more"), given); errors.As(err, &source) {
		t.Errorf("a flag of the command line: got %v", err)
	}
	if err := setting.Explain(nil, given); err != nil {
		t.Errorf("no error: got %v", err)
	}
}

// What is printed is a file that means the same. A secret in place of its file's name is not printed. [THR-56]
func TestWhatIsPrintedCanBeRead(t *testing.T) {
	secret := write(t, "secret", "0123456789abcdef\n")
	parse := func(environ []string, file string, args ...string) string {
		f := flag.NewFlagSet("", flag.ContinueOnError)
		f.Int("players", 32, "")
		f.String("addr", ":8080", "")
		f.String("web", "", "")
		f.String("admin-secret", "", "")
		f.Var(&setting.List{Add: func(string) error { return nil }}, "origin", "")
		if err := f.Parse(args); err != nil {
			t.Fatal(err)
		}
		set := map[string]bool{}
		f.Visit(func(v *flag.Flag) { set[v.Name] = true })
		given, err := setting.Read(setting.Table(f), environ, file)
		if err == nil {
			err = setting.Apply(f, set, given)
		}
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := setting.Print(&out, setting.Effective(f, setting.Table(f), set, given)); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	values := func(printed string) (v string) {
		for line := range strings.Lines(printed) {
			before, _, _ := strings.Cut(line, "#")
			v += strings.TrimSpace(before) + "\n"
		}
		return v
	}
	first := parse([]string{"BACKSTEP_WEB=null", "BACKSTEP_ORIGIN=*,b.example"}, "", "-players", "8", "-admin-secret", secret)
	again := parse(nil, write(t, "again.yaml", first))
	if values(again) != values(first) {
		t.Errorf("got\n%s\nwant\n%s", again, first)
	}
	if !strings.Contains(first, "# flag") || !strings.Contains(first, "# BACKSTEP_WEB") || !strings.Contains(first, "# default") {
		t.Errorf("where the values come from is missing:\n%s", first)
	}
	if printed := parse(nil, "", "-admin-secret", "correct horse battery"); strings.Contains(printed, "horse") {
		t.Errorf("a secret is printed:\n%s", printed)
	}
}

// A duration is text with a unit in both formats of the log, and a secret that is refused is not repeated. [THR-56]
func TestDurationsAndSecretsInErrorsAndLogs(t *testing.T) {
	for _, format := range []string{"json", "text"} {
		var out bytes.Buffer
		setting.NewLogger(&out, format, false).Info("late", "by", 1500*time.Millisecond, slog.Group("of", "tick", 2*time.Second))
		for _, want := range []string{"1.5s", "2s"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: got %q, want %s", format, out.String(), want)
			}
		}
	}
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.Var(&setting.List{Add: func(string) error { return errors.New("this is a key") }}, "token-key", "")
	err := setting.Apply(f, nil, map[string]setting.Given{"token-key": {From: "BACKSTEP_TOKEN_KEY", Values: []string{"k4.local.hidden"}}})
	if err == nil || strings.Contains(err.Error(), "hidden") || !strings.Contains(err.Error(), "this is a key") {
		t.Errorf("got %v, want why without the value", err)
	}
}

// A secret is the first line of its file, and no error repeats what may be the secret itself. [THR-56]
func TestSecret(t *testing.T) {
	if got, err := setting.Secret("-s", write(t, "a", " 0123456789abcdef \nmore\n")); got != "0123456789abcdef" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := setting.Secret("-s", ""); got != "" || err != nil {
		t.Errorf("without a file: %q, %v", got, err)
	}
	if _, err := setting.Secret("-s", write(t, "b", "short\n")); err == nil || !strings.Contains(err.Error(), "16 characters") {
		t.Errorf("a short secret: %v", err)
	}
	if _, err := setting.Secret("-s", "correct horse battery"); err == nil || strings.Contains(err.Error(), "horse") {
		t.Errorf("the secret in place of its file: %v", err)
	}
}
