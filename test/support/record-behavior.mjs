#!/usr/bin/env node
// Records stdout, stderr, exit codes and written files of the built command line, for about 1,700
// command lines. Compare the recordings of two builds with `diff -r`: only the seed of `fuzz`
// without `--seed` and the script of the graph page may differ.
// Usage: node test/support/record-behavior.mjs PROJECT OUT [--corpus FILE.index.json.gz]
// ONLY=PREFIX records only sessions whose names begin with PREFIX.
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [project, out, , corpus] = process.argv.slice(2);
const main = resolve(project, 'dist/main.js');
const fixtures = resolve(project, 'fixtures');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const root = mkdtempSync(join(tmpdir(), 'net-'));

const env = {
  ...process.env,
  NO_COLOR: '1',
  COLUMNS: '100',
  XDG_CACHE_HOME: join(root, 'cache'),
  HOME: join(root, 'home'),
};
delete env.CI;
const run = (args, cwd, input) =>
  new Promise((done) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { cwd, env, maxBuffer: 1 << 28, timeout: 120_000 },
      (error, stdout, stderr) =>
        done({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    );
    child.stdin.end(input ?? '');
  });
const plain = (text) =>
  text
    .replaceAll(root, 'ROOT')
    .replaceAll(fixtures, 'FIXTURES')
    .replaceAll(resolve(project), 'PROJECT')
    .replaceAll(/took [\d.]+ s/g, 'took N s')
    .replaceAll(
      /"(seconds|durationMs|ms|timestamp|serialNumber|created)": ?("[^"]*"|[\d.]+)/g,
      '"$1": N',
    )
    .replaceAll(/\b20\d\d-\d\d-\d\dT[\d:.]+Z\b/g, 'TIME')
    .replaceAll(/"duration[^"]*": ?[\d.]+/g, '"duration": N');

function filesOf(folder) {
  const found = {};
  const visit = (d) => {
    for (const e of readdirSync(d, { withFileTypes: true })) {
      const p = join(d, e.name);
      if (e.isDirectory()) visit(p);
      else
        found[relative(folder, p)] =
          statSync(p).size > 300_000
            ? `${statSync(p).size} bytes`
            : readFileSync(p, /\.(tar|tgz|gz|xpkg)$/.test(p) ? 'base64' : 'utf8');
    }
  };
  visit(folder);
  return found;
}
let sessions = [];
/** A session: a folder with files, and command lines that are run there one after the other. */
const session = (name, setup, lines) => sessions.push({ name, setup, lines });

async function play({ name, setup, lines }) {
  const cwd = join(root, name);
  mkdirSync(cwd, { recursive: true });
  setup(cwd);
  const text = [];
  let before = filesOf(cwd);
  for (const line of lines) {
    const [args, input] = Array.isArray(line) ? line : [line, undefined];
    const words = args.match(/'[^']*'|\S+/g).map((w) => w.replaceAll("'", ''));
    const { code, stdout, stderr } = await run(words, cwd, input);
    const after = filesOf(cwd);
    const changed = Object.keys({ ...before, ...after })
      .sort()
      .filter((f) => before[f] !== after[f]);
    text.push(
      `$ xpkg-resolve ${args}`,
      `exit ${code}`,
      '--- stdout',
      stdout.length > 400_000 ? `${stdout.length} characters` : stdout,
      '--- stderr',
      stderr,
      ...changed.flatMap((f) => [`--- file ${f}`, after[f] ?? '(removed)']),
      '='.repeat(60),
    );
    before = after;
  }
  writeFileSync(join(out, `${name}.txt`), plain(text.join('\n')));
  rmSync(cwd, { recursive: true, force: true });
}

// Help
const overview = (await run(['--help'], root)).stdout;
const commands = [...overview.matchAll(/^ {2}([a-z][a-z-]+) {2,}/gm)].map((m) => m[1]);
session(
  'help',
  () => {},
  [
    '--help',
    'help',
    '--version',
    '',
    'nope',
    ...commands.flatMap((c) => [`${c} --help`, `help ${c}`]),
  ].filter(Boolean),
);
session(
  'mistakes',
  () => {},
  commands
    .flatMap((c) => [c, `${c} --no-such-flag`, `${c} a b c d e f`, `${c} -o json -f missing.yaml`])
    .filter((l) => !/^(completion|krm|merge-lock)\b/.test(l)),
);
session('completion', () => {}, [
  'completion bash',
  'completion zsh',
  'completion fish',
  '__complete re',
  '__complete resolve --',
  '__complete resolve --prefer ',
]);
session('schema', () => {}, [
  'schema',
  ...(await run(['schema', '--help'], root)).stdout
    .replaceAll(/\s+/g, ' ')
    .match(/[a-z-]+-output|package-set|lockfile|\bindex(?=,)/g)
    .map((n) => `schema ${n}`),
]);

// Fixture cases
const F = '--from index:universe.yaml --offline --allow-undigested';
for (const slug of readdirSync(join(fixtures, 'cases'))) {
  const set = (cwd) => {
    for (const f of readdirSync(join(fixtures, 'cases', slug)))
      if (!f.startsWith('want'))
        cpSync(join(fixtures, 'cases', slug, f), join(cwd, f === 'request.yaml' ? 'xpkg.yaml' : f));
  };
  session(`case-${slug}`, set, [
    `resolve ${F}`,
    `resolve ${F} -o json`,
    `resolve ${F} --explain full`,
    `resolve ${F} --trace`,
    `resolve ${F} --locked`,
    'tree',
    'tree -o json',
    'graph',
    'graph -o dot',
    'graph -o json',
    `lint ${F}`,
    `lint ${F} -o json`,
    `matrix ${F}`,
    `matrix ${F} -o json`,
    `outdated ${F}`,
    `outdated ${F} -o json`,
    `verify ${F}`,
    `verify ${F} -o json`,
    `check ${F}`,
    `check ${F} -o json`,
    `update ${F} --no-write`,
    `images`,
    `images -o json`,
    `sbom`,
    'sbom -o spdx',
    `why ${F}`,
    `simulate ${F}`,
    `simulate ${F} -o json`,
    `resolve ${F} --format sarif`,
    `resolve ${F} --format github`,
    `resolve ${F} --format junit`,
    `resolve ${F} --format gitlab`,
    `lint ${F} --format github`,
    `resolve ${F} --prefer lowest --no-write`,
    `render`,
    `render --layout argocd --out r2`,
    `render --layout flux --out r3`,
    `render --layout split --out r4`,
  ]);
}
for (const file of readdirSync(join(fixtures, 'inputs/refused')).filter((f) => f.endsWith('.yaml')))
  session(
    `refused-${file}`,
    (cwd) => cpSync(join(fixtures, 'inputs/refused', file), join(cwd, 'xpkg.yaml')),
    [`resolve --from dir:${fixtures}/packages`, `resolve --from dir:${fixtures}/packages -o json`],
  );
for (const file of readdirSync(join(fixtures, 'dumps')))
  session(`dump-${file}`, () => {}, [
    `import ${fixtures}/dumps/${file} --from dir:${fixtures}/packages`,
    `import ${fixtures}/dumps/${file} -o json --no-write`,
    `drift ${fixtures}/dumps/${file}`,
    `drift ${fixtures}/dumps/${file} -o json`,
    'resolve',
    'tree',
  ]);

// The demo
const D = `--from dir:${fixtures}/packages`;
const demo = (cwd) => cpSync(join(fixtures, 'demo'), cwd, { recursive: true });
session('demo', demo, [
  `resolve -f . ${D}`,
  `resolve -f . ${D} -o json`,
  `resolve -f . ${D} --locked`,
  `resolve -f . --frozen`,
  `verify -f . ${D}`,
  `verify -f . ${D} -o json`,
  `check -f . ${D}`,
  'check',
  `lint -f . ${D}`,
  `lint -f . ${D} -o json`,
  `matrix -f . ${D}`,
  `matrix -f . ${D} -o json`,
  `outdated -f . ${D}`,
  `outdated -f . ${D} -o json`,
  `update -f . ${D}`,
  `update -f . ${D} -o json`,
  'tree',
  'tree -o json',
  'graph',
  'graph -o dot',
  'graph -o json',
  'graph -o svg',
  'graph -o html',
  'sbom',
  'sbom -o cyclonedx',
  'images',
  'images -o json',
  `versions xpkg.example.org/acme/network ${D}`,
  `versions xpkg.example.org/acme/network ${D} -o json`,
  `search net ${D}`,
  `search net ${D} -o json`,
  `inspect xpkg.example.org/acme/network ${D}`,
  `inspect xpkg.example.org/acme/network ${D} -o json`,
  `constraint '>=v1.0.0'`,
  `constraint '>=v1.0.0' -o json`,
  `constraint '^v1.0.0 || ~v2' --crossplane v1.20.11`,
  `why provider-helm ${D}`,
  `why provider-helm ${D} -o json`,
  `why network ${D} --not v2.0.0`,
  `why network ${D} --not v2.0.0 -o json`,
  `simulate -f . ${D}`,
  `simulate -f . ${D} -o json`,
  `simulate -f . ${D} --all`,
  `fuzz -f . ${D} --runs 20 --seed 1`,
  `fuzz -f . ${D} --runs 20 --seed 1 -o json`,
  `index ${D} --out idx.json`,
  `index ${D} --sparse idx`,
  `vendor ${D} --out vend`,
  `bundle ${D} --out b.tar`,
  `mirror registry.example.org/m --dry-run ${D}`,
  `plan xpkg.lock.yaml xpkg.lock.yaml`,
  `diff xpkg.lock.yaml xpkg.lock.yaml`,
  `set crossplane v2.2.0 -f . ${D}`,
  `outdated -f . ${D}`,
  `cache`,
  `report merge`,
  `fleet --each '*.yaml'`,
  `resolve -f . ${D} --format sarif`,
  `check -f . ${D} --format junit`,
  `resolve -f . ${D} --format html`,
  `resolve --each '*/xpkg.yaml' ${D}`,
]);
session('edits', () => {}, [
  `init --crossplane v2.3.4`,
  `add xpkg.example.org/acme/network ${D}`,
  `add xpkg.example.org/acme/network ${D} -o json`,
  `add xpkg.example.org/acme/cluster@v0.5.0 ${D}`,
  `add xpkg.example.org/acme/platform ${D} --no-write`,
  `add xpkg.example.org/acme/nothing ${D}`,
  `add xpkg.example.org/acme/network@v9.9.9 ${D}`,
  `update network ${D}`,
  `update network@v1.1.0 ${D}`,
  `update network@v9.9.9 ${D} -o json`,
  `remove cluster ${D}`,
  `remove nope ${D}`,
  `set crossplane v1.20.11 ${D}`,
  `set crossplane v0.1 ${D}`,
  `resolve ${D}`,
  `diff xpkg.lock.yaml dir:x`,
]);
session('krm', () => {}, [
  ['krm', readFileSync(join(fixtures, 'demo/xpkg.yaml'), 'utf8')],
  ['krm', 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n'],
  ['constraint --stdin', '>=v1.0.0\n^v2\nbad bad\n'],
]);
session(
  'old-formats',
  () => {},
  readdirSync(join(fixtures, 'old-formats/inputs')).flatMap((f) => [
    `resolve -f ${fixtures}/old-formats/inputs/${f} --from dir:${fixtures}/old-formats/packages --no-write`,
    `lint -f ${fixtures}/old-formats/inputs/${f} --from dir:${fixtures}/old-formats/packages`,
  ]),
);
session('projects', (cwd) => cpSync(join(fixtures, 'inputs'), cwd, { recursive: true }), [
  'resolve -f projects/upbound.yaml --no-write',
  `resolve -f projects/crossplane-project.yaml ${D} --no-write`,
  `lint local`,
  `resolve -f local/crossplane.yaml ${D} --no-write`,
  `inspect local`,
  `convert local`,
  `resolve -f objects.yaml ${D} --no-write`,
  `resolve -f package-set.yaml ${D} --no-write -o json`,
]);

// Real packages
if (corpus) {
  const universe = JSON.parse(gunzipSync(readFileSync(corpus)).toString());
  const C = `--from index:${corpus} --offline --allow-undigested`;
  const names = Object.keys(universe.packages)
    .sort()
    .filter((_, i) => i % 23 === 0)
    .slice(0, 14);
  const U = 'xpkg.upbound.io/upbound';
  const roots = [
    ...names,
    `${U}/platform-ref-aws@v1.6.0`,
    `${U}/platform-ref-gcp`,
    `${U}/configuration-app`,
  ];
  for (const [i, name] of roots.entries())
    session(`corpus-${String(i).padStart(2, '0')}`, () => {}, [
      'init --crossplane v1.20.0',
      `add ${name} ${C}`,
      `resolve ${C} -o json`,
      `outdated ${C}`,
      `outdated ${C} -o json`,
      `update ${C} --no-write`,
      `lint ${C}`,
      `matrix ${C}`,
      `tree`,
      `graph`,
      `plan xpkg.lock.yaml xpkg.lock.yaml`,
      `why configuration-app --not v2.1.0 ${C}`,
      `update configuration-app@v2.1.0 ${C} --no-write`,
      `add ${U}/provider-aws-s3@v1.0.0 ${U}/provider-aws-ec2@v2.0.0 ${C}`,
      `add ${U}/provider-aws@v0.40.0 ${C}`,
      `set crossplane v2.3.4 ${C}`,
      `simulate ${C}`,
      `fuzz ${C} --runs 5 --seed 3 --crossplane v1.20.0`,
    ]);
}
if (process.env.ONLY) sessions = sessions.filter((s) => s.name.startsWith(process.env.ONLY));
const queue = [...sessions];
const total = queue.length;
await Promise.all(
  Array.from({ length: 2 }, async () => {
    for (let s; (s = queue.shift());) {
      await play(s);
    }
  }),
);
rmSync(root, { recursive: true, force: true });
process.stdout.write(
  `${total} sessions, ${sessions.reduce((n, s) => n + s.lines.length, 0)} command lines\n`,
);
