package weaponfile_test

import (
	"fmt"

	"github.com/backstep-net/backstep/weaponfile"
)

func Example() {
	table, err := weaponfile.Read("weapons.yaml", []byte(`
weapons:
  - name: rifle
    kind: hitscan
    range: 100
    cooldown: 100ms
    magazine: 30
    damage: {body: 25, head: 60}
`))
	fmt.Println(table[0].Name, table[0].Magazine, err)

	_, err = weaponfile.Read("weapons.yaml", []byte("weapons:\n  - {name: rifle, kind: hitscan, range: 100, cooldwn: 1s, damage: 5}\n"))
	fmt.Println(err)
	// Output:
	// rifle 30 <nil>
	// weapons.yaml:2: unknown key "cooldwn" in the rifle; did you mean "cooldown"?
	// weapons.yaml:2: cooldown is missing in the rifle
}
