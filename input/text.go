package input

// Names and keywords are ASCII, so these functions work on bytes: the Unicode tables of package
// strings would be larger than this package.

// lower returns the lower case of a letter.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// equalFold reports whether two words are equal, ignoring case.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

// find returns the index of a word in a list, −1 if it is not there.
func find(words []string, word string) int {
	for i, w := range words {
		if equalFold(w, word) {
			return i
		}
	}
	return -1
}

// cut returns the text before and after the first c, and whether there is one.
func cut(text string, c byte) (before, after string, found bool) {
	for i := range len(text) {
		if text[i] == c {
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// fields splits a text into words. Commas separate words too, and a carriage return is a blank: a
// text written on Windows has one at the end of each line.
func fields(text string) []string {
	var words []string
	begin := 0
	for i := range len(text) + 1 {
		if i == len(text) || text[i] == ' ' || text[i] == ',' || text[i] == '\t' || text[i] == '\r' {
			if i > begin {
				words = append(words, text[begin:i])
			}
			begin = i + 1
		}
	}
	return words
}
