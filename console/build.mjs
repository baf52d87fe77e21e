// Builds the console: node build.mjs OUTDIR leaves index.html, app.js, app.css and icon.svg there, each with its .gz.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const out = process.argv[2];
const source = join(dirname(fileURLToPath(import.meta.url)), 'src');
mkdirSync(out, { recursive: true });
for (const name of ['index.html', 'app.js', 'app.css', 'icon.svg']) {
  const bytes = readFileSync(join(source, name));
  writeFileSync(join(out, name), bytes);
  writeFileSync(join(out, name + '.gz'), gzipSync(bytes, { level: 9 }));
}
