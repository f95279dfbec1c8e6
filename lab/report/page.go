package report

import (
	_ "embed"
	"encoding/json"
	"html/template"
)

// page has the data of the template, and as Data that of its script.
type page struct {
	Name         string
	Facts        []fact
	Expectations []expectation
	Held         bool // all of them
	Failed       int
	Columns      []string // of most tables of figures: one per player
	Tables       []table
	ShotFigures  []tile
	Thinned      string // what was left out of the charts
	Version      string

	Data         template.JS
	Style        template.CSS
	Plot, Script template.JS
}

type fact struct{ Name, Value string }

type expectation struct {
	Text, Got string
	Held      bool
}

// table is a group of figures, a column for each player or weapon.
type table struct {
	Name    string
	Columns []string
	Rows    []row
}

// row is one figure of all players.
type row struct {
	Name, Unit, Means string
	Values            []value
}

// value is the text of a figure; Dim where it is zero.
type value struct {
	Text string
	Dim  bool
}

// tile is one figure of the whole run.
type tile struct{ Name, Value, Unit, Means string }

// drawing is the data of the script. The scripts in assets/ read its fields by name.
type drawing struct {
	Duration   Number   `json:"duration"`
	FirstShown int      `json:"firstShown"` // players shown at first
	Times      []Number `json:"times"`      // the charts' instants
	Players    []player `json:"players"`
	Charts     []chart  `json:"charts"`
	Shots      []shot   `json:"shots"`
	ShotsNote  string   `json:"shotsNote"`
	Events     []event  `json:"events"`
}

type player struct {
	Name        string      `json:"name"`
	Path        path        `json:"path"`
	Drawn       path        `json:"drawn"`
	Corrections [][2]Number `json:"corrections"` // time, metres
}

// path is the path of a player: S is the distance covered, Cut are the points that are not joined to
// the one before.
type path struct {
	T   []Number `json:"t"`
	X   []Number `json:"x"`
	Y   []Number `json:"y"`
	Z   []Number `json:"z"`
	S   []Number `json:"s"`
	Cut []int    `json:"cut"`
}

type chart struct {
	Title string `json:"title"`
	Unit  string `json:"unit"`
	Means string `json:"means"`
	// Corrections marks them along the top.
	Corrections bool `json:"corrections,omitempty"`
	// Dots are drawn instead of lines.
	Dots   bool    `json:"dots,omitempty"`
	Series []curve `json:"series"`
}

// curve is one line of a chart: of player P, and Q where it is about two.
type curve struct {
	Label  string    `json:"label"`
	P      int       `json:"p"`
	Q      *int      `json:"q,omitempty"`
	Values []*Number `json:"v"`
}

type shot struct {
	T        Number  `json:"t"`
	By       string  `json:"by"`
	Weapon   string  `json:"weapon"`
	Verdict  string  `json:"verdict"`
	Reason   string  `json:"reason"`
	Target   string  `json:"target"`
	Part     string  `json:"part"`
	Saw      string  `json:"saw"`
	Odd      bool    `json:"odd,omitempty"` // screen and server disagree
	View     *Number `json:"view"`
	Distance Number  `json:"distance"`
	// Eye is absent where there is nothing to draw, ServerEye where there was no verdict.
	Eye       *[3]Number `json:"eye"`
	ServerEye *[3]Number `json:"serverEye"`
	Dir       *[3]Number `json:"dir"`
	Bodies    []body     `json:"bodies"`
}

// body is one player near a shot's line, twice.
type body struct {
	Name   string   `json:"name"`
	Saw    []volume `json:"saw"`
	Server []volume `json:"server"`
}

// volume is a capsule; a ball where its ends are one.
type volume struct {
	Part   string
	A, B   [3]Number
	Radius Number
}

// MarshalJSON writes v as [part, end, other end, radius].
func (v volume) MarshalJSON() ([]byte, error) {
	return json.Marshal([4]any{v.Part, v.A, v.B, v.Radius})
}

// event is an event of player P, −1 for the server.
type event struct {
	T          Number
	P          int
	Kind, More string
}

// MarshalJSON writes e as [time, player, kind, more].
func (e event) MarshalJSON() ([]byte, error) {
	return json.Marshal([4]any{e.T, e.P, e.Kind, e.More})
}

//go:embed assets/page.html
var pageHTML string

//go:embed assets/page.css
var pageCSS string

//go:embed assets/uPlot.min.css
var plotCSS string

//go:embed assets/uPlot.iife.min.js
var plotJS string

//go:embed assets/base.js
var baseJS string

//go:embed assets/charts.js
var chartsJS string

//go:embed assets/paths.js
var pathsJS string

//go:embed assets/shots.js
var shotsJS string

//go:embed assets/main.js
var mainJS string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// script joins the scripts in one scope.
func script() template.JS {
	return template.JS("(() => {\n\"use strict\";\n" + baseJS + chartsJS + pathsJS + shotsJS + mainJS + "})();\n")
}

// script returns the drawing as JSON for a script element. json.Marshal writes < as \u003c, so no
// player's name can end the element.
func (d *drawing) script() (template.JS, error) {
	b, err := json.Marshal(d)
	return template.JS(b), err
}
