package manifest

// readInstall reads an Agent Tool Install Manifest.
func readInstall(r *report, data []byte) *Document {
	root := parseJSON(data, r)
	if root == nil {
		return nil
	}
	checkForm(r, root, installForm, installForms)
	return nil
}
