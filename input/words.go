package input

// Texts are ASCII where they mean anything, so these are for bytes: the unicode
// tables that package strings would bring are larger than this package.

// lower is a letter's lower case.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// same reports whether two words are the same but for case.
func same(a, b string) bool {
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

// find is the place of a word among others, −1 where it is none of them.
func find(words []string, word string) int {
	for i, w := range words {
		if same(w, word) {
			return i
		}
	}
	return -1
}

// cut is what lies before and after the first c, and whether there is one.
func cut(text string, c byte) (before, after string, found bool) {
	for i := range len(text) {
		if text[i] == c {
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// fields are the words of a text; commas separate too.
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
