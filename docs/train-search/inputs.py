"""What is trained on and measured with: sets of tools and requests, pairs of texts, plain sentences.

Every input is a git repository at a commit, a package of PyPI or one of Debian;
docs/search-training.md lists them with their licences.
"""
import csv
import io
import json
import pathlib
import re
import subprocess
import zipfile


class Set:
    """Tools, and requests with the tools that answer them: the same for training and measuring."""

    def __init__(self, name):
        self.name, self.tools, self.requests = name, {}, []

    def tool(self, id, name, description="", inputs="", owner=""):
        self.tools.setdefault(id, (name or "", description or "", inputs or "", owner or ""))

    def request(self, text, ids):
        ids = [i for i in dict.fromkeys(ids) if i in self.tools]
        if text and ids:
            self.requests.append((text, ids))

    def texts(self):
        return [" . ".join(t) for t in self.tools.values()] + [r[0] for r in self.requests]


class Inputs:
    def __init__(self, mirror, packages, shared=None):
        self.mirror, self.packages = pathlib.Path(mirror), pathlib.Path(packages)
        self.shared = pathlib.Path(shared) if shared else None

    def git(self, repo, path):
        home = self.mirror / repo.replace("/", "+") / "repo"
        return subprocess.run(["git", "-C", home, "show", "HEAD:" + path], check=True, capture_output=True).stdout.decode()

    def paths(self, repo, under):
        home = self.mirror / repo.replace("/", "+") / "repo"
        return subprocess.run(["git", "-C", home, "-c", "core.quotepath=off", "ls-tree", "-r", "--name-only", "HEAD", under],
                              check=True, capture_output=True).stdout.decode().splitlines()

    def json(self, repo, path):
        return json.loads(self.git(repo, path))

    def lines(self, repo, path):
        return [json.loads(l) for l in self.git(repo, path).splitlines() if l.strip()]

    # -- sets of tools and requests ------------------------------------------------------

    def metatool(self):
        s = Set("metatool")
        for name, text in self.json("HowieHwong/MetaTool", "dataset/plugin_des.json").items():
            s.tool(name, name, text)
        for row in csv.DictReader(io.StringIO(self.git("HowieHwong/MetaTool", "dataset/data/all_clean_data.csv"))):
            s.request(row["Query"], [row["Tool"]])
        return s

    def metatool_model(self):
        """The same plugins by their other names and the descriptions written for models: pairs only."""
        for p in self.json("HowieHwong/MetaTool", "dataset/plugin_info.json"):
            yield p["description_for_human"], p["name_for_human"] + " . " + p["description_for_model"]

    def metatool_multi(self):
        s = Set("metatool_multi")
        for name, text in self.json("HowieHwong/MetaTool", "dataset/plugin_des.json").items():
            s.tool(name, name, text)
        for e in self.json("HowieHwong/MetaTool", "dataset/data/multi_tool_query_golden.json"):
            s.request(e["query"], e["tool"])
        return s

    def sealtools(self, files=("dev", "test_in_domain", "test_out_domain")):
        s, repo = Set("sealtools"), "fairyshine/Seal-Tools"
        for t in self.lines(repo, "Seal-Tools_Dataset/tool.jsonl"):
            inputs = " ".join(f"{k} {v.get('description', '')}" for k, v in t["parameters"].items())
            s.tool(t["api_name"], t["api_name"], t["api_description"], inputs, t["field"])
        for f in files:
            for q in self.lines(repo, f"Seal-Tools_Dataset/{f}.jsonl"):
                s.request(q["query"], [c["api"] for c in q["calling"]])
        return s

    def stabletoolbench(self):
        s, repo = Set("stabletoolbench"), "THUNLP-MT/StableToolBench"
        asked = []
        for f in ("G1_category", "G1_instruction", "G1_tool", "G2_category", "G2_instruction", "G3_instruction"):
            for q in self.json(repo, f"solvable_queries/test_instruction/{f}.json"):
                for a in q["api_list"]:
                    inputs = " ".join(f"{p['name']} {p['description']}" for p in a["required_parameters"] + a["optional_parameters"])
                    s.tool((a["tool_name"], a["api_name"]), a["api_name"], a["api_description"], inputs,
                           a["tool_name"] + " " + a["category_name"])
                asked.append((q["query"], [tuple(r) for r in q["relevant APIs"]]))
        for text, ids in asked:
            s.request(text, ids)
        return s

    def livemcp(self):
        s, repo, byname = Set("livemcp"), "icip-cas/LiveMCPBench", {}
        for server in self.json(repo, "tools/LiveMCPTool/tools.json"):
            for part in server["tools"].values():
                for t in part["tools"]:
                    props = (t.get("inputSchema") or {}).get("properties") or {}
                    inputs = " ".join(f"{k} {v.get('description', '')}" for k, v in props.items() if isinstance(v, dict))
                    id = (server["name"], t["name"])
                    s.tool(id, t["name"], t.get("description"), inputs, server["name"] + " " + server.get("category", ""))
                    byname.setdefault(t["name"], []).append(id)
        for q in self.json(repo, "annotated_data/all_annotations.json"):
            named = [re.sub(r"^\d+\.\s*", "", l).strip() for l in q["Annotator Metadata"]["Tools"].splitlines()]
            s.request(q["Question"], [i for n in named for i in byname.get(n, ())])
        return s

    def bfcl(self, files, answers):
        s, repo, asked = Set("bfcl"), "ShishirPatil/gorilla", []
        base = "berkeley-function-call-leaderboard/bfcl_eval/data/"
        for f in files:
            right = {}
            if answers:
                right = {a["id"]: [n for g in a["ground_truth"] for n in g] for a in
                         self.lines(repo, base + "possible_answer/" + f.split("/")[-1] + ".json")}
            for q in self.lines(repo, base + f + ".json"):
                for t in q["function"]:
                    s.tool(self.function(t), t["name"], t["description"], self.schema(t["parameters"]))
                if len(q["function"]) == 1:
                    ids = [self.function(q["function"][0])]
                else:
                    ids = [self.function(t) for t in q["function"] if t["name"] in right.get(q["id"], ())]
                asked.append((" ".join(m["content"] for m in q["question"][0] if m["role"] == "user"), ids))
        for text, ids in asked:
            s.request(text, ids)
        return s

    @staticmethod
    def function(t):
        return (t["name"], t["description"])

    @staticmethod
    def schema(parameters):
        props = parameters.get("properties") or {}
        return " ".join(f"{k} {v.get('description', '')}" for k, v in props.items() if isinstance(v, dict))

    def bfcl_live(self):
        """Requests of users; what the set in shared/ was made of."""
        s = self.bfcl(["BFCL_v4_live_simple", "BFCL_v4_live_multiple", "BFCL_v4_live_parallel_multiple"], True)
        s.name = "bfcl_live"
        return s

    def bfcl_made(self):
        s = self.bfcl(["BFCL_v4_simple_python", "BFCL_v4_multiple", "BFCL_v4_parallel", "BFCL_v4_parallel_multiple",
                       "BFCL_v4_simple_java", "BFCL_v4_simple_javascript"], False)
        t = self.bfcl(["BFCL_v4_multiple", "BFCL_v4_parallel_multiple"], True)
        s.tools.update(t.tools)
        s.requests += t.requests
        for q in self.json("ShishirPatil/gorilla", "openfunctions/openfunctions-v1/gorilla_openfunctions_v1_test.json"):
            fs = q["function"] if isinstance(q["function"], list) else [q["function"]]
            if len(fs) == 1:
                f = fs[0]
                id = (f["name"], f["description"])
                s.tool(id, f["name"] + " " + f.get("api_call", ""), f["description"], self.schema(f["parameters"]))
                s.request(q["question"], [id])
        s.name = "bfcl_made"
        return s

    def apibench(self):
        """Models of three hubs, and what somebody who needs one writes."""
        s, repo = Set("apibench"), "ShishirPatil/gorilla"
        for f in ("huggingface_eval", "tensorflow_eval", "torchhub_eval", "torchhub_train"):
            for q in self.lines(repo, f"data/apibench/{f}.json"):
                a = q["api_data"]
                id = q["api_call"]
                s.tool(id, str(a.get("api_name", "")), str(a.get("description", "")) + " . " + str(a.get("functionality", "")), "", str(a.get("domain", "")))
                m = re.search(r"Instruction['\"]?:(.*?)(?:\n|\\n)?(?:###|, 'Output')", q["code"], re.S)
                if m:
                    s.request(m.group(1).strip(" '\"\n"), [id])
        return s

    def apizoo(self):
        s, repo = Set("apizoo"), "ShishirPatil/gorilla"
        for path in self.paths(repo, "data/apizoo/"):
            try:
                entries = json.loads(self.git(repo, path))
            except (ValueError, subprocess.CalledProcessError):
                continue  # two files of the collection are no JSON, and some are too large for the mirror
            for a in entries if isinstance(entries, list) else [entries]:
                if not isinstance(a, dict) or "functionality" not in a:
                    continue
                id = (path, str(a.get("api_name")), str(a.get("api_call")))
                meta = a.get("meta_data") or {}
                args = a.get("api_arguments") or {}
                inputs = " ".join(f"{k} {v}" for k, v in args.items())[:600] if isinstance(args, dict) else ""
                s.tool(id, str(a["api_name"]), str(a["functionality"]) + " . " + str(meta.get("description", "")), inputs)
                for q in a.get("questions") or []:
                    s.request(str(q), [id])
        return s

    def toolalpaca(self):
        s, repo = Set("toolalpaca"), "tangqiaoyu/ToolAlpaca"
        for f in ("eval_real", "eval_simulated"):
            asked = []
            for e in self.json(repo, f"data/{f}.json"):
                for n, d in e["Function_Description"].items():
                    if n == "components":
                        continue
                    text, _, inputs = d.partition("\nParameters:")
                    inputs = re.sub(r'[{}"]', " ", inputs.partition("\nOutput:")[0])
                    s.tool((e["Name"], n), n, text, inputs, e["Name"] + " " + e["Category"] + " . " + e["Description"])
                for text, answer in zip(e["Instructions"], e["Golden_Answers"]):
                    asked.append((text, [(e["Name"], a["Action"]) for a in answer]))
            for text, ids in asked:
                s.request(text, ids)
        return s

    # Sets without a licence: for measuring here, never for training, never handed on.

    def toollens(self):
        s, repo = Set("toollens"), "quchangle1/COLT"
        for t in self.lines(repo, "datasets/ToolLens/corpus.jsonl"):
            f = re.match(r"category_name:(.*?), tool_name:(.*?), api_name:(.*?), api_description:(.*?), required_params: (.*?), return_schema", t["text"], re.S)
            cat, tool, api, text, args = f.groups() if f else ("", "", "", t["text"], "")
            s.tool(t["_id"], api, text, " ".join(re.findall(r'"(?:name|description)": "(.*?)"', args)), tool + " " + cat)
        texts = {q["_id"]: q["text"] for q in self.lines(repo, "datasets/ToolLens/queries.jsonl")}
        right = {}
        for row in self.git(repo, "datasets/ToolLens/qrels/test.tsv").splitlines()[1:]:
            q, t, _ = row.split("\t")
            right.setdefault(q, []).append(t)
        for q, ids in right.items():
            s.request(texts[q], ids)
        return s

    def given(self, name):
        """A set of ../shared, to the letter."""
        s, home = Set(name + " (given)"), self.shared / name
        for l in open(home / "tools.jsonl"):
            t = json.loads(l)
            s.tool(t["id"], t["name"], t.get("description"), t.get("params"), " ".join(filter(None, (t.get("provider"), t.get("category")))))
        for l in open(home / "queries.jsonl"):
            q = json.loads(l)
            s.request(q["text"], q["relevant"])
        return s

    # -- pairs of texts of one meaning ---------------------------------------------------

    def tldr(self):
        for path in self.paths("tldr-pages/tldr", "pages/"):
            page = self.git_batch("tldr-pages/tldr", path)
            name = pathlib.Path(path).stem
            about = " ".join(l[2:] for l in page.splitlines() if l.startswith("> ") and "More information" not in l)
            about = re.sub(r"`[^`]*`|<[^>]*>", " ", about)
            lines = [re.sub(r"[\[\]]", "", l[2:].rstrip(":")) for l in page.splitlines() if l.startswith("- ")]
            yield name, about, lines

    def git_batch(self, repo, path):
        if not hasattr(self, "_cat"):
            home = self.mirror / repo.replace("/", "+") / "repo"
            self._cat = subprocess.Popen(["git", "-C", home, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._cat.stdin.write(f"HEAD:{path}\n".encode())
        self._cat.stdin.flush()
        size = int(self._cat.stdout.readline().split()[2])
        return self._cat.stdout.read(size + 1).decode()

    def wordnet(self):
        """Synonyms and their gloss, for every synset."""
        for part in ("noun", "verb", "adj", "adv"):
            for l in open(self.packages / "wordnet" / f"data.{part}"):
                if l.startswith(" "):
                    continue
                head, _, gloss = l.partition(" | ")
                f = head.split()
                n = int(f[3], 16)
                words = [re.sub(r"\(.*\)", "", f[4 + 2 * i]).replace("_", " ") for i in range(n)]
                yield words, gloss.strip(), f[2] in ("15", "18")  # names of places and people

    def botocore(self):
        """Operations of AWS: service, name, documentation, parameters."""
        z = zipfile.ZipFile(next(self.packages.glob("botocore-*.whl")))
        import gzip
        newest = {}
        for n in z.namelist():
            m = re.match(r"botocore/data/([^/]+)/([^/]+)/service-2\.json(\.gz)?$", n)
            if m:
                newest[m.group(1)] = max(newest.get(m.group(1), ("", "")), (m.group(2), n))
        for service, (_, n) in sorted(newest.items()):
            raw = z.read(n)
            d = json.loads(gzip.decompress(raw) if n.endswith(".gz") else raw)
            title = d["metadata"].get("serviceFullName", service)
            for op, o in d["operations"].items():
                yield title, op, plain(o.get("documentation", "")), ""

    def googleapi(self):
        """Methods of Google's interfaces."""
        z = zipfile.ZipFile(next(self.packages.glob("google_api_python_client-*.whl")))
        docs = [n for n in z.namelist() if "/discovery_cache/documents/" in n and n.endswith(".json")]
        newest = {}
        for n in docs:
            newest[pathlib.Path(n).name.split(".")[0]] = n
        for n in sorted(newest.values()):
            d = json.loads(z.read(n))

            def walk(r):
                for m in (r.get("methods") or {}).values():
                    yield m
                for sub in (r.get("resources") or {}).values():
                    yield from walk(sub)
            for m in walk(d):
                yield d.get("title", ""), m["id"].partition(".")[2], plain(m.get("description", "")), " ".join(m.get("parameters") or ())


def plain(html):
    text = re.sub(r"<[^>]*>", " ", html)
    return " ".join(re.split(r"(?<=[.!?])\s+", " ".join(text.split()))[:3])[:500]
