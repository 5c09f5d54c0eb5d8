import { expect, test } from 'vitest';
import { Secret } from '../../../src/oci/registry/credentials.js';
import type { SourceError } from '../../../src/base/errors.js';
import { anonymous, storeOf, withRegistry } from '../../support/registry/client.js';
import { instead, on, redirectTo, status } from '../../support/registry/faults.js';
import { packageImage } from '../../support/registry/image.js';
import { Registry, type Fault } from '../../support/registry/registry.js';

const password = new Secret('wr0ng');
const wrong = storeOf({ kind: 'basic', username: 'ann', password, from: 'my/config.json' });
const FOUND = /found.*`my\/config\.json`.*refused/;
const NONE = /no credentials were found/;

test.each([
  {
    why: 'a password that the registry refuses',
    options: { access: { mode: 'basic', user: 'ann', password: 's3cret' } },
    credentials: wrong,
    hint: FOUND,
  },
  {
    why: 'a password that the token server refuses',
    options: { access: { mode: 'bearer', user: 'ann', password: 's3cret' } },
    credentials: wrong,
    hint: FOUND,
  },
  {
    why: 'a token that the registry refuses',
    options: { access: { mode: 'bearer' }, faults: [on('/token', instead('{"token":"x"}'))] },
    credentials: wrong,
    hint: FOUND,
  },
  {
    why: 'an anonymous token that the registry refuses',
    options: { access: { mode: 'bearer' }, faults: [on('/token', instead('{"token":"x"}'))] },
    credentials: anonymous,
    hint: NONE,
  },
  {
    why: 'no password where one is wanted',
    options: { access: { mode: 'basic', user: 'ann', password: 's3cret' } },
    credentials: anonymous,
    hint: NONE,
  },
  {
    why: 'a refusal that asks for nothing, so that nothing was looked for',
    options: { faults: [on('', status(403))] },
    credentials: wrong,
    hint: /^sign in/,
  },
] as const)('$why: the hint states which credentials were found, and where', async (given) => {
  const { options, credentials, hint } = given;
  await withRegistry({ ...options }, async ({ repository }) => {
    const failure = await repository('a/p', credentials)
      .tags()
      .catch((error: unknown) => error as SourceError);
    expect(failure).toMatchObject({ code: 'UNAUTHORIZED' });
    expect((failure as SourceError).hint).toMatch(hint);
    expect((failure as SourceError).hint).not.toMatch(/wr0ng|ann/);
  });
});

test('credentials that were not sent to another host are not blamed', async () => {
  const elsewhere = await new Registry({ faults: [on('', status(403))] }).start();
  const access = { mode: 'basic', user: 'ann', password: 'wr0ng' } as const;
  const redirect = redirectTo(`http://${elsewhere.host}/`);
  const faults: Fault[] = [
    (request, ...rest) => request.authorization !== undefined && redirect(request, ...rest),
  ];
  await withRegistry({ access, faults }, async ({ repository }) => {
    await expect(repository('a/p', wrong).tags()).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      hint: expect.not.stringContaining('config.json') as string,
    });
    expect(elsewhere.log).toMatchObject([{ authorization: undefined }]);
  });
  await elsewhere.stop();
});

test.each([
  { answer: { token: '', access_token: 'tok' }, why: 'an empty token is none' },
  { answer: { access_token: 'tok' }, why: 'the name of OAuth' },
  { answer: { token: 'tok', access_token: 'other' }, why: 'the name of old goes first' },
])('a token server may answer $answer: $why', async ({ answer }) => {
  const image = await packageImage('kind: Provider\n');
  const faults = [on('/token', instead(JSON.stringify(answer)))];
  await withRegistry({ access: { mode: 'bearer' }, faults }, async ({ registry, repository }) => {
    registry.push('a/p', 'v1', image);
    await repository('a/p')
      .tags()
      .catch(() => undefined);
    expect(registry.log.at(-1)?.authorization).toBe('Bearer tok');
  });
});
