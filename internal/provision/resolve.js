"use strict";
// Prints the lock that npm makes of one package. Arguments: npm's program, the package
// with its exact version, the registry. It is run in a folder that nobody else sees.
const { spawnSync } = require("child_process");
const fs = require("fs");
const [npm, what, registry] = process.argv.slice(2);
fs.mkdirSync("/tmp/work/home", { recursive: true });
process.chdir("/tmp/work");
fs.writeFileSync("package.json", '{"name":"prefix","version":"0.0.0","private":true}');
const args = [
  npm, "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", "--omit=dev", "--lockfile-version=3",
  "--userconfig=/tmp/work/home/none", "--globalconfig=/tmp/work/home/no", "--cache=/tmp/work/cache", "--update-notifier=false", "--loglevel=error",
  "--registry=" + registry, "--", what,
];
const ran = spawnSync(process.execPath, args, { stdio: ["ignore", 2, 2], env: { ...process.env, HOME: "/tmp/work/home" } });
if (ran.status !== 0) {
  if (ran.error) process.stderr.write(String(ran.error.code) + "\n");
  process.exit(ran.status || 1);
}
process.stdout.write(fs.readFileSync("package-lock.json"));
