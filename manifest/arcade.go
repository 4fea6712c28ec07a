package manifest

// readArcade reads the main file of its format.
func readArcade(r *report, _ []byte) *Document {
	r.add(arcadeNotRead, pos{}, "nothing here reads this format yet")
	return nil
}
