package book

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/internal/targets"
)

// Every TypeScript block of the documents has right types. A block is a module of its own; a
// comment above it declares what it leaves out:
//
//	<!-- ts: declare const hello: Uint8Array; -->
//
// "./game" is the file that a game's core writes for its page; here it lets everything pass.
func TestTypeScriptBlocks(t *testing.T) {
	web, err := filepath.Abs(root + "/web")
	if err != nil {
		t.Fatal(err)
	}
	tsc := filepath.Join(web, "node_modules/typescript/bin/tsc")
	if _, err := os.Stat(tsc); err != nil {
		targets.NotRun(t, "TypeScript of the documents: run npm ci in web/")
		t.Skip(err)
	}
	if _, err := os.Stat(web + "/client/dist"); err != nil { // what blocks import: our packages as they are published
		build := exec.CommandContext(t.Context(), "npm", "run", "--silent", "packages")
		build.Dir = web
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	dir := t.TempDir()
	if err := os.Symlink(web+"/node_modules", dir+"/node_modules"); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"game.d.ts": "export type Roots = any;\n", "tsconfig.json": tsconfig}
	for _, p := range pages(t) {
		for i, b := range p.Blocks {
			if b.Info != "ts" {
				continue
			}
			hidden, _ := strings.CutPrefix(b.Comment, "ts:")
			if hidden == b.Comment {
				hidden = ""
			}
			hidden = strings.ReplaceAll(hidden, "\n", " ") + " export {};\n"
			name := fmt.Sprintf("%s.%d.ts", strings.ReplaceAll(p.File, "/", "_"), i)
			files[name] = strings.Repeat("\n", b.Line-2) + hidden + b.Text
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "node", tsc)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: a line is that of the page\n%s", err, out)
	}
}

const tsconfig = `{
  "compilerOptions": {
    "target": "ES2022", "module": "ESNext", "moduleResolution": "bundler", "lib": ["ES2023", "DOM", "DOM.Iterable"],
    "types": [], "strict": true, "skipLibCheck": true, "noEmit": true
  },
  "include": ["*.ts"]
}`
