import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/exit-code.js';
import { runCli } from '../../../../src/cli/run.js';
import { fakeIo } from '../../../support/fake-io.js';

const ROOT = join(import.meta.dirname, '../../../..');
const PLATFORM = 'xpkg.example.org/acme/configuration-platform';

async function resolve(ref: string) {
  const io = fakeIo({ cwd: join(ROOT, 'fixtures/packages'), env: { HOME: '/nowhere' } });
  const argv = ['resolve', ref, '--from', 'dir:.', '--no-write', '--crossplane', 'v1.20.11'];
  return { code: await runCli(argv, io), notes: io.notes() };
}

test.each([
  { asked: 'v9.9.9', nearest: 'v2.0.0', why: 'newer than all' },
  { asked: 'v1.1.5', nearest: 'v1.2.0', why: 'upwards before downwards' },
])('$asked is not published ($why): the range there is, and the nearest', async (each) => {
  const { code, notes } = await resolve(`${PLATFORM}@${each.asked}`);
  expect(code).toBe(EXIT.unsolvable);
  expect(notes).toContain(
    `note: published of ${PLATFORM}: v1.0.0 to v2.0.0 (4 versions); the nearest to \`${each.asked}\` is ${each.nearest}`,
  );
});

test('a package that is not there: where it was looked for, and what is similar', async () => {
  const { code, notes } = await resolve('xpkg.example.org/acme/configuration-platfrom');
  expect(code).toBe(EXIT.unsolvable);
  expect(notes.join('\n')).toContain('looked for in `dir:.`');
  expect(notes.join('\n')).toContain(PLATFORM);
});
