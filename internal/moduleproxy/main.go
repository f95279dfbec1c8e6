// Command moduleproxy writes this checkout as a module proxy for the go command, so that tests build
// against the library as a user gets it: GOPROXY=file://DIR in front of the ordinary one.
//
//	go run ./internal/moduleproxy -version v0.1.0 DIR
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/backstep-net/backstep/internal/deps"
)

func main() {
	version := flag.String("version", "v0.1.0", "the module's version")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: moduleproxy [-version VERSION] DIR")
	}
	if err := write(flag.Arg(0), *version); err != nil {
		log.Fatal(err)
	}
}

// write writes the files that the protocol of module proxies asks for.
func write(folder, version string) error {
	root, err := deps.Root()
	if err != nil {
		return err
	}
	to := filepath.Join(folder, filepath.FromSlash(deps.Module), "@v")
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	files, err := tracked(root)
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, module.Version{Path: deps.Module, Version: version}, files); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, time.Unix(0, 0).UTC().Format(time.RFC3339))
	for name, b := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": []byte(info), version + ".mod": mod, version + ".zip": archive.Bytes()} {
		if err := os.WriteFile(filepath.Join(to, name), b, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// tracked returns the files of the checkout that belong to it.
func tracked(root string) ([]zip.File, error) {
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var files []zip.File
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(root, name)); err == nil && info.Mode().IsRegular() {
			files = append(files, file{root, name, info})
		}
	}
	return files, nil
}

// file is a zip.File of the checkout.
type file struct {
	root, name string
	info       os.FileInfo
}

// Path implements zip.File.
func (f file) Path() string { return f.name }

// Lstat implements zip.File.
func (f file) Lstat() (os.FileInfo, error) { return f.info, nil }

// Open implements zip.File.
func (f file) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(f.root, f.name)) }
