import { expect, test } from 'vitest';
import { withRegistry } from '../../support/registry/client.js';
import { instead } from '../../support/registry/faults.js';

test.each(['', '[]', '<html>', '{"errors":[]}', '{"name":"a/p","tags":["v1"]}'])(
  'a response for a tag that is not a manifest is rejected: %s',
  async (answer) => {
    await withRegistry({ faults: [instead(answer)] }, async ({ repository }) => {
      const failure = { code: 'BAD_SOURCE' };
      await expect(repository('a/p').manifest('v1')).rejects.toMatchObject(failure);
    });
  },
);

test.each([
  { name: 'a/other', refused: true, why: 'another repository' },
  { name: 'p/other', refused: true, why: 'another one, below it' },
  { name: 'mirrored/by/p', refused: false, why: 'its name behind a proxy' },
  { name: 'x', refused: false, why: 'no name that says where it is' },
])('a tag list of $name, $why: refused $refused', async ({ name, refused }) => {
  const answer = JSON.stringify({ name, tags: ['v1'] });
  await withRegistry({ faults: [instead(answer)] }, async ({ repository }) => {
    const listed = repository('a/p').tags();
    if (refused) await expect(listed).rejects.toThrow(`another repository, \`${name}\``);
    else expect(await listed).toEqual(['v1']);
  });
});
