import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'dist/main.js');

/** The demo project after its first resolution. */
let lockedDemo: string | undefined;

/** Returns the documents of a file of this repository. */
export function documentsOf(file: string): readonly unknown[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS() as unknown);
}

/** Returns a text with `${{ … }}` or `$[[ … ]]` replaced. Throws for unknown expressions. */
export function interpolated(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(?:\{\{|\[\[) *([\w.-]+) *(?:\}\}|\]\])/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${whole} is not known`);
    return value;
  });
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A machine that runs the shell scripts of pipelines in a repository with the demo project. `npm
 * install` puts the built command where npm would, and records its arguments; with `realNpm`, npm
 * itself runs.
 */
export class PipelineMachine {
  readonly folder = mkdtempSync(join(tmpdir(), 'pipeline-'));
  readonly repository = join(this.folder, 'repository');
  readonly temporary = join(this.folder, 'temporary');
  readonly #bin = join(this.folder, 'bin');
  readonly #inherited: NodeJS.ProcessEnv;
  #path: readonly string[] = [this.#bin];

  constructor({ realNpm = false } = {}) {
    // npm has its own registry and the settings to reach it.
    this.#inherited = realNpm ? process.env : { HOME: this.folder };
    if (!existsSync(MAIN)) throw new Error('run `npm run build` first');
    for (const folder of [this.repository, this.temporary, this.#bin]) mkdirSync(folder);
    cpSync(join(ROOT, 'fixtures/demo'), this.repository, { recursive: true });
    if (!realNpm) this.program('npm', FAKE_NPM);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  /** Adds a bash script to the folder of commands. */
  program(name: string, script: string): void {
    const path = join(this.#bin, name);
    writeFileSync(path, `#!/usr/bin/env bash\n${script}\n`);
    chmodSync(path, 0o755);
  }

  addPath(folder: string): void {
    this.#path = [folder, ...this.#path];
  }

  /** Returns the recorded arguments of `npm`. */
  get npmCalls(): string {
    return readFileSync(join(this.folder, 'npm-calls'), 'utf8');
  }

  /** Locks the demo project, as is done before a pipeline runs. */
  lock(): void {
    if (lockedDemo === undefined) {
      const { status, stderr } = this.tool(['resolve', '-f', '.', ...FROM_FIXTURES]);
      if (status !== 0) throw new Error(stderr);
      lockedDemo = mkdtempSync(join(tmpdir(), 'locked-demo-'));
      cpSync(this.repository, lockedDemo, { recursive: true });
    } else cpSync(lockedDemo, this.repository, { recursive: true });
  }

  tool(words: readonly string[]): Ran {
    return spawnSync(process.execPath, [MAIN, ...words], {
      cwd: this.repository,
      encoding: 'utf8',
      env: this.#env({}),
    });
  }

  bash(
    script: string,
    env: Readonly<Record<string, string>>,
    { cwd = '.', flags = ['--noprofile', '--norc', '-eo', 'pipefail'] } = {},
  ): Ran {
    return spawnSync('bash', [...flags, '-c', script], {
      cwd: join(this.repository, cwd),
      encoding: 'utf8',
      env: this.#env(env),
    });
  }

  #env(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    return {
      ...this.#inherited,
      PATH: [...this.#path, process.env['PATH']].join(delimiter),
      XPKG_RESOLVE_CACHE: join(this.folder, 'cache'),
      NODE: process.execPath,
      MAIN,
      NPM_CALLS: join(this.folder, 'npm-calls'),
      ...more,
    };
  }
}

export const FROM_FIXTURES = ['--from', `dir:${join(ROOT, 'fixtures/packages')}`];

/** An `npm install` that installs the built command. */
export const FAKE_NPM = `echo "npm $*" >>"$NPM_CALLS"
prefix=$HOME/global
while [ $# -gt 0 ]; do if [ "$1" = --prefix ]; then prefix=$2; shift; fi; shift; done
mkdir -p "$prefix/node_modules/.bin"
printf '#!/bin/sh\\nexec "%s" "%s" "$@"\\n' "$NODE" "$MAIN" >"$prefix/node_modules/.bin/xpkg-resolve"
chmod +x "$prefix/node_modules/.bin/xpkg-resolve"`;
