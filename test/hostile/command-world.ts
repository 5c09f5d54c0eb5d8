import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { EXIT } from '../../src/cli/kit/command.js';
import { runCli } from '../../src/commands.js';
import { containsBuildLogCommand } from '../../src/base/escape.js';
import { fakeIo } from '../support/fake-io.js';
import { providerYaml } from '../support/package-yaml.js';
import { writeTar } from '../support/registry/layout.js';
import { xpkgFiles } from '../support/registry/xpkg.js';

const REPOSITORY = 'xpkg.example.org/acme/p';
const PACKAGE_SET = `apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
metadata: {name: set}
spec:
  crossplane: v2.3.4
  packages:
    - {provider: ${REPOSITORY}, version: ">=v1.0.0"}
`;
const UNFIT =
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
/** Older than the age at which a lock is taken over. */
const LONG_AGO = new Date('2026-01-01');

/** The result of a command. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly notes: readonly string[];
}

/**
 * A project with a lockfile, outputs and a source of every kind, in which commands read one mutated
 * file.
 */
export class CommandWorld {
  readonly #template: string;
  readonly #top: string;
  #changed = true;

  private constructor(template: string, top: string) {
    this.#template = template;
    this.#top = top;
  }

  static async make(): Promise<CommandWorld> {
    const template = mkdtempSync(join(tmpdir(), 'hostile-template-'));
    const world = new CommandWorld(template, mkdtempSync(join(tmpdir(), 'hostile-world-')));
    await fill(template);
    return world;
  }

  remove(): void {
    for (const folder of [this.#template, this.#top])
      rmSync(folder, { recursive: true, force: true });
  }

  /** Returns the original contents of a file. */
  seed(path: string): Buffer {
    return readFileSync(join(this.#template, path));
  }

  /**
   * Runs a command with a changed file. Throws if it ends with an undocumented exit code, prints
   * text that a terminal or build log would interpret, or fails and changes a file.
   */
  async run(
    argv: readonly string[],
    changed?: readonly [path: string, bytes: Buffer],
    stdin = '',
  ): Promise<Ended> {
    this.#restore();
    // Three folders down, so that `../..` is still among the compared files.
    const cwd = join(this.#top, 'a/b/project');
    if (changed !== undefined) {
      mkdirSync(dirname(join(cwd, changed[0])), { recursive: true });
      writeFileSync(join(cwd, changed[0]), changed[1]);
      utimesSync(join(cwd, changed[0]), LONG_AGO, LONG_AGO);
    }
    const before = stateOf(this.#top, changed?.[0]);
    const io = fakeIo({ cwd, stdin });
    this.#changed = true;
    const code = await runCli(argv, io);
    const ended = { code, stdout: io.stdout(), notes: io.notes() };
    refuseStrangeEnd(ended);
    const after = stateOf(this.#top, changed?.[0]);
    this.#changed = before !== after;
    if (changed !== undefined) this.#putBack(cwd, changed[0]);
    if (code !== EXIT.done && before !== after)
      throw new Error(`a failing ${argv[0]} changed files: ${difference(before, after)}`);
    return ended;
  }

  #putBack(cwd: string, path: string): void {
    rmSync(join(cwd, path), { recursive: true, force: true });
    if (existsSync(join(this.#template, path))) writeFileSync(join(cwd, path), this.seed(path));
  }

  #restore(): void {
    if (!this.#changed) return;
    rmSync(this.#top, { recursive: true, force: true });
    cpSync(this.#template, join(this.#top, 'a/b/project'), { recursive: true });
  }
}

function refuseStrangeEnd({ code, stdout, notes }: Ended): void {
  const codes: readonly number[] = Object.values(EXIT);
  if (code === EXIT.bug || !codes.includes(code))
    throw new Error(`exit ${code}: ${notes.join('\n')}`);
  if (code === EXIT.badInput || code === EXIT.sourceFailed) {
    if (!notes.some((note) => /^error: \S/.test(note)))
      throw new Error(`exit ${code} without a word`);
  }
  for (const text of [stdout, ...notes]) {
    if (UNFIT.test(text) || containsBuildLogCommand(text))
      throw new Error(`unfit for a terminal: ${JSON.stringify(text)}`);
  }
  for (const note of notes)
    if (note.includes('\n')) throw new Error(`a note of two lines: ${note}`);
}

/**
 * Returns every file below a folder as one text, without what earlier processes left on purpose.
 */
function stateOf(top: string, except: string | undefined): string {
  const names = readdirSync(top, { recursive: true, encoding: 'utf8' }).sort();
  return names
    .filter((name) => except === undefined || !name.endsWith(except))
    .map((name) => {
      const found = lstatSync(join(top, name));
      if (found.isDirectory()) return `${name}/`;
      if (found.isSymbolicLink()) return `${name} -> ${readlinkSync(join(top, name))}`;
      return `${name} ${createHash('sha256')
        .update(readFileSync(join(top, name)))
        .digest('hex')}`;
    })
    .join('\n');
}

function difference(before: string, after: string): string {
  const [old, now] = [new Set(before.split('\n')), new Set(after.split('\n'))];
  return [...old]
    .filter((line) => !now.has(line))
    .map((line) => `-${line}`)
    .concat([...now].filter((line) => !old.has(line)).map((line) => `+${line}`))
    .join(' ');
}

async function fill(folder: string): Promise<void> {
  for (const version of ['v1.0.0', 'v1.1.0']) {
    const at = join(folder, 'packages', `${REPOSITORY}@${version}`);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, 'package.yaml'), providerYaml('p', `${version}.example.org`));
  }
  writeFileSync(join(folder, 'xpkg.yaml'), PACKAGE_SET);
  const entries = [{ name: 'package.yaml', content: providerYaml('p', 'a.example.org') }];
  await writeTar(join(folder, 'p.xpkg'), await xpkgFiles([{ entries, label: 'base' }]));
  mkdirSync(join(folder, 'held', dirname(REPOSITORY)), { recursive: true });
  writeFileSync(join(folder, 'held', `${REPOSITORY}:v1.0.gz`), gzipSync(providerYaml('p')));
  for (const argv of [
    ['resolve', '--from', 'dir:packages'],
    ['vendor', 'world', '--from', 'dir:packages'],
    ['index', '--from', 'dir:packages', '--out', 'i.json'],
  ]) {
    const io = fakeIo({ cwd: folder });
    if ((await runCli(argv, io)) !== EXIT.done) throw new Error(io.notes().join('\n'));
  }
  for (const side of ['base', 'ours', 'theirs'])
    cpSync(join(folder, 'xpkg.lock.yaml'), join(folder, `${side}.lock.yaml`));
  writeFileSync(join(folder, 'i.json.gz'), gzipSync(readFileSync(join(folder, 'i.json'))));
  const layout = readdirSync(join(folder, 'world'), { recursive: true, encoding: 'utf8' })
    .filter((name) => lstatSync(join(folder, 'world', name)).isFile())
    .map((name) => [name, readFileSync(join(folder, 'world', name))] as const);
  await writeTar(join(folder, 'world.tar'), new Map(layout));
}
