import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SCRIPTS } from '../../src/cli/kit/completion-script.js';
import { runCli } from '../../src/commands.js';
import { isObjectName } from '../../src/crossplane/packages/object-names.js';
import { isRepository, isTag } from '../../src/crossplane/packages/reference.js';
import { isPlainShellWord, shellCommand } from '../../src/base/escape.js';
import { copyCommands, COPY_TOOLS } from '../../src/features/mirror/output.js';
import { fakeIo } from '../support/fake-io.js';
import { recordFigure } from '../support/figures.js';
import { providerYaml } from '../support/package-yaml.js';

const INPUTS = Number(process.env['XPKG_HOSTILE_INPUTS'] ?? 40);
const DIGEST = `sha256:${'a'.repeat(64)}` as const;
/** Shell code that creates the file `pwned`, for each quoting context. */
const PAYLOADS = [
  '$(touch pwned)',
  '$(touch${IFS}pwned)',
  '`touch pwned`',
  ';touch pwned;',
  '&touch pwned&',
  '|touch pwned',
  "';touch pwned;'",
  '";touch pwned;"',
  '\ntouch pwned\n',
  '>pwned',
  '<(touch pwned)',
  '${x:=$(touch pwned)}',
  "$'\\n'touch pwned",
  '\\$(touch pwned)',
  '#$(touch pwned)',
  '--server=$(touch pwned)',
];
/** Characters with a meaning in a shell. */
const ACTIVE = Array.from(`'"\\ \`$!*?[]{}~#&|;<>()\n\t`);
const FAKE_PROGRAMS = ['kubectl', 'crane', 'oras', 'skopeo', 'helm', 'xpkg-resolve', 'git', 'tar'];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shell-words-'));
  mkdirSync(join(folder, 'bin'));
  for (const name of FAKE_PROGRAMS) writeProgram(name, 'printf "%s\\0" "$0" "$@" "" >> argv');
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeProgram(name: string, script: string): void {
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'bin', name), 0o755);
}

function inShell(shell: string, args: readonly string[]) {
  const PATH = `${join(folder, 'bin')}:${process.env['PATH']}`;
  const ran = spawnSync(shell, args, {
    cwd: folder,
    env: { PATH, HOME: folder },
    encoding: 'utf8',
  });
  expect(ran.error).toBeUndefined();
  return ran;
}

/** Runs shell code with fake programs and returns the arguments that each of them received. */
function recordedArguments(code: string): string[][] {
  rmSync(join(folder, 'argv'), { force: true });
  const syntax = inShell('sh', ['-n', '-c', code]);
  expect([code, syntax.stderr]).toEqual([code, '']);
  inShell('sh', ['-c', code]);
  expect([code, existsSync(join(folder, 'pwned'))]).toEqual([code, false]);
  if (!existsSync(join(folder, 'argv'))) return [];
  return readFileSync(join(folder, 'argv'), 'utf8')
    .split('\0\0')
    .filter((call) => call !== '')
    .map((call) => call.split('\0').slice(1));
}

async function run(...argv: string[]) {
  const io = fakeIo({ cwd: folder, env: { HOME: folder } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

test('a shell splits a printed line into the words that it was made of', () => {
  const word = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
    fc
      .array(fc.constantFrom(...PAYLOADS, ...ACTIVE), { minLength: 1 })
      .map((parts) => parts.join('')),
  );
  const words = fc
    .sample(word, { numRuns: INPUTS * 10, seed: 1 })
    // Arguments cannot contain NUL, and `\0\0` separates the calls.
    .map((text) => Buffer.from(text.replaceAll('\0', '')).toString())
    .filter((text) => text !== '');
  recordFigure('words quoted for a shell', { tried: words.length });
  for (let from = 0; from < words.length; from += 500) {
    const some = words.slice(from, from + 500);
    expect(recordedArguments(shellCommand(['kubectl', ...some]))).toEqual([some]);
  }
});

test('no accepted name contains a character with a meaning in a shell', () => {
  const characters = [
    ...Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)),
    '…',
  ];
  const pairs = characters.flatMap((one) => [one, `${one}${one}`, `(${one})`, `$${one}`]);
  const names = pairs.flatMap((text) => [
    { accepted: isRepository(`x.${text}.org/a/b`), name: `x.${text}.org/a/b` },
    { accepted: isRepository(`${text}x.org/a/b`), name: `${text}x.org/a/b` },
    { accepted: isRepository(`x.org:${text}/a/b`), name: `x.org:${text}/a/b` },
    { accepted: isRepository(`x.org/a${text}/b`), name: `x.org/a${text}/b` },
    { accepted: isRepository(`${text}a/b`), name: `${text}a/b` },
    { accepted: isTag(`${text}v1`), name: `${text}v1` },
    { accepted: isTag(`v1${text}`), name: `v1${text}` },
    { accepted: isObjectName(`${text}n`), name: `${text}n` },
    { accepted: isObjectName(`n${text}n`), name: `n${text}n` },
  ]);
  recordFigure('names with every character, accepted only if no shell acts on them', {
    tried: names.length,
  });
  const accepted = names.filter((each) => each.accepted).map(({ name }) => name);
  expect(accepted.length).toBeGreaterThan(300);
  expect(accepted.filter((name) => !isPlainShellWord(name) || name.startsWith('-'))).toEqual([]);
});

function lockfile(packages: readonly object[], objects: readonly object[] = []): string {
  return JSON.stringify({
    version: 1,
    crossplane: 'v1.20.11',
    packages: packages.map((each) => ({
      version: 'v1.0.0',
      digest: DIGEST,
      kind: 'Provider',
      direct: true,
      ...each,
    })),
    objects,
    skipDependencyResolution: [],
  });
}

function packageSet(spec: object): string {
  return JSON.stringify({
    apiVersion: 'xpkg-resolve.dev/v1alpha1',
    kind: 'PackageSet',
    metadata: { name: 'set' },
    spec: { crossplane: 'v1.20.11', ...spec },
  });
}

describe('printed commands, run by a shell', () => {
  const kept = { source: 'xpkg.example.org/acme/kept', name: 'acme-kept' };

  test.each(PAYLOADS)('`plan` of a lockfile with %j', async (payload) => {
    recordFigure('shell code in names, in commands that are printed', { tried: 2 });
    const gone = {
      source: 'xpkg.example.org/acme/gone',
      name: 'acme-gone',
      owns: { [`x${payload}`]: { CRD: [payload, `a.x${payload}`, 'a.example.org'] } },
    };
    const object = {
      apiVersion: 'pkg.crossplane.io/v1beta1',
      kind: 'ImageConfig',
      metadata: { name: `c${payload}` },
      spec: {},
    };
    writeFileSync(join(folder, 'old.yaml'), lockfile([gone, kept], [object]));
    writeFileSync(join(folder, 'new.yaml'), lockfile([kept]));
    expect(await run('plan', 'old.yaml', 'new.yaml', '--out', 'plan')).toMatchObject({ code: 0 });
    const scripts = readdirSync(join(folder, 'plan'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.sh'))
      .map((name) => readFileSync(join(folder, 'plan', name), 'utf8'));
    expect(scripts).toHaveLength(1);
    expect(recordedArguments(scripts[0]!)).toEqual([
      ['get', 'crd', 'a.example.org', '--ignore-not-found', '-o', 'name'],
      ['delete', 'provider.pkg.crossplane.io/acme-gone'],
      ['delete', `imageconfig.pkg.crossplane.io/c${payload}`],
    ]);
  });

  test.each(PAYLOADS)('hints about a constraint that is %j', async (payload) => {
    const at = join(folder, 'packages/xpkg.example.org/acme/p@v1.0.0');
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, 'package.yaml'), providerYaml('p', 'p.example.org'));
    const provider = 'xpkg.example.org/acme/p';
    for (const document of [
      packageSet({ packages: [{ provider, version: payload }] }),
      packageSet({
        packages: [{ provider, version: '*' }],
        policy: { deny: [{ package: provider, version: payload, reason: 'x' }] },
      }),
    ]) {
      writeFileSync(join(folder, 'xpkg.yaml'), document);
      const { code, notes } = await run('resolve', '--from', 'dir:packages');
      expect([2, 3]).toContain(code);
      recordFigure('shell code in names, in commands that are printed', { tried: 1 });
      const [hint = ''] = notes.filter((note) => note.startsWith('hint: '));
      const [, command = ''] = /`(xpkg-resolve constraint .*)`[^`]*$/s.exec(hint) ?? [];
      expect([hint, command]).not.toEqual([hint, '']);
      const [words] = recordedArguments(command);
      expect(words?.slice(0, 1)).toEqual(['constraint']);
      expect(words).toHaveLength(command.includes('--crossplane') ? 4 : 2);
    }
  });

  test.each(COPY_TOOLS)('`mirror --dry-run --tool %s`', (tool) => {
    for (const payload of PAYLOADS) {
      recordFigure('shell code in names, in commands that are printed', { tried: 1 });
      const image = { repository: `x.org/${payload}`, digest: DIGEST };
      const name = `mirror.example.org/${payload}:v1`;
      const [line = ''] = copyCommands([{ image, name } as never], tool);
      const words = recordedArguments(line)[0]!;
      const scheme = tool === 'skopeo' ? 'docker://' : '';
      expect(words.slice(-2)).toEqual([`${scheme}x.org/${payload}@${DIGEST}`, `${scheme}${name}`]);
    }
  });
});

describe('completion', () => {
  const ASK: Readonly<Record<keyof typeof SCRIPTS, string>> = {
    bash: `source ./bash; COMP_LINE='xpkg-resolve why '; COMP_POINT=17; COMP_WORDS=(xpkg-resolve why ''); COMP_CWORD=2; _xpkg_resolve; printf '%s\\n' "\${COMPREPLY[@]}"`,
    zsh: `compdef() { : }; compadd() { shift; print -rl -- "$@" }; _files() { : }; source ./zsh; words=(xpkg-resolve why ''); CURRENT=3; _xpkg_resolve`,
    fish: 'source ./fish; complete -C "xpkg-resolve why "',
  };
  const SHELLS = (Object.keys(ASK) as (keyof typeof SCRIPTS)[]).filter(
    (shell) => spawnSync(shell, ['-c', 'true']).status === 0,
  );

  test.each(SHELLS)('%s neither runs nor expands a reply', (shell) => {
    const replies = PAYLOADS.filter((payload) => !payload.includes('\n'));
    recordFigure('shell code in names that completion offers', { tried: replies.length });
    writeFileSync(join(folder, 'replies'), replies.map((reply) => `${reply}\n`).join(''));
    writeProgram('xpkg-resolve', 'cat replies');
    writeFileSync(join(folder, shell), SCRIPTS[shell]);
    const { stdout } = inShell(shell, ['-c', ASK[shell]]);
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
    expect(stdout).toContain('touch');
  });

  test.each([...PAYLOADS, '\u001b[2J', '\u202egnp', '~root', '*', '{a,b}'])(
    'does not offer %j from a lockfile',
    async (payload) => {
      recordFigure('shell code in names that completion offers', { tried: 1 });
      const owner = {
        source: 'xpkg.example.org/acme/p',
        name: 'acme-p',
        owns: { [`x${payload}`]: { CRD: [payload, `a.x${payload}`, 'a.example.org'] } },
      };
      writeFileSync(join(folder, 'xpkg.lock.yaml'), lockfile([owner]));
      const { code, stdout } = await run('--complete', 'why', '');
      expect(code).toBe(0);
      expect(stdout.split('\n')).toEqual(['xpkg.example.org/acme/p', 'p', 'a.example.org', '']);
    },
  );
});
