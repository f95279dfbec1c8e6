package book

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every TypeScript block of the documents has right types. A block is a module of its own; a
// comment above it declares what it leaves out:
//
//	<!-- ts: declare const hello: Uint8Array; -->
//
// "./game" is the file that a game's core writes for its page; here it lets everything pass.
func TestSlowTypeScriptBlocks(t *testing.T) {
	web, err := filepath.Abs(root + "/web")
	if err != nil {
		t.Fatal(err)
	}
	openSources(t)
	webPackages(t, web)
	dir := t.TempDir()
	files := map[string]string{"game.d.ts": "export type Roots = any;\n"}
	for _, p := range pages(t) {
		for i, b := range p.Blocks {
			if b.Info != "ts" || p.File == firstGame {
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
		writeFile(t, filepath.Join(dir, name), text)
	}
	typecheck(t, web, dir)
}

// typecheck checks the TypeScript of a folder, which sees the npm packages of the folder web.
func typecheck(t *testing.T, web, dir string) {
	t.Helper()
	if err := os.Symlink(web+"/node_modules", dir+"/node_modules"); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "tsconfig.json"), tsconfig)
	cmd := exec.CommandContext(t.Context(), "node", "node_modules/typescript/bin/tsc")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: a line is that of the page; after a change of a package, npm run packages in web/ builds it anew\n%s", err, out)
	}
}

const tsconfig = `{
  "compilerOptions": {
    "target": "ES2022", "module": "ESNext", "moduleResolution": "bundler", "lib": ["ES2023", "DOM", "DOM.Iterable"],
    "types": [], "strict": true, "skipLibCheck": true, "noEmit": true
  },
  "include": ["*.ts"]
}`
