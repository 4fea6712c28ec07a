package pyenv

// Start is how an interpreter is started for programs other than Patch tools: isolated
// from the user's environment, without any packages; with what it needs of the host and,
// for the network, the certificates of authorities.
func (in *Interpreter) Start(network bool) (argv, env []string, mounts []Mount) {
	mounts = append(mounts, in.Mounts...)
	if network {
		mounts = append(mounts, in.Trust...)
	}
	return in.argv(), in.env(), mounts
}
