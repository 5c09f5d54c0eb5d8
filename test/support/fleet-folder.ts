import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCli } from '../../src/commands.js';
import type { Io } from '../../src/cli/terminal/io.js';
import { sha256 } from '../../src/base/digest.js';
import { fakeIo } from './fake-io.js';

export const REGISTRY = 'xpkg.example.org/acme';
/** The flags for all projects of a `FleetFolder`. */
export const EACH = ['--each', 'clusters/*/xpkg.yaml'];
/** The index of `FleetFolder.writeIndex`. */
export const FROM = ['--from', 'index:index.json'];

/** A repository with the projects of several clusters and an index of their packages. */
export class FleetFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<FleetFolder> {
    const folder = new FleetFolder(await mkdtemp(join(tmpdir(), 'fleet-')));
    await folder.writeIndex(['v1.0.0', 'v1.1.0', 'v1.2.0']);
    return folder;
  }

  /** `platform` requires `base` of at least its own version; `odd` requires a missing `base`. */
  async writeIndex(versions: readonly string[]): Promise<void> {
    const entry = (name: string, dependsOn: (version: string) => object[]) => ({
      kind: name === 'base' ? 'Provider' : 'Configuration',
      versions: Object.fromEntries(
        versions.map((version) => [
          version,
          { digest: sha256(`${name} ${version}`), dependsOn: dependsOn(version) },
        ]),
      ),
    });
    const base = (version: string) => ({ provider: `${REGISTRY}/base`, version });
    const packages = {
      [`${REGISTRY}/base`]: entry('base', () => []),
      [`${REGISTRY}/platform`]: entry('platform', (version) => [base(`>=${version}`)]),
      [`${REGISTRY}/odd`]: entry('odd', () => [base('>=v9.0.0')]),
    };
    await this.write('index.json', JSON.stringify({ packages }));
  }

  /**
   * Writes the project of a cluster: packages by the last part of their name, each with its range.
   */
  async set(
    cluster: string,
    packages: Readonly<Record<string, string>>,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const asked = Object.entries(packages).map(([name, version]) => ({
      package: `${REGISTRY}/${name}`,
      version,
    }));
    const spec = { crossplane: 'v2.3.4', packages: asked, ...more };
    const kind = { apiVersion: 'xpkg-resolve.dev/v1alpha1', kind: 'PackageSet' };
    await this.write(`clusters/${cluster}/xpkg.yaml`, JSON.stringify({ ...kind, spec }));
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.path, name)), { recursive: true });
    await writeFile(join(this.path, name), text);
  }

  read(name: string): Promise<string> {
    return readFile(join(this.path, name), 'utf8');
  }

  has(name: string): boolean {
    return existsSync(join(this.path, name));
  }

  /** Returns the text of every file below a folder. */
  async files(below: string): Promise<Readonly<Record<string, string>>> {
    const entries = await readdir(join(this.path, below), { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name));
    const texts = paths.sort().map(async (path) => {
      return [path.slice(join(this.path, below).length + 1), await readFile(path, 'utf8')] as const;
    });
    return Object.fromEntries(await Promise.all(texts));
  }

  async run(argv: readonly string[], given: Partial<Omit<Io, 'stdin'>> = {}) {
    const io = fakeIo({ cwd: this.path, env: { HOME: this.path }, ...given });
    const code = await runCli(argv, io);
    const stdout = io.stdout();
    return { code, stdout, stderr: io.notes().join('\n'), notes: io.notes() };
  }

  /** Returns the lines that a command prints with `-o json`. */
  async lines(argv: readonly string[]) {
    const { code, stdout } = await this.run([...argv, '-o', 'json']);
    const lines = stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    return { code, stdout, lines };
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true });
  }
}
