package native

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/client/layout"
	"github.com/backstep-net/backstep/clock"
)

// spaced is a struct with all that a declaration in C has to mind: gaps that a page does not see, names
// that C has taken, lists, structs in structs, what has an address, and the structs of backstep.h.
type spaced struct {
	Flag    bool
	hidden  int64
	JumpID  uint16
	Default float32
	At      clock.Micros
	Where   point3
	Turn    turned
	Grid    [2][3]int16
	Pairs   [2]pair
	Text    string
	List    []int
	Empty   struct{}
	Last    uint8
	tail    [9]byte
}

type point3 struct{ X, Y, Z float64 }

type turned struct{ X, Y, Z, W float64 }

// pair has its largest field hidden, so that C would align it otherwise.
type pair struct {
	Small  uint8
	hidden uint64
	Other  uint16
}

func spacedLayout() *layout.Layout {
	var t layout.Table
	v := &spaced{hidden: 1, tail: [9]byte{1}}
	v.Pairs[0].hidden = 1
	layout.Add(&t, "it", v, false)
	return t.Layout()
}

// The declaration for C. What is not declared is reserved, so that what is lies where Go has it.
func TestADeclarationInC(t *testing.T) {
	want := `typedef struct game_pair {
	uint8_t small;
	uint8_t reserved0[15];
	uint16_t other;
	uint8_t reserved1[6];
} game_pair;
BS_SIZE(game_pair, 24);

typedef struct game_it {
	uint8_t flag; /* 0 or 1 */
	uint8_t reserved0[15];
	uint16_t jump_id;
	float default_;
	int64_t at; /* microseconds */
	bs_vec3 where;
	bs_quat turn;
	int16_t grid[2][3];
	uint8_t reserved1[4];
	game_pair pairs[2];
	uint8_t reserved2[40];
	uint8_t last;
	uint8_t reserved3[15];
} game_it;
BS_SIZE(game_it, 208);

`
	if got := declareC(spacedLayout(), "it", "game_it", "game"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The declaration for C#. A list has a field for each element.
func TestADeclarationInCSharp(t *testing.T) {
	got := declareCSharp(spacedLayout(), "it", "game_it", "game")
	for _, want := range []string{
		"[StructLayout(LayoutKind.Explicit, Size = 24)]\npublic struct game_pair\n{\n\t[FieldOffset(0)] public byte @small;\n\t[FieldOffset(16)] public ushort @other;\n}\n",
		"[StructLayout(LayoutKind.Explicit, Size = 208)]\npublic struct game_it\n",
		"\t[FieldOffset(0)] public byte @flag; /* 0 or 1 */\n", "\t[FieldOffset(32)] public bs_vec3 @where;\n",
		"\t[FieldOffset(98)] public short @grid_1_2;\n", "\t[FieldOffset(128)] public game_pair @pairs_1;\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant it to contain\n%s", got, want)
		}
	}
}

// A C compiler puts each field where Go has it. [ENT-13]
func TestACompilerAgreesOnTheOffsets(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler here")
	}
	l := spacedLayout()
	program := "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n" +
		"typedef struct { double x, y, z; } bs_vec3;\ntypedef struct { double x, y, z, w; } bs_quat;\n" +
		"#define BS_SIZE(type, size) _Static_assert(sizeof(type) == (size), \"size\")\n" + declareC(l, "it", "game_it", "game") +
		"int main(void) {\n"
	want := ""
	for _, f := range flatFields(l, l.Roots[0].Type) {
		program += fmt.Sprintf("printf(\"%%s %%zu\\n\", %q, offsetof(game_it, %s));\n", f.Name, identifier(f.Name))
		want += fmt.Sprintln(f.Name, f.Offset)
	}
	folder := t.TempDir()
	source, binary := filepath.Join(folder, "it.c"), filepath.Join(folder, "it")
	if err := os.WriteFile(source, []byte(program+"return 0; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-std=c11", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := exec.Command(binary).Output()
	if err != nil || string(got) != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
}
