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

/** The folder of what is built. */
export const BUILT = 'build/executable';
const INSIDE = join(BUILT, 'inside');
const HERE = `${process.platform}-${process.arch}`;

/** What Node looks for in itself, to tell whether it is an executable of this kind; changed when one is made. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Command lines that people wait for, in a folder of their own: what they call is compiled now. */
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
 * Makes executables for platforms, each in a folder of its own and packed. The one for this platform also holds what V8
 * makes of its scripts; the bytes are the same every time.
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

/** The folder of an executable, and its path. */
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
  // That of Node itself is in all packages of a release but those for Windows.
  const licenses = [
    readFileSync(join(INSIDE, 'program/LICENSES.txt'), 'utf8'),
    `Node.js ${node.version}\n\n`,
    readFileSync(join(nodeFolder(PLATFORMS[HERE]!.node), 'LICENSE'), 'utf8'),
  ];
  writeFileSync(join(folder, 'LICENSES.txt'), licenses.join('\n'));
}

/** Packs the folder of an executable; the line that `sha256sum --check` wants. */
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

/** The file of what is put into Node: everything below `inside`. */
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
 * Keeps what V8 makes of scripts while commands run. Its hashes begin at a number of their own in every process, which
 * shows in these bytes; with a number that is given they are the same every time, and fit any number.
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

/** What it says is shown if it fails. */
function run(program: string, args: readonly string[], cwd = '.'): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd });
}
