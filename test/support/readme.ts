import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Block {
  readonly language: string;
  readonly body: string;
  /** Position of the body in the document. */
  readonly at: number;
}

/** Returns fenced blocks with a language, in order. */
export function blocksOf(markdown: string): Block[] {
  return Array.from(markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm), (match) => ({
    language: match[1]!,
    body: match[2]!,
    at: match.index + '```'.length + match[1]!.length + 1,
  }));
}

/** Returns the commands of a `$ …` transcript; a backslash at the end continues a line. */
export function commandsOf(transcript: string): string[] {
  const lines = transcript.split('\n');
  const commands: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    if (!lines[i]!.startsWith('$ ')) continue;
    let command = lines[i]!.slice(2);
    while (command.endsWith('\\')) command += `\n${lines[++i]}`;
    commands.push(command);
  }
  return commands;
}

/** Separates the outputs of the commands or modules that one process runs. */
const END = '\u001e';

/**
 * A clone of the repository in which `npm` does nothing and examples draw the same numbers every
 * time.
 */
export class Clone {
  readonly folder: string;
  readonly #root: string;
  readonly #env: NodeJS.ProcessEnv;

  /** `program` is the command `xpkg-resolve`; the default is the one built in `dist`. */
  constructor(root: string, folder: string, program?: string) {
    this.#root = root;
    this.folder = folder;
    cpSync(join(root, 'fixtures'), join(folder, 'fixtures'), { recursive: true });
    const bin = join(folder, '.bin');
    mkdirSync(bin);
    const built = `"${process.execPath}" "${join(root, 'dist/main.js')}"`;
    const run = `exec ${program === undefined ? built : `"${program}"`} "$@"`;
    const programs = {
      npm: 'exit 0',
      npx: `[ "$1" = xpkg-resolve ] && shift && ${run}`,
      'xpkg-resolve': run,
    };
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const seed = `import fc from 'fast-check';\nfc.configureGlobal({ seed: 1 });\n`;
    writeFileSync(join(folder, '.seed.mjs'), seed);
    spawnSync('git', ['init', '--quiet', folder]);
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules/xpkg-resolve'));
    symlinkSync(join(root, 'node_modules/fast-check'), join(folder, 'node_modules/fast-check'));
    const path = `${bin}${delimiter}${process.env['PATH']}`;
    this.#env = {
      ...process.env,
      PATH: path,
      NO_COLOR: '1',
      XPKG_RESOLVE_CACHE: join(folder, '.cache'),
    };
  }

  /**
   * Returns the stdout of each step; all steps run in one shell. Throws, with the output, if a step
   * ends the shell, such as a failing one after `set -e`.
   */
  async session(steps: readonly string[]): Promise<string[]> {
    const marked = steps.map(
      (step) => `${step}\nstatus=$?; printf '${END}'; printf '${END}' >&2; (exit $status)\n`,
    );
    const child = spawn('bash', ['-c', marked.join('')], {
      cwd: this.folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const printed = stdout.split(END);
    const last = printed.pop();
    if (printed.length < steps.length)
      throw new Error(`failed:\n${steps[printed.length]}\n${last}${stderr.split(END).at(-1)}`);
    return printed;
  }

  script(commands: string): { status: number | null; stdout: string; stderr: string } {
    return this.#bash(`set -eu\n${commands}`);
  }

  /**
   * Returns the output of modules, including errors. One process runs them all, because loading the
   * library takes most of the time.
   */
  modules(sources: readonly string[]): string[] {
    const names = this.#write(sources, 'mjs');
    const imports = names.map((name) => `await import('./${name}');\nconsole.log('${END}');\n`);
    writeFileSync(join(this.folder, 'all.mjs'), imports.join(''));
    const run = `"${process.execPath}" --import ./.seed.mjs all.mjs`;
    const printed = this.#bash(`exec 2>&1\n${run}`).stdout.split(`${END}\n`);
    const late = printed.splice(sources.length).join('');
    if (late !== '' || printed.length < sources.length)
      throw new Error(`an example failed, or printed after its end:\n${late || printed.at(-1)}`);
    return printed;
  }

  /** Returns the type errors of modules. */
  typeErrors(sources: readonly string[]): string {
    const names = this.#write(sources, 'mts');
    const flags = '--noEmit --strict --module nodenext --target es2022 --lib es2023,dom --types';
    const tsc = join(this.#root, 'node_modules/typescript/bin/tsc');
    return this.#run(process.execPath, [tsc, ...flags.split(' '), '', ...names]);
  }

  /** Writes a file for each source; returns their names. */
  #write(sources: readonly string[], extension: string): string[] {
    return sources.map((source, n) => {
      const name = `example-${n}.${extension}`;
      writeFileSync(join(this.folder, name), source);
      return name;
    });
  }

  #run(program: string, args: readonly string[]): string {
    const { stdout, stderr } = spawnSync(program, args, {
      cwd: this.folder,
      env: this.#env,
      encoding: 'utf8',
    });
    return stdout + stderr;
  }

  #bash(script: string) {
    return spawnSync('bash', ['-c', script], {
      cwd: this.folder,
      env: this.#env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}
