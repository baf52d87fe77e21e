// Runs the unit tests: bundles each test/*.test.ts for node with esbuild, then hands them to node's own test runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const names = readdirSync(join(here, "test")).filter((name) => name.endsWith(".test.ts"));
const outdir = mkdtempSync(join(tmpdir(), "eilbote-console-test-"));
try {
  await build({
    absWorkingDir: here,
    entryPoints: names.map((name) => join("test", name)),
    outdir,
    bundle: true,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    target: "node18",
    logLevel: "warning",
  });
  const files = readdirSync(outdir).filter((name) => name.endsWith(".mjs"));
  const run = spawnSync(process.execPath, ["--test", ...files.map((name) => join(outdir, name))], { stdio: "inherit" });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
