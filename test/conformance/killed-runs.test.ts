import { spawnSync } from 'node:child_process';
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
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordFigure } from '../support/figures.js';
import { providerYaml } from '../support/package-yaml.js';

const ROOT = join(import.meta.dirname, '../..');
const PRELOAD = join(ROOT, 'test/support/kill-at-change.mjs');
const MAIN = join(ROOT, 'dist/main.js');
const FROM = ['--from', 'dir:packages'];
const P = 'xpkg.example.org/acme/p';
const resolving = (version: string) => [
  'resolve',
  `${P}:${version}`,
  '--crossplane',
  'v2.3.4',
  ...FROM,
];
const VENDOR = ['vendor', 'world', ...FROM];
/**
 * Each kill takes three processes, so not every change is tested; test/cli/every-change.test.ts
 * does that. No command makes more changes than this.
 */
const MAX_CHANGES = 200;

let top: string;
let template: string;

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'killed-runs-'));
  template = join(top, 'template');
  for (const version of ['v1.0.0', 'v1.1.0']) {
    const at = join(template, 'packages', `${P}@${version}`);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, 'package.yaml'), providerYaml('p', `${version}.example.org`));
  }
});
afterAll(() => {
  rmSync(top, { recursive: true });
});

function run(folder: string, argv: readonly string[], killAt?: number) {
  const preload = killAt === undefined ? [] : ['--import', PRELOAD];
  const env = { ...process.env, HOME: top, KILL_AT: String(killAt) };
  return spawnSync(process.execPath, [...preload, MAIN, ...argv], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
}

function stateOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const own = names.filter((name) => !name.startsWith('packages'));
  return Object.fromEntries(
    own.map((name) => {
      const path = join(folder, name);
      return [name, statSync(path).isDirectory() ? 'folder' : readFileSync(path, 'hex')];
    }),
  );
}

test.each([
  {
    what: '`resolve`, over old outputs',
    before: [resolving('v1.0.0')],
    argv: resolving('v1.1.0'),
    every: 4,
  },
  {
    what: '`vendor`, over an old layout',
    before: [resolving('v1.0.0'), VENDOR, resolving('v1.1.0')],
    argv: VENDOR,
    every: 6,
  },
])(
  '$what: a process killed before change N leaves what the next ones set right',
  ({ before, argv, every }) => {
    const start = join(top, 'start');
    cpSync(template, start, { recursive: true });
    for (const each of before) expect(run(start, each)).toMatchObject({ status: 0 });
    const oldState = stateOf(start);
    const done = join(top, 'done');
    cpSync(start, done, { recursive: true });
    expect(run(done, argv)).toMatchObject({ status: 0 });
    const newState = stateOf(done);
    let ended = false;
    for (let at = 1; at < MAX_CHANGES && !ended; at += every) {
      const folder = join(top, `at-${at}`);
      cpSync(start, folder, { recursive: true });
      ended = run(folder, argv, at).signal !== 'SIGKILL';
      if (ended) break;
      recordFigure('processes ended by SIGKILL', { tried: 1 });
      expect(run(folder, ['tree'])).toMatchObject({ status: 0 });
      // The next `vendor` removes the remains in a layout.
      if (argv !== VENDOR) expect([oldState, newState]).toContainEqual(stateOf(folder));
      expect(run(folder, argv)).toMatchObject({ status: 0 });
      expect(stateOf(folder), `change ${at}`).toEqual(newState);
      rmSync(folder, { recursive: true });
    }
    expect(ended).toBe(true);
    for (const folder of readdirSync(top)) {
      if (folder !== 'template') rmSync(join(top, folder), { recursive: true, force: true });
    }
  },
);
