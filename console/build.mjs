// Makes the files that the binary embeds: node build.mjs OUTDIR
//
// OUTDIR gets index.html, app.js, app.css and icon.svg, and a .gz beside each. The same sources give the same bytes, so
// that builds can be compared. It fails when the gzipped files together are over the limit, or when something that the
// page's content security policy forbids has crept in.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const GZIPPED_BYTES_MAX = 150 * 1024;

const here = dirname(fileURLToPath(import.meta.url));
const outdir = process.argv[2];
if (!outdir) {
  console.error("usage: node build.mjs OUTDIR");
  process.exit(2);
}

async function bundle() {
  const result = await build({
    absWorkingDir: here,
    entryPoints: { app: "src/main.tsx" },
    outdir: "out", // only a name: nothing is written by esbuild
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    charset: "utf8",
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const text = (suffix) => result.outputFiles.find((file) => file.path.endsWith(suffix)).text;
  return { "app.js": text(".js"), "app.css": text(".css") };
}

const versionOf = (content) => createHash("sha256").update(content).digest("hex").slice(0, 12);

// index.html names its parts by their content, so that they may be cached for ever.
function withVersions(html, files) {
  return html.replace(/\/console\/([a-z]+\.[a-z]+)"/g, (whole, name) => {
    if (!(name in files)) throw new Error(`index.html names ${name}, which is not built`);
    return `/console/${name}?v=${versionOf(files[name])}"`;
  });
}

function refuseWhatThePolicyForbids(html, css) {
  if (/<script(?![^>]*\ssrc=)/i.test(html) || /\sstyle=|\son[a-z]+=/i.test(html)) {
    throw new Error("index.html has an inline script or style: the page's policy forbids it");
  }
  if (/url\((?!["']?data:)/i.test(css) || /@import/i.test(css)) throw new Error("app.css refers to another file");
}

const files = await bundle();
files["icon.svg"] = await readFile(join(here, "src/icon.svg"), "utf8");
const html = withVersions(await readFile(join(here, "src/index.html"), "utf8"), files);
refuseWhatThePolicyForbids(html, files["app.css"]);
files["index.html"] = html;

await mkdir(outdir, { recursive: true });
let total = 0;
for (const [name, content] of Object.entries(files).sort()) {
  const zipped = gzipSync(content, { level: 9 }); // zlib writes no time of its own
  total += zipped.length;
  await writeFile(join(outdir, name), content);
  await writeFile(join(outdir, `${name}.gz`), zipped);
  console.log(`${name.padEnd(12)} ${String(Buffer.byteLength(content)).padStart(8)} ${String(zipped.length).padStart(7)} gzipped`);
}
console.log(`${"together".padEnd(12)} ${String(total).padStart(16)} gzipped of ${GZIPPED_BYTES_MAX}`);
if (total > GZIPPED_BYTES_MAX) {
  console.error("the console is too large");
  process.exit(1);
}
