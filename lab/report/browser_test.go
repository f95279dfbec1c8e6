package report

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"strconv"
	"testing"

	"github.com/backstep-net/backstep/lab"
)

func written(t *testing.T, r *lab.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, Options{Version: "test"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tour uses the page like a reader, and returns what it shows.
const tour = `
(async () => {
  const frame = () => new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)));
  const $ = (s) => document.querySelector(s), all = (s) => [...document.querySelectorAll(s)];
  const seen = {};
  const type = (e, key) => e.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const pick = (e, v) => { if (e.type === "checkbox") e.checked = v; else e.value = v; e.dispatchEvent(new Event("input", { bubbles: true })); };
  $("#charts").scrollIntoView();
  while (all(".chart .uplot canvas").length < 6) await frame();
  seen.ready = document.documentElement.dataset.ready;
  seen.charts = all(".chart .uplot canvas").length;
  seen.players = all("#who button[aria-pressed=true]").length;
  seen.shots = all("#shots .shot").length;
  seen.events = all("#events tr").length;
  const chart = $(".chart");
  type(chart, "End"); await frame();
  seen.end = $("#now").value;
  type(chart, "+"); await frame();
  seen.zoomed = !$("#whole").disabled;
  pick($("#events-filter").elements.zoomed, true); await frame();
  seen.eventsZoomed = all("#events tr").length;
  type(document.body, "Escape"); await frame();
  seen.whole = $("#whole").disabled;
  pick($("#events-filter").elements.by, "1"); await frame();
  seen.eventsOfOne = [...new Set(all("#events tr td:nth-child(2)").map((td) => td.textContent))];
  pick($("#shots-filter").elements.odd, true); await frame();
  seen.odd = all("#shots .shot").length === all("#shots .shot.odd").length && all("#shots .shot").length;
  $("#who button[aria-pressed]").click(); await frame();
  seen.hidden = all("#who button[aria-pressed=false]").length;
  const before = getComputedStyle(document.body).backgroundColor;
  while (document.documentElement.dataset.theme !== "dark") { $("#theme").click(); await frame(); }
  seen.dark = [before, getComputedStyle(document.body).backgroundColor];
  $(".tip").focus(); await frame();
  seen.tip = !$("#tip").hidden && $("#tip").textContent.length;
  seen.wide = document.documentElement.scrollWidth <= innerWidth;
  seen.unlabelled = all("button, select, input, canvas").filter((e) => !(e.closest("[aria-hidden=true]") || e.textContent.trim() || e.ariaLabel || e.labels?.length)).map((e) => e.outerHTML);
  return seen;
})()
`

func TestAReaderUsesTheReport(t *testing.T) {
	for _, width := range []int{1280, 390} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			b := open(t, written(t, invented(3, 20)), width, 900)
			var got map[string]any
			b.eval(tour, &got)
			b.silent()
			for _, want := range []struct {
				key   string
				value any
				why   string
			}{
				{"ready", "yes", "the script came to its end"},
				{"charts", 6.0, "speed, owner error, remote error, view delay, packets up and down"},
				{"players", 3.0, "all are shown at first"},
				{"shots", 24.0, "the first page of 30"},
				{"events", 36.0, "three players, four times three"},
				{"end", "20.00 s", "the End key goes to the end"},
				{"zoomed", true, "+ zooms in"},
				{"eventsZoomed", 9.0, "only those in the last five seconds"},
				{"whole", true, "Escape shows the whole run"},
				{"eventsOfOne", []any{"bob"}, "the filter by player"},
				{"odd", 8.0, "shots on which screen and server disagree: some, and only those"},
				{"hidden", 1.0, "a player can be hidden"},
				{"wide", true, "nothing sticks out sideways"},
				{"unlabelled", []any{}, "every control has a name"},
			} {
				g, _ := json.Marshal(got[want.key])
				w, _ := json.Marshal(want.value)
				if !bytes.Equal(g, w) {
					t.Errorf("%s: got %s, want %s: %s", want.key, g, w, want.why)
				}
			}
			if n, ok := got["tip"].(float64); !ok || n < 20 {
				t.Errorf("tip: got %v, want the meaning of the first figure", got["tip"])
			}
			if two, ok := got["dark"].([]any); !ok || two[0] == two[1] {
				t.Errorf("dark: got %v, want two backgrounds", got["dark"])
			}
		})
	}
}

// A name that would end the script element is shown as a name.
func TestAHostileNameIsOnlyText(t *testing.T) {
	const name = `</script><script>document.title="broken"</script><!--<b>`
	r := invented(2, 3)
	old := r.Order[1]
	r.Order[1] = name
	r.Name = name
	r.Players[name], r.Series.Players[name] = r.Players[old], r.Series.Players[old]
	delete(r.Players, old)
	r.Series.Shots[0].Shooter, r.Series.Shots[0].Saw = name, name
	r.Expect = append(r.Expect, lab.Checked{Text: name})
	page := written(t, r)
	if got, want := bytes.Count(page, []byte("</script>")), 3; got != want {
		t.Errorf("%d script elements end in the page, want %d", got, want)
	}
	b := open(t, page, 800, 600)
	var got []string
	b.eval(`[document.title, document.querySelector("h1").textContent, document.querySelectorAll("#who button[aria-pressed]")[1].textContent]`, &got)
	b.silent()
	for i, want := range []string{name + " · Backstep lab", name, name} {
		if got[i] != want {
			t.Errorf("got %q, want %q", got[i], want)
		}
	}
}

// In light and in dark colours the page draws something, on a background of that kind.
func TestLightAndDark(t *testing.T) {
	b := open(t, written(t, invented(3, 20)), 1280, 2600)
	for _, theme := range []string{"light", "dark"} {
		b.eval(`while (document.documentElement.dataset.theme !== "`+theme+`") document.getElementById("theme").click();
			new Promise((f) => setTimeout(f, 300))`, nil)
		paper, colours := look(t, b.picture())
		b.silent()
		if light := paper > 0.5; light != (theme == "light") {
			t.Errorf("%s: the paper's brightness is %.2f", theme, paper)
		}
		if colours < 300 {
			t.Errorf("%s: %d colours in the picture, want hundreds: paths and charts", theme, colours)
		}
	}
}

// look returns the brightness of the corner of an image, and its number of colours.
func look(t *testing.T, b []byte) (paper float64, colours int) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	r, g, bl, _ := img.At(2, 2).RGBA()
	seen := map[[3]uint32]bool{}
	box := img.Bounds()
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			seen[at(img, x, y)] = true
		}
	}
	return float64(r+g+bl) / (3 * 0xffff), len(seen)
}

func at(img image.Image, x, y int) [3]uint32 {
	r, g, b, _ := img.At(x, y).RGBA()
	return [3]uint32{r >> 8, g >> 8, b >> 8}
}
