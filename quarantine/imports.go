package quarantine

import (
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// checkImports compares the imports with what the tool declares: packages
// [PM-41] and network [PM-32]. The sandbox enforces both; the warnings say it
// before a user meets the failure.
func checkImports(c *collector) {
	provided := providedModules(c.tool.Runtime.Packages)
	lacking, network := map[string]bool{}, map[string]bool{}
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
		if module := i.Module; !c.tool.Capabilities.Network && !network[top] && usesNetwork(module, i.Name) {
			network[top] = true
			c.add(undeclaredNetwork, where, "the module %s is imported", spec.Quote(module))
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

// networkModules open connections or exist for nothing else. A module stands
// for those below it; asyncio and ssl are not here, for they serve much else.
var networkModules = strings.Fields(`socket socketserver urllib.request http.client http.server ftplib smtplib poplib imaplib
	telnetlib nntplib xmlrpc.client xmlrpc.server webbrowser wsgiref.simple_server
	requests httpx httpcore aiohttp urllib3 websocket websockets paramiko boto3 botocore grpc pycurl dns tornado twisted scapy
	httplib2 treq openai anthropic googleapiclient discord slack_sdk telegram tweepy praw psycopg psycopg2 pymysql pymongo redis
	pika kafka nats zmq asyncssh ftputil playwright selenium yt_dlp gradio_client huggingface_hub`)

func usesNetwork(module, name string) bool {
	for _, n := range networkModules {
		if module == n || strings.HasPrefix(module, n+".") || name != "" && module+"."+name == n {
			return true
		}
	}
	return false
}
