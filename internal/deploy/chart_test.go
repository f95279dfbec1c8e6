// Package deploy tests what deploy has for Kubernetes and Nomad: rendered, against schemas, and against the flags
// that the command has.
package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/fleet"
)

const chart = "../../deploy/chart"

// functions are those of Helm that the chart uses beside text/template's own: another one fails the test. They do
// for whole numbers and plain texts what Helm's do.
var functions = template.FuncMap{
	"quote":  func(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) },
	"toJson": func(v any) (string, error) { b, err := json.Marshal(v); return string(b), err },
	"add":    func(a, b int) int { return a + b },
	"mul": func(factors ...int) int {
		product := 1
		for _, f := range factors {
			product *= f
		}
		return product
	},
}

// render returns the chart's objects with its values, some of them replaced.
func render(t *testing.T, with map[string]any) (objects []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(chart + "/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	for name := range with {
		if _, ok := values[name]; !ok {
			t.Fatalf("no value %s", name)
		}
	}
	maps.Copy(values, with)
	files, _ := filepath.Glob(chart + "/templates/*.yaml")
	for _, file := range files {
		page, err := template.New(filepath.Base(file)).Option("missingkey=error").Funcs(functions).ParseFiles(file)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		release := map[string]string{"Name": "arena", "Namespace": "games"}
		if err := page.Execute(&out, map[string]any{"Values": values, "Release": release}); err != nil {
			t.Fatal(err)
		}
		for documents := yaml.NewDecoder(&out); ; {
			var o map[string]any
			if err := documents.Decode(&o); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if o != nil {
				objects = append(objects, o)
			}
		}
	}
	return objects
}

// schemas compiles testdata/schema.yaml, by apiVersion and kind.
func schemas(t *testing.T) func(name string) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("testdata/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := yaml.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return func(name string) *jsonschema.Schema {
		own, ok := all[name].(map[string]any)
		if !ok {
			t.Fatalf("no schema for %q", name)
		}
		own["$defs"] = all["$defs"]
		c := jsonschema.NewCompiler()
		if err := c.AddResource("schema.json", asJSON(t, own)); err != nil {
			t.Fatal(err)
		}
		s, err := c.Compile("schema.json")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// asJSON returns a value as if it came from JSON, with numbers as the validator wants them.
func asJSON(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// at returns what lies at a path of names in an object.
func at(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// THR-77: the chart renders, by its own values and by others, to objects that fit the schemas, with the counters and
// ports that the code uses.
func TestTheChartFitsTheSchemas(t *testing.T) {
	schema := schemas(t)
	for _, with := range []map[string]any{
		nil,
		{"rooms": 10, "seats": 100, "freeSeats": "20%", "eviction": "Never", "origins": []string{"game.example"}},
		{"image": "tag:1", "command": []string{}}, // a game of one's own
		{"front": map[string]any{"enabled": false}, "podMonitor": false},
	} {
		kinds := map[string]map[string]any{}
		for _, o := range render(t, with) {
			name := fmt.Sprint(o["apiVersion"], " ", o["kind"])
			if err := schema(name).Validate(asJSON(t, o)); err != nil {
				t.Errorf("%v: %s: %v", with, name, err)
			}
			kinds[fmt.Sprint(o["kind"])] = o
		}
		if with["podMonitor"] == false && len(kinds) != 2 || with["podMonitor"] == nil && len(kinds) != 5 {
			t.Errorf("%v: rendered %v", with, slices.Sorted(maps.Keys(kinds)))
		}
		counters, _ := at(kinds["Fleet"], "spec", "template", "spec", "counters").(map[string]any)
		if names := slices.Sorted(maps.Keys(counters)); !slices.Equal(names, []string{fleet.Players, fleet.Rooms}) {
			t.Errorf("counters %v", names)
		}
		if key := at(kinds["FleetAutoscaler"], "spec", "policy", "counter", "key"); key != fleet.Players {
			t.Errorf("the autoscaler follows %v, want %s", key, fleet.Players)
		}
	}
}

// A slip in a schema's name or type is found: the test of the test.
func TestTheSchemasRefuse(t *testing.T) {
	schema := schemas(t)
	for _, o := range render(t, map[string]any{"eviction": "Sometimes", "freeSeats": 0}) {
		switch name := fmt.Sprint(o["apiVersion"], " ", o["kind"]); o["kind"] {
		case "Fleet", "FleetAutoscaler":
			if schema(name).Validate(asJSON(t, o)) == nil {
				t.Errorf("%s fits with values that no cluster takes", name)
			}
		}
	}
}

// The flags of chart and job are flags of the command, as its golden help shows them.
func TestFlagsOfDeployments(t *testing.T) {
	texts := map[string]string{}
	for _, command := range []string{"serve", "front"} {
		b, err := os.ReadFile("../../cmd/backstep/testdata/" + command + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		texts[command] = string(b)
	}
	var found int
	check := func(command, arguments string) {
		for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(arguments, -1) {
			found++
			if !strings.Contains(texts[command], flag+"=") && !strings.Contains(texts[command], flag+"\n") {
				t.Errorf("backstep %s has no flag %s", command, flag)
			}
		}
	}
	for _, o := range render(t, map[string]any{"origins": []string{"game.example"}}) {
		for _, path := range [][]string{{"spec", "template", "spec", "template", "spec", "containers"}, {"spec", "template", "spec", "containers"}} {
			containers, _ := at(o, path...).([]any)
			for _, c := range containers {
				arguments, _ := at(c, "args").([]any)
				check(fmt.Sprint(arguments[0]), fmt.Sprint(arguments[1:]))
			}
		}
	}
	job, err := os.ReadFile("../../deploy/nomad/backstep.nomad.hcl")
	if err != nil {
		t.Fatal(err)
	}
	server, frontDoor, _ := strings.Cut(string(job), `group "front"`)
	_, arguments, _ := strings.Cut(server, `"serve",`)
	check("serve", arguments)
	check("front", frontDoor)
	if found < 25 {
		t.Errorf("only %d flags found", found)
	}
}
