"""Names and texts that the threat rules look for.

Part of the program that begins with python_scope.py. Names are as
Fold.names gives them; a name that ends in a point stands for all below it.
"""

def table(**kinds):
    names = {}
    for kind, text in kinds.items():
        for name in text.split():
            names.setdefault(name, set()).add(kind)
    return names


# What a call of the name does. A word may have several kinds.
CALLS = table(
    execute="""builtins.exec builtins.eval builtins.execfile code.InteractiveInterpreter().runsource
        code.InteractiveInterpreter().runcode code.InteractiveConsole().push code.InteractiveConsole().runsource types.FunctionType
        timeit.timeit timeit.repeat timeit.Timer cProfile.run cProfile.runctx profile.run pdb.run bdb.Bdb().run trace.Trace().run
        codeop.compile_command _testcapi.run_in_subinterp IPython.get_ipython().run_cell js2py.eval_js runpy.run_path
        runpy.run_module imp.load_source imp.load_module imp.load_compiled types.CodeType builtins.compile
        importlib.machinery.SourceFileLoader importlib.machinery.SourcelessFileLoader importlib.util.spec_from_file_location""",
    unmarshal="marshal.loads marshal.load",
    process="""os.system os.popen os.popen2 os.popen3 os.popen4 os.execl os.execle os.execlp os.execlpe os.execv os.execve
        os.execvp os.execvpe os.spawnl os.spawnle os.spawnlp os.spawnlpe os.spawnv os.spawnve os.spawnvp os.spawnvpe
        os.posix_spawn os.posix_spawnp os.startfile subprocess.run subprocess.call subprocess.check_call subprocess.check_output
        subprocess.Popen subprocess.getoutput subprocess.getstatusoutput pty.spawn asyncio.create_subprocess_shell
        asyncio.create_subprocess_exec asyncio.subprocess.create_subprocess_shell asyncio.subprocess.create_subprocess_exec
        commands.getoutput commands.getstatusoutput platform.popen popen2.popen2 popen2.popen3 pexpect.spawn pexpect.run
        pexpect.spawnu win32api.ShellExecute win32com.shell.shell.ShellExecuteEx _posixsubprocess.fork_exec _winapi.CreateProcess
        win32process.CreateProcess trio.run_process anyio.run_process anyio.open_process sh.bash sh.sh
        ctypes.windll.shell32.ShellExecuteW ctypes.windll.shell32.ShellExecuteA ctypes.cdll.LoadLibrary().system ctypes.CDLL().system
        ctypes.windll.kernel32.WinExec ctypes.windll.kernel32.CreateProcessW ctypes.windll.kernel32.CreateProcessA
        ctypes.cdll.msvcrt.system""",
    decode="""base64.b64decode base64.standard_b64decode base64.urlsafe_b64decode base64.decodebytes base64.decodestring
        base64.b32decode base64.b16decode base64.b85decode base64.a85decode binascii.unhexlify binascii.a2b_hex
        binascii.a2b_base64 binascii.a2b_uu binascii.rlecode_hqx codecs.decode zlib.decompress gzip.decompress bz2.decompress
        lzma.decompress builtins.bytes.fromhex builtins.bytearray.fromhex zlib.decompressobj().decompress uu.decode
        cryptography.fernet.Fernet().decrypt Crypto.Cipher.AES.new().decrypt Cryptodome.Cipher.AES.new().decrypt
        Crypto.Cipher.ARC4.new().decrypt Crypto.Cipher.DES3.new().decrypt Crypto.Cipher.XOR.new().decrypt pyaes.AESModeOfOperationCTR().decrypt
        pyaes.AESModeOfOperationCBC().decrypt nacl.secret.SecretBox().decrypt rsa.decrypt marshal.loads marshal.load""",
    encrypt="""cryptography.fernet.Fernet().encrypt Crypto.Cipher.AES.new().encrypt Cryptodome.Cipher.AES.new().encrypt
        Crypto.Cipher.ChaCha20.new().encrypt Crypto.Cipher.ARC4.new().encrypt pyAesCrypt.encryptFile pyAesCrypt.encryptStream
        nacl.secret.SecretBox().encrypt pyaes.AESModeOfOperationCTR().encrypt Crypto.Cipher.AES.new().encrypt_and_digest
        cryptography.hazmat.primitives.ciphers.Cipher().encryptor().update""",
    identity="""socket.gethostname socket.getfqdn platform.node platform.uname os.uname os.getlogin getpass.getuser
        uuid.getnode psutil.users win32api.GetComputerName win32api.GetUserName pwd.getpwuid""",
    keys="""pynput.keyboard.Listener keyboard.on_press keyboard.on_release keyboard.hook keyboard.record keyboard.start_recording
        pyHook.HookManager PyHook3.HookManager pyxhook.HookManager evdev.InputDevice evdev.InputDevice().read_loop
        pynput.keyboard.Listener.start Quartz.CGEventTapCreate ctypes.windll.user32.SetWindowsHookExA
        ctypes.windll.user32.SetWindowsHookExW ctypes.windll.user32.GetAsyncKeyState win32api.GetAsyncKeyState""",
    screen="""PIL.ImageGrab.grab ImageGrab.grab pyscreenshot.grab pyautogui.screenshot mss.mss().grab mss.mss().shot mss.mss().save
        cv2.VideoCapture().read sounddevice.rec pyaudio.PyAudio().open browser_cookie3.chrome browser_cookie3.firefox
        browser_cookie3.load browser_cookie3.edge browser_cookie3.brave browser_cookie3.opera win32crypt.CryptUnprotectData
        win32crypt.CryptUnprotectData()[] keyring.get_password ctypes.windll.crypt32.CryptUnprotectData browsercookie.chrome
        browsercookie.firefox browsercookie.load""",
    clipboard="""pyperclip.paste clipboard.paste win32clipboard.GetClipboardData tkinter.Tk().clipboard_get pandas.read_clipboard
        xerox.paste""",
    swap="pyperclip.copy clipboard.copy win32clipboard.SetClipboardText win32clipboard.SetClipboardData xerox.copy",
    resolve="""socket.gethostbyname socket.gethostbyname_ex socket.getaddrinfo dns.resolver.resolve dns.resolver.query
        dns.resolver.Resolver().resolve dns.resolver.Resolver().query dns.asyncresolver.resolve aiodns.DNSResolver().query
        dnslib.DNSRecord.question""",
    fetch_file="urllib.request.urlretrieve urllib.urlretrieve wget.download urllib.request.URLopener().retrieve urllib.request.FancyURLopener().retrieve",
    move="shutil.copy shutil.copy2 shutil.copyfile shutil.move os.rename os.replace os.link os.symlink shutil.copytree",
    delete="os.remove os.unlink os.rmdir os.removedirs shutil.rmtree send2trash.send2trash",
    walk="os.walk os.scandir glob.glob glob.iglob os.fwalk pathlib.Path().rglob pathlib.Path().glob pathlib.Path.home().rglob",
    make="""os.mkdir os.makedirs os.chmod os.chown os.truncate os.mkfifo os.mknod builtins.open().write builtins.open().writelines
        pathlib.Path().write_text pathlib.Path().write_bytes pathlib.Path().mkdir pathlib.Path().touch pathlib.Path().unlink
        pathlib.Path().rmdir pathlib.Path().rename pathlib.Path().replace pathlib.Path().symlink_to tempfile.NamedTemporaryFile
        tempfile.mkstemp tempfile.mkdtemp winreg.SetValueEx winreg.CreateKey winreg.CreateKeyEx _winreg.SetValueEx""",
    registry="winreg.SetValueEx _winreg.SetValueEx winreg.CreateKey winreg.CreateKeyEx winreg.OpenKey winreg.OpenKeyEx",
    install="""pip.main pip._internal.main pip._internal.cli.main.main pip._internal.cli.main.main pip._internal.main.main
        ensurepip.bootstrap ensurepip._main setuptools.command.easy_install.main easy_install.main pip.commands.install.InstallCommand
        micropip.install piplite.install conda.cli.python_api.run_command""",
    frames="""sys._getframe inspect.currentframe inspect.stack inspect.trace inspect.getouterframes sys._current_frames
        inspect.getinnerframes gc.get_objects gc.get_referrers gc.get_referents sys.exc_info()[].tb_frame sys._getframemodulename""",
    hooks="""sys.settrace sys.setprofile sys.addaudithook threading.settrace threading.setprofile threading.settrace_all_threads
        sys.monitoring.register_callback sys.monitoring.set_events sys.set_asyncgen_hooks faulthandler.register""",
    setup="setuptools.setup distutils.core.setup distutils.setup numpy.distutils.core.setup setuptools.build_meta.build_wheel",
    unpickle="""pickle.load pickle.loads pickle.Unpickler _pickle.loads _pickle.load cPickle.load cPickle.loads dill.load dill.loads
        cloudpickle.load cloudpickle.loads joblib.load shelve.open jsonpickle.decode jsonpickle.unpickler.Unpickler
        pandas.read_pickle torch.load yaml.unsafe_load yaml.full_load yaml.load yaml.load_all yaml.unsafe_load_all numpy.load""",
)  # fmt: skip

# Modules whose calls talk to others; a name below one of them is such a call.
NETWORK = frozenset(
    """requests httpx aiohttp urllib3 urllib.request urllib2 http.client httplib httplib2 socket ftplib smtplib telnetlib
    websocket websockets paramiko pycurl wget grequests requests_html treq poplib imaplib nntplib xmlrpc.client asyncssh
    discord telegram telebot telethon discord_webhook dhooks slack_sdk tornado.httpclient socketio zmq pika paho.mqtt boto3 tls_client
    curl_cffi cloudscraper requests_toolbelt twilio http3 niquests primp pysftp asyncio.open_connection asyncio.create_connection
    anyio.connect_tcp socks ssl.wrap_socket ssl.get_server_certificate scapy webbrowser aioquic ipinfo geocoder""".split()
)
# What these modules also have and what sends or fetches nothing.
LOCAL = Late(
    r"^discord\.(?:ui|app_commands)\.\w+(?:\(\))?$|^socket\.(?:inet_|hton|ntoh|gethostname$|getfqdn$|socketpair|AF_|SOCK_|setdefaulttimeout|getservby|if_name|error$|timeout$)"
    r"|^(?:urllib3|requests|httpx|aiohttp|discord|telegram|websockets|boto3|grpc|httplib2)\.[\w.]*"
    r"(?:Exception|Error|Retry|Timeout|disable_warnings|quote|ClientTimeout|HTTPBasicAuth|Intents|Embed|Limits|add_stderr_logger)(?:$|\.|\()"
    r"|^urllib\.request\.(?:Request|quote|unquote|pathname2url|url2pathname|getproxies|build_opener|install_opener|\w+Handler)(?:\(\))?$"
    r"|^(?:requests\.(?:Session|session|adapters\.\w+|auth\.\w+|utils\.\w+|Request)|httpx\.(?:Client|AsyncClient|\w+Transport)|aiohttp\.ClientSession|"
    r"aiohttp\.(?:FormData|TCPConnector|BasicAuth)|urllib3\.(?:PoolManager|util\.\w+)|boto3\.Session|socket\.socket|http\.client\.HTTPS?Connection|telebot\.TeleBot|"
    r"discord\.Client|telegram\.Bot|paramiko\.SSHClient|slack_sdk\.WebClient|httplib2\.Http|websocket\.WebSocketApp|ftplib\.FTP|smtplib\.SMTP)(?:\(\))?$",
    0,
    "socket.inet_|socket.hton|socket.ntoh|gethostname|getfqdn|socketpair|socket.af_|socket.sock|setdefaulttimeout|getservby|if_name|socket.error|"
    "socket.timeout|exception|error|retry|timeout|disable_warn|quote|httpbasicauth|intents|embed|limits|add_stderr|request.request|pathname2url|"
    "url2pathname|getproxies|_opener|handler|requests.session|requests.adapters|requests.auth|requests.utils|requests.request|httpx.|aiohttp.|"
    "urllib3.|boto3.|http.client.|telebot.|discord.|telegram.|paramiko.|slack_sdk.|httplib2.|websocket.|ftplib.|smtplib.",
)
SENDERS = frozenset(
    "post put patch request send sendall sendto sendmail send_message send_webhook send_document send_file send_photo emit publish urlopen execute upload_file put_object storbinary delay".split()
)

INTERPRETERS = frozenset("python python2 python3 pythonw python.exe pythonw.exe py sh bash zsh dash ksh cmd cmd.exe powershell powershell.exe pwsh node perl ruby php osascript wscript cscript mshta rundll32 regsvr32 start open chmod".split())

GADGETS = frozenset(
    """__subclasses__ __globals__ __builtins__ func_globals f_globals f_locals f_builtins f_back gi_frame gi_code cr_frame cr_code
    ag_frame tb_frame co_code __bases__ __closure__ cell_contents __base__""".split()
)

# Places where programs keep what only their owner may have. Alternatives begin
# at a separator or at the begin, so that "mycookies" is none.
SENSITIVE = Late(
    r"""(?:^|[/\\'"\s=:~}%\ufffc])(?:
    \.ssh(?:$|[/\\])|id_(?:rsa|dsa|ecdsa|ed25519)(?:$|[^.\w]|\.pem)|\.aws(?:$|[/\\]c)|\.azure(?:$|[/\\])|\.kube(?:$|[/\\]config)
    |\.docker[/\\]config\.json|\.netrc|\.pypirc|\.npmrc|\.git-credentials|\.gnupg(?:$|[/\\])|\.config[/\\](?:gcloud|gh[/\\]hosts)
    |gcloud[/\\](?:credentials|access_tokens|application_default)|\.(?:bash|zsh|python|mysql|psql|node_repl)_history|etc[/\\](?:shadow|gshadow|sudoers)(?:$|[/\\.])
    |Login\ Data|Web\ Data$|Local\ State|key[34]\.db|logins\.json|cookies\.sqlite|signons\.sqlite|formhistory\.sqlite
    |(?:Chrome|Edge|Brave-Browser|Chromium|YaBrowser|Vivaldi|Opera\ Stable|Opera\ GX\ Stable|Iridium|Torch)[/\\](?:User\ Data|Default)
    |Opera\ (?:Stable|GX\ Stable)|Firefox[/\\]Profiles|\.mozilla[/\\]firefox|google-chrome[/\\]|Local\ (?:Storage|Extension\ Settings)[/\\]
    |(?-i:Cookies)$|wallet\.dat|(?-i:Exodus|Electrum|Atomic|Coinomi|Armory|Bytecoin|Jaxx|Guarda|Ledger\ Live|MultiBit|Zcash)(?:[/\\]|$)|Ethereum[/\\]keystore|\.electrum|\.bitcoin
    |\.ethereum|\.config[/\\]solana|nkbihfbeogaeaoehlefnkodbefgpgknn|Telegram\ Desktop[/\\]tdata|tdata$|discord(?:canary|ptb|development)?[/\\]?(?:Local\ Storage|$(?<=[/\\]discord))
    |(?-i:Discord|discordcanary|discordptb|Lightcord)$|config[/\\]loginusers\.vdf|ssfn\d*|Library[/\\]Keychains|login\.keychain(?:-db)?|FileZilla[/\\]
    |recentservers\.xml|sitemanager\.xml|proc[/\\](?:self|\d+|\*|\ufffc)[/\\](?:environ|mem|cmdline)|secrets[/\\]kubernetes\.io|\.cursor[/\\]mcp\.json
    |claude_desktop_config\.json|\.claude(?:\.json|[/\\](?:\.credentials|credentials))|\.codex[/\\](?:auth|sessions|history)|\.claude[/\\](?:projects|history)|\.minecraft[/\\]launcher|\.lunarclient|(?:docker|containerd|podman)\.sock|Steam[/\\]ssfn|\.vault-token|\.pgpass|\.my\.cnf|\.boto|SAM$(?<=config\\SAM)|NTUSER\.DAT
    |\.password-store|\.keepass|[\w-]*\.kdbx|\.terraform\.d[/\\]credentials|\.cargo[/\\]credentials|\.gem[/\\]credentials|\.config[/\\]op[/\\])""",
    VERBOSE | IGNORE,
    ".ssh|id_|.aws|.azure|.kube|.docker|.netrc|.pypirc|.npmrc|.git-cred|.gnupg|.config|gcloud|_history|shadow|sudoers|login|web data|"
    "local state|.db|.sqlite|chrom|edge|brave-|yabrowser|vivaldi|opera|iridium|torch|firefox|.mozilla|local storage|local extension|cookies|"
    "wallet.dat|exodus|electrum|atomic|coinomi|armory|bytecoin|jaxx|guarda|ledger live|multibit|zcash|ethereum|.bitcoin|nkbihf|tdata|"
    "discord|lightcord|ssfn|keychain|filezilla|recentservers|sitemanager|proc/|proc\\|kubernetes.io|.cursor|claude_desk|.claude|.codex|"
    ".vault-token|.pgpass|.my.cnf|.boto|config\\sam|ntuser.dat|.password-s|.keepass|.kdbx|.terraform|.cargo|.gem|.sock|.minecraft|.lunarclient",
)
# Places from which systems and interpreters start what lies there.
PERSISTENT = Late(
    r"""(?:^|[/\\'"\s~}%\ufffc])(?:
    \.(?:bashrc|bash_profile|bash_login|profile|zshrc|zprofile|zshenv|zlogin|kshrc|cshrc|xinitrc|xprofile|bash_aliases|pythonrc|config[/\\]fish[/\\]config\.fish)$
    |etc[/\\](?:cron[\w.]*|profile(?:\.d)?|rc\.local|init\.d|systemd|ld\.so\.preload|sudoers(?:\.d)?|bash\.bashrc|xdg[/\\]autostart)(?:$|[/\\])|var[/\\]spool[/\\]cron
    |Library[/\\]Launch(?:Agents|Daemons)|\.config[/\\](?:autostart|systemd)|systemd[/\\](?:user|system)[/\\]|lib[/\\]systemd
    |Start\ Menu[/\\]Programs[/\\]Startup|Programs[/\\]Startup(?:$|[/\\])|Startup$|CurrentVersion[/\\]+(?:Run|RunOnce|Winlogon|Policies[/\\]Explorer[/\\]Run)(?:$|[/\\])
    |authorized_keys2?$|sitecustomize(?:\.py)?$|usercustomize(?:\.py)?$|[\w.\ufffc-]*\.pth$(?<!model\.pth)|\.git[/\\]hooks(?:$|[/\\])|\.github[/\\]workflows[/\\]|\.(?:cursor|vscode|windsurf)[/\\](?:mcp|settings|tasks|launch|rules)\b|claude_desktop_config\.json|\.claude(?:\.json|[/\\](?:settings|commands|agents|hooks|skills|CLAUDE))|\.codex[/\\]config|\.gemini[/\\]settings|mcp_config\.json|Code[/\\]User[/\\]|(?:CLAUDE|AGENTS|GEMINI)\.md$|\.(?:cursorrules|windsurfrules|clinerules)|copilot-instructions\.md$|Microsoft\.PowerShell_profile\.ps1|Image\ File\ Execution\ Options)""",
    VERBOSE | IGNORE,
    ".bash|.profile|.zsh|.zprofile|.zlogin|.kshrc|.cshrc|.xinitrc|.xprofile|.pythonrc|.config|etc/|etc\\|spool|library/|library\\|"
    "systemd|startup|currentversion|authorized_key|sitecustomize|usercustomize|.pth|.git/|.git\\|microsoft.power|image file ex|.github|.cursor|.vscode|.windsurf|claude|.codex|.gemini|mcp_config|code/user|code\\user|agents.md|gemini.md|rules|copilot",
)
CHECKPOINT = Late(r"(?:model|weight|checkpoint|ckpt|epoch|net|best|last|latest)[\w.\ufffc-]*\.pth$", IGNORE)

# Shells and programs that fetch and run at once, as texts of commands.
COMMANDS = [
    ("download-run", Late(
        r"""(?:\b(?:curl|wget|fetch|aria2c|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|lwp-download)\b[^\n;&]{0,600}\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:/\S*/)?(?:env\s+)?(?:ba|z|da|k|a)?(?:sh|python[\d.]*|perl|node|ruby|php|iex|Invoke-Expression|tclsh|cmd|powershell|pwsh)\b)
        |(?:(?:\$\(|`|<\(|\beval\s)\s*["'(`$]{0,3}(?:\S{1,40}\s+){0,2}(?:curl|wget)\b)
        |(?:\b(?:curl|wget|certutil(?:\.exe)?|bitsadmin|iwr|Invoke-WebRequest|Start-BitsTransfer|DownloadFile)\b[^\n]{0,600}(?:;|&&?|\|\|)\s*(?:sudo\s+)?(?:chmod\s+(?:\S+\s+)?\S+\s*(?:;|&&)|sh\s|bash\s|\./|start\s|python[\d.]*\s|powershell|cmd|/tmp/|nohup\s|Start-Process|%TEMP%|\$env:temp|rundll32|msiexec))
        |DownloadString\(|DownloadData\(|\bmshta(?:\.exe)?\s+["']?(?:https?:|javascript:|vbscript:)|regsvr32\S*\s[^\n]{0,600}/i:https?:|rundll32\S*\s+javascript:|certutil\S*\s[^\n]{0,600}-urlcache|bitsadmin\S*\s[^\n]{0,600}/transfer""", VERBOSE | IGNORE)),
    ("reverse-shell", Late(
        r"""/dev/(?:tcp|udp)/|\b(?:nc|ncat|netcat)(?:\.\w+)?\b[^\n|]{0,600}\s-\w*[ec]\w*\s+\S*(?:sh|cmd|powershell)\b|mkfifo\b[^\n]{0,600}\b(?:nc|ncat|netcat|telnet|openssl)\b|\bsocat\b[^\n]{0,600}\bexec:
        |\b(?:ba|z|k|da)?sh\s+-i\b[^\n]{0,600}(?:>&|<&|0>&1)|TCPClient\(|fsockopen\(|\bTCPSocket\.(?:new|open)|\btelnet\b[^\n]{0,600}\|\s*/bin/(?:ba)?sh|socket\.socket\([^\n]{0,600}(?:dup2|pty\.spawn|/bin/)""", VERBOSE | IGNORE)),
    ("encoded-command", Late(
        r"""\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,600}\s[-/]e(?:nc|nco|ncod|ncode|ncoded|c|ncodedc\w*)?\s|FromBase64String|\b(?:powershell|pwsh)\b[^\n]{0,600}(?:\biex\b|Invoke-Expression|-w(?:in\w*)?\s+(?:hidden|1)\b)
        |\b(?:base64\s+(?:-d|--decode|-D)|xxd\s+-r|openssl\s+(?:base64|enc)\s[^\n]{0,600}-d)\b[^\n]{0,600}\|\s*(?:sudo\s+)?(?:/\S*/)?(?:ba|z|da)?(?:sh|python[\d.]*|perl|node)\b|\bpython[\d.]*\s+-c\s[^\n]{0,600}(?:exec|eval|b64decode|__import__)\s*\(|\bnode\s+-e\s[^\n]{0,600}(?:eval|child_process|atob)""", VERBOSE | IGNORE)),
    ("destructive", Late(
        r"""\brm\s+(?:-\w+\s+|--\w[\w-]*\s+)*-\w*(?:r\w*f|f\w*r)\w*\s+(?:--\s+)?(?:--no-preserve-root\s+)?["']?(?:/(?:\*|\s|$|["']|(?:etc|home|usr|var|boot|bin|root|lib|Users|opt)(?:/\*?)?(?:["'\s]|$))|~(?:/\*?)?(?:["'\s]|$)|\$\{?HOME\}?/?\*?(?:["'\s]|$)|\*(?:\s|$))
        |--no-preserve-root|\bmkfs(?:\.\w+)?\s+(?:-\S+\s+)*/dev/|\bdd\b[^\n]{0,600}\bof=/dev/(?:sd|hd|nvme|vd|xvd|mmcblk|disk)|\bformat\s+[a-z]:|\b(?:del|erase)\s[^\n]{0,600}/[sq]\b[^\n]{0,600}[a-z]:\\|\brd\s+/s[^\n]{0,600}[a-z]:\\|\bRemove-Item\b[^\n]{0,600}-Recurse[^\n]{0,600}(?:C:\\|\$env:USERPROFILE|~|\$HOME)
        |vssadmin\S*\s+delete\s+shadows|wbadmin\s+delete|bcdedit\b[^\n]{0,600}recoveryenabled|\bcipher\s+/w|:\(\)\s*\{\s*:\s*\|\s*:|\bchmod\s+(?:-\w+\s+)*(?:000|777)\s+/(?:\s|$)|\bshred\b[^\n]{0,600}(?:/dev/|/home|~)|\bwipefs\b[^\n]{0,600}/dev/|\bfind\s+(?:/|~|/home|/Users|\$HOME)/?\s[^\n]{0,600}(?:-delete\b|-exec\s+(?:rm|shred)\b)|>\s*/dev/(?:sd|hd|nvme|vd)[a-z0-9]""", VERBOSE | IGNORE)),
    ("persist-command", Late(
        r"""\bcrontab\b(?![^\n]{0,600}-l\s*$)(?:\s+-(?:\s|$)|\s+[^-\s]|[^\n]{0,600}\|\s*crontab|[^\n]{0,600}@reboot)|\|\s*crontab\b|\bschtasks(?:\.exe)?\b[^\n]{0,600}/create|\breg(?:\.exe)?\s+add\b[^\n]{0,600}\\(?:Run|RunOnce|Winlogon)\b|\blaunchctl\s+(?:load|bootstrap|submit)|\bsystemctl\b[^\n]{0,600}\benable\b|>>?\s*["']?(?:~|\$HOME|/home/\S+|/root|\ufffc)/\.(?:bashrc|profile|zshrc|bash_profile|ssh/authorized_keys|config/autostart)|New-ScheduledTask|Register-ScheduledTask|>>?\s*/etc/(?:cron|rc\.local|profile)|\bupdate-rc\.d\b|\bsc(?:\.exe)?\s+create\b|ssh-copy-id|\bgit\s[^\n]{0,200}\bconfig\b[^\n]{0,600}(?:core\.(?:hooksPath|fsmonitor|sshCommand)|init\.templateDir)\s+(?!(?:/dev/null|false)\b)\S|\|\s*(?:\S*/)?(?:at|batch)(?:\s+-\w+)*(?:\s+(?:now|noon|midnight|teatime|tomorrow|\d)|\s*$)|(?:^|[;&|]\s*)at\s+(?:-f\s+\S+\s+)(?:now|noon|midnight|teatime|tomorrow|\d)|\bsystemd-run\b[^\n]{0,600}--(?:on-\w+|timer-property)""", VERBOSE | IGNORE)),
    ("package-install", Late(
        r"""(?:^|[\s;&|/"'(\\])(?:pip[\d.]*|pipx|conda|mamba|poetry|pdm|easy_install|uv(?:\s+pip)?|uv\s+tool|npm|pnpm|yarn|bun|gem|cargo|brew|choco|winget|apt|apt-get|yum|dnf|apk|snap|pacman|go)(?:\.exe)?\s+(?:-\S+\s+)*(?:install|add|i|-S|ci)(?:\s|$)|-m\s+(?:pip|ensurepip|easy_install|pipx|uv)\b(?:(?![^\n]{0,600}\binstall\b)\s*$|[^\n]{0,600}\b(?:install|ensurepip)\b)|-m\s+(?:ensurepip|easy_install)|\bnpx\s+(?:-y|--yes)|\beasy_install\s""", VERBOSE | IGNORE)),
    ("hidden-process", Late(r"\bnohup\s|\bsetsid\s|\bdisown\b|\bstart\s+/(?:b|min)\b|-WindowStyle\s+Hidden|\bpythonw(?:\.exe)?\b", IGNORE)),
    ("protection-off", Late(
        r"""MpPreference\b[^\n]{0,600}(?:Disable\w+\s+\$?(?:true|1)|Exclusion)|\bufw\s+disable|\biptables\s+(?:-\w+\s+\w+\s+)?(?:-F|--flush)|\bsetenforce\s+0|\bnetsh\s+(?:adv)?firewall\s[^\n]{0,600}\boff\b
        |\b(?:stop|disable|mask)\s+(?:--now\s+)?(?:auditd|apparmor|firewalld|ufw|rsyslog|clamav\S*|windefend|falcon\S*)|\bsc\s+(?:stop|delete)\s+windefend|\bspctl\s+--(?:master|global)-disable|\bcsrutil\s+disable
        |\bhistory\s+-c\b|\btruncate\b[^\n]{0,600}/var/log|\brm\s[^\n]{0,600}(?:sh_history|/var/log\b)|\bwevtutil\s+cl\b|\bClear-EventLog|\bauditctl\s+-[eD]\b
        |--dangerously-(?:skip|bypass)\S*|\b(?:gemini|codex|qwen)\s[^\n]{0,600}--yolo|--trust-all-tools|\bdocker\s+run\b[^\n]{0,600}(?:\s--privileged|\s-v\s+/:|--pid[=\s]host|docker\.sock)""", VERBOSE | IGNORE)),
    ("secret-command", Late(r"""\bsecurity\s+(?:find-(?:generic|internet)-password|dump-keychain|export\s)|\bnetsh\s+wlan\s+show[^\n]{0,600}key=clear|\bcmdkey\s+/list|\bsecret-tool\s+(?:lookup|search)|\breg\s+save\s+hklm\\(?:sam|security|system)|mimikatz|\bprocdump\b[^\n]{0,600}lsass|\btrufflehog\s+filesystem\s+[/~](?:\s|$)""", IGNORE)),
    ("exfil-command", Late(r"""\b(?:curl|wget)\b[^\n]{0,600}(?:-d|--data(?:-\w+)?|-F|--form|-T|--upload-file|--post-file|--post-data)[=\s]+["']?(?:@?(?:~|/etc/|\$HOME|\.ssh|\.aws|\$\()|\S*@(?:~|/etc|\S*(?:id_rsa|\.env|\.aws|\.ssh|passwd|shadow)))|\b(?:env|printenv|set|cat\s+\S*(?:id_rsa|credentials|passwd|shadow|\.env|history))\b[^\n]{0,600}\|\s*(?:curl|nc|ncat|wget)|\b(?:nslookup|dig|host|ping)\b[^\n]{0,600}(?:\$\(|`)|\bping\b[^\n]{0,600}\s-p\s""", VERBOSE | IGNORE)),
]  # fmt: skip
HINTS = Late(r"curl|wget|fetch|aria2c|iwr|irm|invoke|download|/dev/|\bnc\b|ncat|netcat|mkfifo|socat|sh\s+-i|powershell|pwsh|base64|xxd|openssl|\s-[ce]\s|\brm\s|mkfs|\bdd\b|format\s|\bdel\s|erase|\brd\s|remove-item|vssadmin|wbadmin|bcdedit|cipher|:\(\)|chmod|shred|wipefs|preserve-root|crontab|schtasks|\breg|launchctl|systemctl|>>|scheduledtask|install|\badd\b|ensurepip|\bnpm\b|npx|nohup|setsid|disown|start\s|hidden|pythonw|nslookup|\bdig\b|ping|mshta|rundll32|regsvr32|certutil|bitsadmin|tcp|fsockopen|frombase64|ssh-copy|\bsc\b|update-rc|printenv|\benv\b|telnet|\bhost\b|pip|easy_install|preference|\bufw|iptables|setenforce|firewall|\bstop\b|disable|history|truncate|wevtutil|eventlog|auditctl|dangerously|yolo|trust-all|docker|security|netsh|cmdkey|secret-tool|mimikatz|procdump|trufflehog|\bfind\s|core\.|templatedir|systemd-run|\bat\s|\btee\b|\bcp\s|\bmv\s|copy|\.ssh|\.aws|id_|\.net|shadow|\bbatch\b", IGNORE)

URL = Late(r"\b(?:https?|wss?|ftp|tcp|tls|udp|socks[45]?|stratum\+\w+)://[^\s\"'<>\\^`|]{1,400}", IGNORE)
HOST = Late(r"^(?:[a-z0-9_\ufffc-]{1,63}\.){1,8}[a-z]{2,18}(?::\d{1,5})?(?:/[^\s]*)?$", IGNORE)
ADDRESS = Late(r"^(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?$|^\[?(?=[0-9a-f:.]*:[0-9a-f:.]*:)[0-9a-f:.]{6,45}\]?$", IGNORE)
FILE_ENDINGS = frozenset("py txt md json yaml yml toml csv html htm xml log pdf png jpg jpeg gif svg zip gz tar db sql sqlite js ts css ini cfg conf env lock exe dll so path name".split())
WALLET = Late(r"\bbc1|\[13\]\[|\{25,3[349]\}|0x\[a-f|\[a-fA-F0-9\]\{40\}|\^T\[|\[48\]\[|ltc1|\bbc1q[a-z0-9]{30,}|\b0x[0-9a-fA-F]{40}\b|^[13][a-km-zA-HJ-NP-Z1-9]{25,34}$")
CODE = Late(r"(?:^|[\n;])\s*(?:import\s+\w|from\s+[\w.]+\s+import\b|def\s+\w+\s*\(|exec\s*\(|class\s+\w)|__import__\s*\(|\b(?:exec|eval)\s*\(|\bos\.(?:system|popen)\b|\bsubprocess\.|lambda\b.*:", LINES)
BLOB = Late(r"^[A-Za-z0-9+/=_\s-]{800,}$|^(?:\\x[0-9a-f]{2}|[0-9a-fA-F\s]){800,}$|^[\x21-\x75\s]{1500,}$")
MANGLED = Late(r"^_{0,4}0x[0-9a-f]{2,}$|^_+0x[0-9a-f]+|^(?=.*[lI1O0].*)[lI1O0_]{8,}$|^_{4,}$|^(?=[A-Za-z]*$)(?:[IlL]{8,}|[Oo0Qq]{8,}|[xX]{12,}|[jiJI]{10,}|[WwVvMm]{12,})$|^[_\d]*(?:lambda|exec)?_{6,}\w*$")
