package obeyed

// places are files and folders by the end of their path, in lower case: below a home,
// which may also be that of another user or a copy of it, or in a project.
var places = [...]string{
	// Shells, and what they set for all programs.
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".bash_completion", ".bashrc.d", ".profile", ".profile.d", ".login", ".logout",
	".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".zsh", ".oh-my-zsh", ".config/zsh", ".kshrc", ".mkshrc", ".shrc", ".cshrc", ".tcshrc",
	".inputrc", ".config/fish", ".config/nushell", "library/application support/nushell", ".config/elvish", ".config/powershell", "documents/powershell", "documents/windowspowershell",
	".pam_environment", ".config/environment.d", ".envrc", ".direnvrc", ".config/direnv", ".mise.toml", ".config/mise", ".asdfrc",
	// What a desktop or the system starts.
	".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".xserverrc", ".config/autostart", ".config/autostart-scripts", ".config/plasma-workspace", ".config/lxsession",
	".config/systemd", ".local/share/systemd", ".config/upstart", ".local/share/applications", ".local/share/dbus-1", ".config/user-tmpfiles.d", ".local/share/nautilus/scripts",
	".config/i3", ".i3", ".config/sway", ".config/hypr", ".config/openbox", ".config/awesome", ".config/bspwm", ".fluxbox", "var/spool/cron",
	"library/launchagents", "library/launchdaemons", "library/startupitems", "start menu/programs/startup",
	// Folders in which shells look for programs, and languages for code.
	".local/bin", "usr/local", ".cargo/bin", ".cargo/env", ".cargo/config", ".cargo/config.toml", "go/bin", ".deno/bin", ".bun/bin", ".pyenv", ".rbenv", ".nvm", ".asdf", ".sdkman", ".local/share/mise",
	"sitecustomize.py", "usercustomize.py", ".pythonrc", ".pythonrc.py", ".pdbrc", ".ipython", ".jupyter", ".irbrc", ".pryrc", ".rprofile", ".gradle/init.d", ".gradle/init.gradle",
	".gdbinit", ".gdbearlyinit", ".lldbinit", ".psqlrc", ".sqliterc", ".npmrc", ".yarnrc", ".yarnrc.yml",
	// Keys that let somebody in, and versions of files.
	".ssh", ".gnupg", ".gitconfig", ".config/git", ".githooks", ".husky", ".hg", ".hgrc", ".pre-commit-config.yaml", ".github/workflows", ".gitlab-ci.yml",
	// Editors and terminals.
	".vimrc", ".gvimrc", ".exrc", ".nvimrc", ".vim", ".config/nvim", ".emacs", ".emacs.d", ".config/emacs", ".config/doom", ".doom.d", ".spacemacs", ".dir-locals.el",
	".vscode", ".idea", ".config/code/user", "library/application support/code/user", "appdata/roaming/code/user",
	".tmux.conf", ".config/tmux", ".screenrc", ".wezterm.lua", ".config/wezterm", ".config/kitty", ".config/alacritty", ".config/ghostty",
	// AI hosts: what they start, and what their models follow.
	".mcp.json", ".claude", ".claude.json", ".config/claude", "library/application support/claude", "appdata/roaming/claude", ".cursor", ".cursorrules", ".codeium", ".windsurf", ".windsurfrules",
	".codex", ".gemini", ".config/goose", ".continue", ".kiro", ".aider.conf.yml", "claude.md", "agents.md", "gemini.md", ".github/copilot-instructions.md",
}
