package quarantine

import (
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// checkImports compares the imports with the packages that the tool declares
// [PM-41]. Nothing else is installed; the warnings say it before a user meets
// the failure.
func checkImports(c *collector) {
	provided := providedModules(c.tool.Runtime.Packages)
	lacking := map[string]bool{}
	for _, i := range c.Facts.Imports {
		if i.Typing {
			continue
		}
		where := c.inMain(i.Place)
		top, _, _ := strings.Cut(i.Module, ".")
		if i.Level > 0 {
			c.add(besideFile, where, "the import of %s is relative", spec.Quote(strings.Repeat(".", i.Level)+i.Module))
			continue
		}
		if !i.Stdlib && !i.Optional && !lacking[top] && !provided.has(i.Module) {
			lacking[top] = true
			c.add(notProvided, where, "the module %s is neither in Python %s nor known to come with a package of runtime.packages", spec.Quote(top), c.Facts.Python)
		}
	}
}

// moduleNames are the common packages whose modules are called otherwise than
// the package. It is a help and no catalogue: the finding that it saves is a
// warning.
var moduleNames = map[string]string{
	"attrs": "attr attrs", "beautifulsoup4": "bs4", "biopython": "Bio", "discord-py": "discord", "dnspython": "dns",
	"faiss-cpu": "faiss", "fpdf2": "fpdf", "gitpython": "git", "google-api-python-client": "googleapiclient apiclient",
	"grpcio": "grpc", "mysqlclient": "MySQLdb", "opencv-contrib-python": "cv2", "opencv-python": "cv2",
	"opencv-python-headless": "cv2", "pdfminer-six": "pdfminer", "pillow": "PIL", "protobuf": "google",
	"psycopg2-binary": "psycopg2", "pycryptodome": "Crypto", "pycryptodomex": "Cryptodome", "pyjwt": "jwt",
	"pymupdf": "fitz pymupdf", "pynacl": "nacl", "pyopenssl": "OpenSSL", "pyserial": "serial",
	"python-dateutil": "dateutil", "python-docx": "docx", "python-dotenv": "dotenv", "python-jose": "jose",
	"python-levenshtein": "Levenshtein", "python-magic": "magic", "python-multipart": "multipart",
	"python-pptx": "pptx", "python-slugify": "slugify", "pywin32": "win32api win32con", "pyyaml": "yaml",
	"pyzmq": "zmq", "scikit-image": "skimage", "scikit-learn": "sklearn", "setuptools": "setuptools pkg_resources",
	"speechrecognition": "speech_recognition", "umap-learn": "umap", "websocket-client": "websocket",
}

// modules is what the declared packages provide, as far as names tell.
type modules struct {
	exact    map[string]bool // top-level modules
	packages []string        // normalized package names
}

func providedModules(packages []string) modules {
	m := modules{exact: map[string]bool{}}
	for _, p := range packages {
		name, _, _ := strings.Cut(p, "==")
		name = normalName(name)
		m.packages = append(m.packages, name)
		for module := range strings.FieldsSeq(moduleNames[name]) {
			m.exact[module] = true
		}
	}
	return m
}

// has tells whether a package is called like the module, or like a parent of
// it (google-cloud-storage provides google.cloud.storage).
func (m modules) has(module string) bool {
	top, _, _ := strings.Cut(module, ".")
	if m.exact[top] {
		return true
	}
	name := normalName(top)
	dashed := normalName(module)
	for _, p := range m.packages {
		if p == name || strings.HasPrefix(p, name+"-") && (p == dashed || strings.HasPrefix(dashed, p+"-") || strings.HasPrefix(p, dashed+"-")) {
			return true
		}
	}
	return false
}
