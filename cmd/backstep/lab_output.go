package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// outputFile is what a file is to hold; until commit, the old file stays as it was.
type outputFile struct {
	bytes.Buffer
	flag    string // the flag that named it, for errors
	path    string // "" where no flag names one: commit writes nothing
	inPlace bool   // a device, a pipe
}

// openOutput checks that the file which a flag names can be written, so that a missing folder is
// found before anything is played.
func openOutput(flag, path string) (*outputFile, error) {
	d := &outputFile{flag: flag, path: path}
	if path == "" {
		return d, nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		d.path = real // of a link, the target is replaced
	}
	if info, err := os.Stat(d.path); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return nil, d.fail(errors.New("is a folder"))
		}
		d.inPlace = true
		return d, nil
	}
	f, err := d.draft()
	if err != nil {
		return nil, d.fail(err)
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return nil, d.fail(err)
	}
	return d, nil
}

// draft makes a new file beside the file.
func (d *outputFile) draft() (*os.File, error) {
	return os.OpenFile(fmt.Sprintf("%s.%08x.part", d.path, rand.Uint32()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// fail returns an error that names the flag, without the path of the draft, which would confuse
// the user.
func (d *outputFile) fail(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s=%s: %w", d.flag, d.path, err)
}

// commit writes the file.
func (d *outputFile) commit() (err error) {
	switch {
	case d.path == "":
		return nil
	case d.inPlace:
		err = os.WriteFile(d.path, d.Bytes(), 0)
	default:
		err = d.replace()
	}
	if err != nil {
		return d.fail(err)
	}
	return nil
}

// replace writes a draft and gives it the file's name.
func (d *outputFile) replace() error {
	f, err := d.draft()
	if err != nil {
		return err
	}
	_, err = f.Write(d.Bytes())
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), d.path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
