import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { SCRIPTS } from '../../src/cli/kit/completion-script.js';

const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'dist/main.js');
const FROM = `--from dir:${join(ROOT, 'fixtures/packages')}`;
const folder = mkdtempSync(join(tmpdir(), 'shells-'));

function run(program: string, args: readonly string[]): string[] {
  const PATH = `${folder}:${process.env['PATH']}`;
  const env = { ...process.env, PATH, HOME: folder, XDG_CONFIG_HOME: folder };
  const ran = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' });
  expect(ran.error).toBeUndefined();
  expect(ran.stderr).toBe('');
  return ran.stdout.split('\n').filter((line) => line !== '');
}

beforeAll(() => {
  writeFileSync(
    join(folder, 'xpkg-resolve'),
    `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`,
  );
  chmodSync(join(folder, 'xpkg-resolve'), 0o755);
  for (const [shell, script] of Object.entries(SCRIPTS)) writeFileSync(join(folder, shell), script);
  cpSync(join(ROOT, 'fixtures/demo'), join(folder, 'demo'), { recursive: true });
  spawnSync(process.execPath, [MAIN, 'resolve', '-q', '-f', 'demo', ...FROM.split(' ')], {
    cwd: folder,
  });
});

/** Returns the completions of a shell for a line; `words` is how bash splits the line. */
const ask: Readonly<Record<string, (line: string, words: readonly string[]) => string[]>> = {
  bash: (line, words) =>
    run('bash', [
      '-c',
      `source ./bash; COMP_LINE=$1; COMP_POINT=\${#1}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _xpkg_resolve; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      line,
      ...words,
    ]),
  zsh: (line) =>
    run('zsh', [
      '-f',
      '-c',
      `compdef() { : }; compadd() { shift; print -l -- "$@" }; _files() { : }; source ./zsh; words=("\${(@s: :)1}"); CURRENT=\${#words}; _xpkg_resolve`,
      'zsh',
      line,
    ]),
  fish: (line) => run('fish', ['-c', `source ./fish; complete -C "${line}"`]),
};

test.each(['bash', 'zsh', 'fish'])('%s completes commands, flags and locked names', (shell) => {
  const offered = (line: string, words = line.split(' ')) => ask[shell]!(line, words);
  expect(offered('xpkg-resolve mat')).toContain('matrix');
  expect(offered('xpkg-resolve tree --lo')).toContain('--lock');
  expect(offered('xpkg-resolve why provider-he')).toContain('provider-helm');
});

test('bash, which splits words at @ and :, gets the rest of a word', () => {
  const line = `xpkg-resolve update ${FROM} provider-helm@v0.`;
  const words = [
    'xpkg-resolve',
    'update',
    '--from',
    'dir',
    ':',
    '/packages',
    'provider-helm',
    '@',
    'v0.',
  ];
  expect(ask['bash']!(line, words)).toEqual(['v0.21.0', 'v0.19.0']);
});
