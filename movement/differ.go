package movement

// Differ appends to into the fields in which truth is not as predicted, and by how much:
// it explains why a character was corrected [ACK-14]. Mode and base come first, since they
// explain the rest. Two states that differ at all differ in one of its fields. D is
// predict.Difference, or whatever else a game keeps: its fields are the field's name
// and the amount, in metres, m/s, radians, seconds or jumps; 1 for what is only equal
// or not. Places are the world's, of riders too.
func Differ[D ~struct {
	Field string
	By    float64
}](predicted, truth *State, into []D) []D {
	var found differences
	predicted.fields(&visitor{found: &found}, truth)
	for _, first := range [...]bool{true, false} {
		for _, d := range found.list[:found.count] {
			if first == (d.name == "mode" || d.name == "base") {
				into = append(into, D{Field: d.name, By: d.by})
			}
		}
	}
	return into
}
