package secrets

// All names here are in lower case and are compared so: some file systems know
// no other, and a secret in capitals is one, too.

// places are files and folders by the end of their path: below a home, which
// may also be that of another user or a copy of it.
var places = [...]string{
	// Keys, passwords and their agents.
	".ssh", ".gnupg", ".password-store", ".pki", ".age", ".config/age", ".config/sops", ".local/share/keyrings", ".gnome2/keyrings",
	".local/share/kwalletd", ".kde/share/apps/kwallet", "library/keychains", ".config/keepassxc", ".config/bitwarden", ".config/bitwarden cli",
	".config/op", ".op", ".config/1password", ".lastpass", ".local/share/lpass", ".vault-token", ".minisign", ".signify", ".sigstore",
	".config/systemd/credentials",
	// Clouds and clusters.
	".aws", ".azure", ".config/gcloud", ".kube", ".docker/config.json", "containers/auth.json", ".oci", ".aliyun", ".tccli",
	".bluemix", ".config/doctl", ".config/hcloud", ".config/linode-cli", ".config/scw", ".config/exoscale", ".config/flyctl", ".fly", ".config/heroku",
	".config/netlify", ".config/vercel", ".local/share/com.vercel.cli", ".config/wrangler", ".wrangler/config", ".railway", ".config/rclone", ".s3cfg", ".boto", ".gsutil",
	".terraform.d/credentials.tfrc.json", ".terraformrc", ".pulumi/credentials.json", ".chef", ".ansible_vault_pass", ".vagrant.d/data", ".minikube", ".config/argocd",
	// Code forges and package registries.
	".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub", ".config/glab-cli", ".config/tea", ".netrc", "_netrc", ".authinfo", ".authinfo.gpg",
	".npmrc", ".yarnrc", ".yarnrc.yml", ".config/configstore", ".pypirc", ".config/pypoetry/auth.toml", ".pip/pip.conf", ".config/pip/pip.conf", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".bundle/config",
	".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".ivy2/.credentials", ".sbt/.credentials", ".composer/auth.json", ".config/composer/auth.json",
	".nuget/nuget/nuget.config", ".hex/hex.config", ".conan/.conan.db", ".config/hatch",
	// Databases and mail.
	".pgpass", ".pg_service.conf", ".my.cnf", ".mylogin.cnf", ".mongorc.js", ".dbshell", ".snowsql", ".databrickscfg", ".msmtprc", ".fetchmailrc", ".mutt", ".muttrc", ".getmail", ".esmtprc",
	// Models and their hosts.
	".huggingface/token", ".cache/huggingface/token", ".cache/huggingface/stored_tokens", ".kaggle", ".config/openai", ".codex/auth.json", ".claude.json", ".claude/.credentials.json", ".gemini/oauth_creds.json", ".config/github-copilot", ".wandb", ".config/wandb",
	// Browsers, mail programs and messengers.
	".mozilla", ".thunderbird", ".librewolf", ".waterfox", ".tor-browser", ".config/google-chrome", ".config/google-chrome-beta", ".config/chromium", ".config/bravesoftware", ".config/microsoft-edge", ".config/vivaldi", ".config/opera",
	"snap/firefox", "snap/chromium", "snap/thunderbird", ".var/app/org.mozilla.firefox", ".var/app/com.google.chrome", ".var/app/org.chromium.chromium", ".var/app/com.brave.browser", ".var/app/org.mozilla.thunderbird",
	"library/application support/google/chrome", "library/application support/firefox", "library/application support/bravesoftware", "library/application support/microsoft edge", "library/cookies", "library/safari", "library/mail", "library/messages",
	".config/signal", ".config/slack", ".config/discord", ".config/element", ".local/share/telegramdesktop", ".local/share/evolution", ".purple", ".config/filezilla", ".filezilla", ".config/remmina", ".local/share/remmina",
	// Wallets.
	".bitcoin", ".litecoin", ".dogecoin", ".dash", ".zcash", ".ethereum", ".electrum", ".electron-cash", ".monero", ".bitmonero", ".config/solana", ".config/exodus", ".config/atomic", ".config/ledger live", ".config/trezor suite", ".wasabi", ".walletwasabi",
	"library/application support/bitcoin", "library/application support/ethereum", "library/application support/exodus",
	// What shells and consoles were told.
	".bash_history", ".zsh_history", ".zhistory", ".histfile", ".sh_history", ".ksh_history", ".local/share/fish/fish_history", ".config/fish/fish_history", ".local/share/nushell/history.txt", ".local/share/atuin", ".history",
	".python_history", ".node_repl_history", ".irb_history", ".psql_history", ".mysql_history", ".mariadb_history", ".sqlite_history", ".rediscli_history", ".mongosh", ".lesshst", ".viminfo",
	// Networks.
	".config/wireguard", ".wireguard", ".config/openvpn", ".openvpn", ".cisco/certificates/client", ".local/share/networkmanagement",
	// patch-git's own state: whom somebody trusts, keys, records of runs.
	".local/share/patch-cat", "library/application support/patch-cat",
}

// system are the places of the machine, by their whole path.
var system = [...]string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/security/opasswd", "/etc/master.passwd",
	"/etc/ssl/private", "/etc/pki/tls/private", "/etc/pki/private", "/etc/letsencrypt", "/etc/krb5.keytab", "/etc/krb5kdc", "/etc/ipsec.secrets", "/etc/ipsec.d/private", "/etc/swanctl/private",
	"/etc/wireguard", "/etc/openvpn", "/etc/ppp/chap-secrets", "/etc/ppp/pap-secrets", "/etc/networkmanager/system-connections", "/etc/netplan", "/etc/wpa_supplicant", "/etc/iwd", "/var/lib/iwd", "/var/lib/networkmanager",
	"/etc/docker/key.json", "/etc/kubernetes", "/etc/rancher", "/var/lib/kubelet", "/var/lib/rancher", "/run/secrets", "/run/credentials", "/run/agenix", "/run/keys", "/etc/credstore", "/etc/credstore.encrypted", "/var/lib/systemd/credential.secret", "/var/lib/tpm2-tss",
	"/etc/cryptsetup-keys.d", "/etc/luks", "/etc/vault.d", "/etc/rclone.conf", "/etc/exim4/passwd.client", "/etc/postfix/sasl_passwd", "/etc/mysql/debian.cnf", "/var/lib/samba/private", "/var/lib/sss",
	"/var/spool/mail", "/var/mail", "/var/lib/docker", "/var/lib/containerd", "/var/lib/lxd", "/var/lib/libvirt/secrets", "/etc/libvirt/secrets", "/private/etc/master.passwd", "/private/var/db/dslocal", "/library/keychains",
}

// rootHome is the administrator's home, and everybody else's secret.
const rootHome = "/root"

// names are files that hold secrets wherever they lie.
var names = [...]string{
	".env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials", ".s3cfg", ".boto", ".dockercfg", ".htpasswd", ".vault-token", ".vault_pass", ".credentials",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "identity.key", "ssh_host_rsa_key", "ssh_host_dsa_key", "ssh_host_ecdsa_key", "ssh_host_ed25519_key",
	"credentials", "credentials.json", "credentials.toml", "credentials.yml", "credentials.yaml", "credentials.xml", "credentials.ini", "credentials.db", "application_default_credentials.json", "service-account.json", "service_account.json",
	"secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml", "secrets.env", "master.key", "secring.gpg", "kubeconfig", "wallet.dat", "logins.json", "key4.db", "cookies.sqlite", "login data", "proftpdpasswd", "terraform.tfstate", "terraform.tfstate.backup", "token.pickle", "token.json",
}

// accounts begin the names of files, in JSON, that hold secrets; endings end the
// names of others.
var (
	accounts = [...]string{"client_secret", "service-account", "service_account"}
	endings  = [...]string{
		".p12", ".pfx", ".pkcs12", ".jks", ".keystore", ".kdb", ".kdbx", ".psafe3", ".ppk", ".agilekeychain", ".keychain", ".keychain-db", ".kwallet", ".ovpn", ".tfstate", ".tfvars", ".mobileprovision", ".env",
	}
	// patterns show how something is written, and hold nothing themselves.
	patterns = [...]string{".example", ".sample", ".template", ".dist", ".defaults", ".schema", ".md", ".d.ts"}
	// keyEndings end the names of what may be a private key, or a public one:
	// the file itself tells.
	keyEndings = [...]string{".pem", ".key", ".p8", ".asc", "_rsa", "_dsa", "_ecdsa", "_ed25519"}
)
