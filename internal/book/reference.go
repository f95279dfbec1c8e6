package book

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/backstep-net/backstep/internal/figures"
)

// References generate what stands between reference comments, by the name in the comment.
var References = map[string]func(tree fs.FS) (string, error){
	"contents": index,
}

// Update returns the pages of a tree whose references are not what [References] generate, by
// file, as they must be.
func Update(tree fs.FS, pages []figures.Page) (map[string]string, error) {
	stale, used := map[string]string{}, map[string]bool{}
	for _, p := range pages {
		was := p.String()
		for i := range p.Parts {
			part := &p.Parts[i]
			if part.Reference == "" {
				continue
			}
			used[part.Reference] = true
			generate := References[part.Reference]
			if generate == nil {
				return nil, fmt.Errorf("%s: no reference is called %q: want one of %q", p.File, part.Reference, slices.Sorted(maps.Keys(References)))
			}
			text, err := generate(tree)
			if err != nil {
				return nil, fmt.Errorf("%s: reference %s: %w", p.File, part.Reference, err)
			}
			part.Text = "\n" + text
		}
		if now := p.String(); now != was {
			stale[p.File] = now
		}
	}
	for name := range References {
		if !used[name] {
			return nil, fmt.Errorf("no page has the comment <!-- reference %s -->", name)
		}
	}
	return stale, nil
}
