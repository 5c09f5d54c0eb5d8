import { expect, test } from 'vitest';
import { InputError } from '../../../src/base/errors.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { matrix } from '../../../src/features/matrix/matrix.js';
import { resolve, update } from '../../../src/resolver/resolve/resolve.js';
import { type ResolveOptions } from '../../../src/resolver/resolve/to-problem.js';
import { requestFor } from '../../support/requests.js';
import { solved } from '../../support/solved.js';
import { providers } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const universe = providers({ [A]: { 'v1.0.0': {}, 'v1.1.0-rc.1': {} } });
const source = memorySource(universe);
const request = requestFor({ [A]: '*' });
const origin = { file: 'here' };

test.each<{ readonly option: string; readonly given: Partial<ResolveOptions> }>([
  { option: 'prereleases', given: { prereleases: [A, `${A}:v1.0.0`] } },
  { option: 'unlock', given: { unlock: new Set([`${A}:v1.0.0`]) } },
  { option: 'pins', given: { pins: [{ repository: `${A}:v1.0.0`, version: 'v1.0.0', origin }] } },
])('$option accepts only repositories', async ({ option, given }) => {
  const expected = {
    name: 'InputError',
    message: `\`${A}:v1.0.0\`, given in \`${option}\`, is not a repository`,
    hint: 'write `registry/path`: no tag, no digest',
  };
  await expect(resolve(request, { source, ...given })).rejects.toMatchObject(expected);
  await expect(matrix(request, { source, ...given })).rejects.toMatchObject(expected);
});

test('accepts a repository that nothing requires', async () => {
  const other = 'xpkg.example.org/acme/other';
  const answer = await resolve(request, { source, prereleases: [other] });
  expect(answer.warnings).toEqual([
    `prereleases of \`${other}\` are admitted, and it is not installed`,
  ]);
});

test('update accepts repositories with or without a version', async () => {
  const { lockfile } = await solved(universe, request);
  const options = { source, lockfile, prereleases: [A] };
  const moved = await update(request, [{ repository: A }], options);
  expect(moved.status === 'solved' && moved.lockfile.packages[0]?.version).toBe('v1.1.0-rc.1');
  const refused = await update(request, [{ repository: A, version: 'v9.0.0' }], options);
  expect(refused.status === 'unsolvable' && refused.explanation).toContain('update asks for');
  const moving = update(request, [{ repository: `${A}@v1.0.0` }], options);
  await expect(moving).rejects.toThrow(InputError);
});
