import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';

const FROM = `dir:${join(import.meta.dirname, '../../../fixtures/packages')}`;
const PLATFORM = 'xpkg.example.org/acme/configuration-platform';

async function resolve(ref: string) {
  const io = fakeIo({ env: { HOME: '/nowhere' } });
  const argv = ['resolve', ref, '--from', FROM, '--no-write', '--crossplane', 'v1.20.11'];
  return { code: await runCli(argv, io), notes: io.notes() };
}

test.each([
  { asked: 'v9.9.9', nearest: 'v2.0.0', why: 'newer than all' },
  { asked: 'v1.1.5', nearest: 'v1.2.0', why: 'newer versions before older ones' },
])('$asked is not published ($why): lists the range and the nearest versions', async (each) => {
  const { code, notes } = await resolve(`${PLATFORM}@${each.asked}`);
  expect(code).toBe(EXIT.unsolvable);
  expect(notes).toContain(
    `note: published of ${PLATFORM}: v1.0.0 to v2.0.0 (4 versions); the nearest to \`${each.asked}\` is ${each.nearest}`,
  );
});

test('for a missing package, names the sources and similar packages', async () => {
  const { code, notes } = await resolve('xpkg.example.org/acme/configuration-platfrom');
  expect(code).toBe(EXIT.unsolvable);
  expect(notes.join('\n')).toContain(`looked for in \`${FROM}\``);
  expect(notes.join('\n')).toContain(PLATFORM);
});
