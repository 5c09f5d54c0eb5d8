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
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../../src/base/files/file-system.js';
import { providerYaml } from '../package-yaml.js';
import { BASE, imageOf, indexOf, layerOf, type Image } from './image.js';
import { Registry, type Fault } from './registry.js';

/** Runs a command line in a folder and returns its result. */
export type RunCommand = (
  argv: readonly string[],
  at: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) => Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;

/** A command that runs with faults. `HOST` in its arguments is replaced by the registry. */
export interface Campaign {
  readonly name: string;
  /** Commands that run before, without faults. */
  readonly before: readonly (readonly string[])[];
  readonly argv: readonly string[];
  /** Whether earlier downloads are cached, so that requests are conditional. */
  readonly warm?: boolean;
  /**
   * Number of parallel requests; 1 by default, because a prefetch could consume the fault of the
   * next run.
   */
  readonly concurrency?: number;
}

export interface Tally {
  /** Number of runs with a fault. */
  tried: number;
  requests: number;
  /** Number of runs by exit code. */
  readonly ends: Map<number, number>;
  readonly violations: string[];
}

interface FaultPlan {
  readonly times: number;
  readonly stride: number;
  readonly flags: readonly string[];
  readonly tally: Tally;
}

const RESOLVE = ['resolve', 'HOST/a/configuration@>=v1.0.0', '--crossplane', 'v2.3.4'];
const OLD = [
  'resolve',
  'HOST/a/configuration:v1.0.0',
  'HOST/a/provider:v1.0.0',
  '--crossplane',
  'v2.3.4',
];

/** Each command that reads registries and either writes files or checks a lockfile. */
export const CAMPAIGNS: readonly Campaign[] = [
  { name: 'resolve, over old outputs', before: [OLD], argv: [...RESOLVE, '--upgrade'] },
  { name: 'update', before: [OLD], argv: ['update', '-f', 'wanted.yaml'] },
  {
    name: 'resolve --locked, parts at once',
    before: [RESOLVE],
    argv: [...RESOLVE, '--locked'],
    concurrency: 4,
  },
  { name: 'verify', before: [RESOLVE], argv: ['verify', ...RESOLVE.slice(1)] },
  {
    name: 'verify, parts at once',
    before: [RESOLVE],
    argv: ['verify', ...RESOLVE.slice(1)],
    concurrency: 4,
  },
  { name: 'vendor', before: [RESOLVE], argv: ['vendor', 'world', '--full'] },
  { name: 'index', before: [], argv: ['index', 'HOST/a/provider', '--out', 'index.json'] },
];

/** The same commands with other initial states. */
export const FURTHER_CAMPAIGNS: readonly Campaign[] = [
  { name: 'resolve, from nothing', before: [], argv: RESOLVE },
  { name: 'resolve, downloads kept', before: [OLD], argv: [...RESOLVE, '--upgrade'], warm: true },
  {
    name: 'vendor, over an old layout',
    before: [OLD, ['vendor', 'world'], RESOLVE],
    argv: ['vendor', 'world'],
  },
];

const SEPARATE = ['.cache', '.home'];

/** A registry that requires tokens and has two packages with two versions each. */
export class FaultWorld {
  readonly #registry: Registry;
  readonly #top = mkdtempSync(join(tmpdir(), 'faults-'));
  readonly #run: RunCommand;
  #runs = 0;
  #fault: { readonly fault: Fault; readonly at: number; left: number } | undefined;
  #paths: string[] = [];

  constructor(run: RunCommand) {
    this.#run = run;
    const meet: Fault = (request, response, registry) => {
      const path = `${request.authorization === undefined ? 'first ' : ''}${request.path}`;
      if (!this.#paths.includes(path)) this.#paths.push(path);
      const met = this.#fault;
      if (met === undefined || this.#paths.indexOf(path) !== met.at || met.left <= 0) return false;
      met.left -= 1;
      return met.fault(request, response, registry);
    };
    this.#registry = new Registry({ access: { mode: 'bearer' }, pageSize: 1, faults: [meet] });
  }

  static async start(run: RunCommand): Promise<FaultWorld> {
    const world = new FaultWorld(run);
    await world.#registry.start();
    const { host } = world.#registry;
    for (const [path, tag, image] of await imagesFor(host)) world.#registry.push(path, tag, image);
    return world;
  }

  async stop(): Promise<void> {
    await this.#registry.stop();
    await remove(this.#top);
  }

  /**
   * Runs all `faults` at all requests of a command, or every `stride`th of these pairs; `times` is
   * how often a fault affects the same request.
   */
  async run(
    { before, argv, warm, name, concurrency = 1 }: Campaign,
    faults: Readonly<Record<string, Fault>>,
    { times, stride, flags, tally }: FaultPlan,
  ): Promise<void> {
    const start = this.#folder();
    for (const each of before) await this.#ok(start, [...each, '--concurrency', '1']);
    if (warm !== true) rmSync(join(start, '.cache'), { recursive: true, force: true });
    const old = stateOf(start);
    const right = this.#folder(start);
    this.#paths = [];
    const asked = [...argv, '--concurrency', `${concurrency}`];
    const { stdout } = await this.#ok(right, asked);
    const expected = stateOf(right);
    const requests = this.#paths.length;
    tally.requests += requests;
    for (const [number, [title, fault]] of Object.entries(faults).entries()) {
      for (let at = number % stride; at < requests; at += stride) {
        const folder = this.#folder(start);
        this.#paths = [];
        this.#fault = { fault, at, left: times };
        const ended = await this.#command(folder, [...asked, ...flags]);
        this.#fault = undefined;
        const state = stateOf(folder);
        const said =
          ended.code === 0
            ? differences(expected, state, ended.stdout === stdout)
            : (wrongEnd(ended.code, flags) ?? differences(old, state, true));
        tally.tried += 1;
        tally.ends.set(ended.code, (tally.ends.get(ended.code) ?? 0) + 1);
        if (said !== undefined) {
          const where = `${name}: ${title} at request ${at + 1} (${this.#paths[at] ?? 'none'})`;
          tally.violations.push(`${where}: ${said}\n${ended.stderr.slice(0, 500)}`);
        }
        await remove(folder);
      }
    }
  }

  async #ok(folder: string, argv: readonly string[]) {
    const ended = await this.#command(folder, argv);
    if (ended.code === 0) return ended;
    throw new Error(`without a fault: ${argv.join(' ')}: ${ended.code}\n${ended.stderr}`);
  }

  #command(folder: string, argv: readonly string[]) {
    const words = argv.map((word) => word.replaceAll('HOST', this.#registry.host));
    const env = { HOME: join(folder, '.home'), XPKG_RESOLVE_CACHE: join(folder, '.cache') };
    return this.#run(words, { cwd: folder, env });
  }

  #folder(from?: string): string {
    const folder = join(this.#top, String((this.#runs += 1)));
    if (from !== undefined) cpSync(from, folder, { recursive: true });
    else {
      mkdirSync(folder);
      writeFileSync(join(folder, 'wanted.yaml'), wanted(this.#registry.host));
    }
    return folder;
  }
}

/** A failed command may still write to its cache in this process. */
async function remove(folder: string): Promise<void> {
  for (let left = 100; left > 0; left -= 1) {
    try {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      return;
    } catch (error) {
      if (codeOf(error) !== 'ENOTEMPTY') throw error;
    }
  }
  throw new Error(`\`${folder}\` is written to for ever`);
}

export function newTally(): Tally {
  return { tried: 0, requests: 0, ends: new Map(), violations: [] };
}

/**
 * Returns a message for an exit code other than success, failed source or, with a time limit,
 * timeout.
 */
function wrongEnd(code: number, flags: readonly string[]): string | undefined {
  return code === 5 || (code === 7 && flags.includes('--timeout')) ? undefined : `exit ${code}`;
}

type State = ReadonlyMap<string, string>;

/** Returns the contents of all files except downloads. */
function stateOf(folder: string): State {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const own = names.filter((name) => !SEPARATE.includes(name.split('/')[0]!));
  return new Map(
    own.map((name) => {
      const path = join(folder, name);
      return [name, statSync(path).isDirectory() ? 'folder' : readFileSync(path, 'base64')];
    }),
  );
}

/** Returns undefined if there are none. */
function differences(expected: State, state: State, sameText: boolean): string | undefined {
  const names = [...new Set([...expected.keys(), ...state.keys()])];
  const differing = names.filter((name) => expected.get(name) !== state.get(name));
  const all = [...differing, ...(sameText ? [] : ['what was printed'])];
  return all.length === 0 ? undefined : `changed: ${all.join(', ')}`;
}

function imagesFor(host: string): Promise<(readonly [string, string, Image])[]> {
  return Promise.all([
    tagged('a/configuration', 'v1.0.0', configurationYaml(host, 'v1.0.0')),
    tagged('a/configuration', 'v2.0.0', configurationYaml(host, 'v2.0.0')),
    tagged('a/provider', 'v1.0.0', providerYaml('p', 'one.example.org')),
    tagged('a/provider', 'v1.1.0', providerYaml('p', 'two.example.org')),
  ]);
}

/** The image is in an index, so that each of its parts needs a request. */
async function tagged(path: string, tag: string, content: string) {
  const base = await layerOf([{ name: 'package.yaml', content }], { annotations: BASE });
  const image = imageOf([base]);
  const index = indexOf([{ image, platform: { os: 'linux', architecture: 'amd64' } }]);
  return [path, tag, index] as const;
}

function configurationYaml(host: string, version: string): string {
  return `apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata: { name: c, annotations: { version: ${version} } }
spec:
  dependsOn:
    - provider: ${host}/a/provider
      version: ">=v1.0.0"
`;
}

function wanted(host: string): string {
  return `apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
metadata: { name: wanted }
spec:
  crossplane: v2.3.4
  packages:
    - configuration: ${host}/a/configuration
      version: ">=v1.0.0"
    - provider: ${host}/a/provider
      version: ">=v1.0.0"
`;
}
