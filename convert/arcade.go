package convert

// arcade writes Arcade tool definitions of the specified edition.
func (c *conversion) arcade() error {
	return impossible("not yet")
}
