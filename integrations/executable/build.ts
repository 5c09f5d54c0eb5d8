import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { gzipped, sourceDate, tarOfFiles } from '../packed-files.js';
import { nodeFolder } from './node-program.js';
import { type Platform, PLATFORMS } from './platforms.js';

/** The output folder. */
export const BUILT = 'build/executable';
const INSIDE = join(BUILT, 'inside');
const HERE = `${process.platform}-${process.arch}`;

/** A marker in the Node.js binary that is changed when an executable is created. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Command lines that should start fast: the code that they run is compiled at build time. */
const DEMO = ['-f', resolve('fixtures/demo'), '--from', `dir:${resolve('fixtures/packages')}`];
const WARMED: readonly (readonly string[])[] = [
  ['--version'],
  ['--help'],
  ['resolve', '--help'],
  ['resolve', ...DEMO],
  ['check', ...DEMO],
  ['render', '--out', '-', '--argocd'],
];

/**
 * Creates executables for platforms, each in its own folder and as an archive. The one for this
 * platform also contains the code cache of its scripts. Builds are reproducible.
 */
export async function buildExecutables(platforms: readonly string[]): Promise<void> {
  const here = PLATFORMS[HERE];
  if (here === undefined) throw new Error(`no executable can be made on ${HERE}`);
  const maker = join(nodeFolder(here.node), 'bin', 'node');
  rmSync(BUILT, { recursive: true, force: true });
  run(process.execPath, [
    'node_modules/rolldown/bin/cli.mjs',
    '-c',
    'integrations/executable/rolldown.config.ts',
  ]);
  cpSync('package.json', join(INSIDE, 'package.json'));
  cpSync('dist/graph/page', join(INSIDE, 'dist/graph/page'), {
    recursive: true,
    filter: (file) => !file.endsWith('.d.ts'),
  });
  const plain = blob(maker, 'plain');
  warm(maker);
  const warmed = blob(maker, 'warmed');
  for (const name of platforms) {
    const platform = PLATFORMS[name];
    if (platform === undefined) {
      const known = Object.keys(PLATFORMS).join(', ');
      throw new Error(`no executable is made for ${name}, only for ${known}`);
    }
    build(name, platform, name === HERE ? warmed : plain);
  }
  const sums = await Promise.all(platforms.map(packed));
  writeFileSync(join(BUILT, 'SHA256SUMS'), sums.sort().join(''));
}

/** Returns the folder of an executable, and its path. */
export function executableOf(name: string): { readonly folder: string; readonly file: string } {
  const folder = join(BUILT, `xpkg-resolve-${name}`);
  return { folder, file: join(folder, `xpkg-resolve${PLATFORMS[name]?.isWindows ? '.exe' : ''}`) };
}

function build(name: string, { node, isWindows }: Platform, inside: string): void {
  const { folder, file } = executableOf(name);
  mkdirSync(folder);
  cpSync(join(nodeFolder(node), 'bin', isWindows ? 'node.exe' : 'node'), file);
  const postject = ['node_modules/postject/dist/cli.js', file, 'NODE_SEA_BLOB', inside];
  run(process.execPath, [...postject, '--sentinel-fuse', FUSE, '--macho-segment-name', 'NODE_SEA']);
  chmodSync(file, 0o755);
  cpSync('LICENSE', join(folder, 'LICENSE'));
  // The license of Node.js is in all packages of a release except those for Windows.
  const licenses = [
    readFileSync(join(INSIDE, 'program/LICENSES.txt'), 'utf8'),
    `Node.js ${node.version}\n\n`,
    readFileSync(join(nodeFolder(PLATFORMS[HERE]!.node), 'LICENSE'), 'utf8'),
  ];
  writeFileSync(join(folder, 'LICENSES.txt'), licenses.join('\n'));
}

/** Packs the folder of an executable; returns the line for `sha256sum --check`. */
async function packed(name: string): Promise<string> {
  const { folder, file } = executableOf(name);
  const top = basename(folder);
  const files = readdirSync(folder).map((each) => ({
    path: `${top}/${each}`,
    mode: each === basename(file) ? 0o755 : 0o644,
    content: readFileSync(join(folder, each)),
  }));
  const bytes = gzipped(await tarOfFiles(files, sourceDate()));
  writeFileSync(`${folder}.tar.gz`, bytes);
  return `${createHash('sha256').update(bytes).digest('hex')}  ${top}.tar.gz\n`;
}

/** Returns the file that is injected into Node.js: everything below `inside`. */
function blob(maker: string, name: string): string {
  const files = readdirSync(INSIDE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'LICENSES.txt')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const output = join(BUILT, `${name}.blob`);
  const config = {
    main: join(BUILT, 'start.cjs'),
    output,
    disableExperimentalSEAWarning: true,
    assets: Object.fromEntries(
      files.map((file) => [relative(INSIDE, file).split(sep).join('/'), file]),
    ),
  };
  writeFileSync(join(BUILT, `${name}.json`), JSON.stringify(config));
  run(maker, ['--experimental-sea-config', join(BUILT, `${name}.json`)]);
  return output;
}

/**
 * Writes the code cache of scripts while commands run. V8's hash seed is random in every process
 * and is part of these bytes; a fixed seed makes them reproducible, and they work with any seed.
 */
function warm(maker: string): void {
  const script = resolve(BUILT, 'warm.cjs');
  const flags = execFileSync(maker, [script, 'flags'], { encoding: 'utf8' });
  const cwd = mkdtempSync(join(tmpdir(), 'xpkg-warm-'));
  for (const args of WARMED) {
    run(maker, ['--hash-seed=1', script, resolve(INSIDE), flags, ...args, '--quiet'], cwd);
  }
  rmSync(cwd, { recursive: true });
}

/** Runs a program; shows its output if it fails. */
function run(program: string, args: readonly string[], cwd = '.'): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd });
}
