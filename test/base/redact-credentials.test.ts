import { expect, test } from 'vitest';
import { InputError, redactCredentials, SourceError } from '../../src/base/errors.js';

test.each([
  { text: '`https://ann:pw@a.io/x`: no', want: '`https://a.io/x`: no', why: 'user and password' },
  { text: 'oci://ann@a.io/x', want: 'oci://a.io/x', why: 'a user alone' },
  { text: 'oci://ann:p@w:x@a.io/x', want: 'oci://a.io/x', why: 'a password with an @' },
  { text: 'http://:pw@a.io', want: 'http://a.io', why: 'a password alone' },
  { text: 'a //u:p@b/ c //u:p@d/', want: 'a //b/ c //d/', why: 'as often as there are any' },
  { text: 'no `ann:pw@a.io/x:v1`', want: 'no `a.io/x:v1`', why: 'without a scheme' },
  { text: 'ann:p=w@a.io:5000/x@^v1', want: 'a.io:5000/x@^v1', why: 'and with a constraint' },
])('removes $why', ({ text, want }) => {
  expect(redactCredentials(text)).toBe(want);
});

test.each([
  'xpkg.io/a/p@>=v1.0.0, <v2.0.0',
  'localhost:5000/a/p@sha256:00',
  'p:v1@sha256:00',
  'https://a.io/x?to=ann@b.io/y',
  'dir:host@5000/a/p@v1.0.0/package.yaml',
  'C:\\cache@home/x',
  'packages/a.io@5000/p@v1.0.0/package.yaml:3: bad',
])('`%s` is not changed', (text) => {
  expect(redactCredentials(text)).toBe(text);
});

test('hostile text is processed in linear time', () => {
  for (const part of ['//', '//@', 'a:', 'a:@', '@a', ':@/', ' a:b@']) {
    expect(redactCredentials(part.repeat(200_000)).length).toBeGreaterThan(0);
  }
});

test.each([
  new InputError('`oci://ann:s3cret@a.io/x` is wrong', { hint: 'not `oci://ann:s3cret@a.io/x`' }),
  new SourceError('UNREACHABLE', 'ann:s3cret@a.io/x', 'gone', { hint: 'https://s3cret@a.io/' }),
])('errors contain no password: $name', (error) => {
  expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain('s3cret');
});
