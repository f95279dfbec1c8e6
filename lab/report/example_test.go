package report_test

import (
	"fmt"
	"strings"

	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/report"
)

func Example() {
	r := &lab.Result{
		Name: "nothing much", Duration: 1, Order: []string{"ann"},
		Players: map[string]*lab.Figures{"ann": {}},
	}
	var page strings.Builder
	if err := report.Write(&page, r, report.Options{Version: "v1"}); err != nil {
		panic(err)
	}
	fmt.Println(strings.Contains(page.String(), "<h1>nothing much</h1>"))
	// Output: true
}
