import { expect, test } from 'vitest';
import { nextPage } from '../../../src/oci/registry/client.js';

const LIST = 'https://a.io/v2/a/p/tags/list';
const CURRENT = new URL(`${LIST}?n=2`);

function next(link: string | undefined): string | undefined {
  return nextPage(link, CURRENT, 'tags of a.io/a/p')?.href;
}

test.each([
  { link: undefined, want: undefined, why: 'no header' },
  { link: ' ', want: undefined, why: 'an empty header' },
  { link: '</v2/a/p/tags/list?last=b>; rel="next"', want: `${LIST}?last=b`, why: 'a path' },
  { link: `<${LIST}>; rel=next`, want: LIST, why: 'all of it, unquoted' },
  { link: '<?n=3>; rel="prev", <?n=4>; rel="next"', want: `${LIST}?n=3`, why: 'the first of two' },
  { link: '<?n=3>', want: `${LIST}?n=3`, why: 'no rel' },
  { link: '<?n=3>; rel="prev next"', want: `${LIST}?n=3`, why: 'several relations' },
  { link: "<?n=3>; rel='next'", want: `${LIST}?n=3`, why: 'single quotes' },
  { link: '<?n=3>; title="a"; REL="next"', want: `${LIST}?n=3`, why: 'after another parameter' },
])('$why: $link', ({ link, want }) => {
  expect(next(link)).toBe(want);
});

test.each([
  { link: '<https://b.io/x>; rel="next"', why: 'another host' },
  { link: '<https://a.io:8443/x>; rel="next"', why: 'another port' },
  { link: '<http://a.io/x>; rel="next"', why: 'another scheme' },
  { link: '<//b.io/x>; rel="next"', why: 'another host, short' },
  { link: '<https://a.io@b.io/x>; rel="next"', why: 'another host behind a user' },
  { link: '</v2/a/q/tags/list?last=b>; rel="next"', why: 'another repository' },
  { link: '</v2/a/p/../q/tags/list>; rel="next"', why: 'another repository, by a detour' },
  { link: '?n=3; rel="next"', why: 'no brackets' },
  { link: 'x <?n=3>; rel="next"', why: 'text before the link' },
  { link: '<?n=3; rel="next"', why: 'no end of the link' },
  { link: '<?n=3 &last=a>; rel="next"', why: 'a space, which URL parsers read differently' },
  { link: '<\\\\a.io\\v2\\a\\p\\tags\\list>; rel="next"', why: 'backslashes' },
  { link: '<http://[>; rel="next"', why: 'not a URL: the list would end too early' },
  { link: `</${'x'.repeat(9_000)}>; rel="next"`, why: 'too long: the list would end too early' },
])('$why is refused', ({ link }) => {
  expect(() => next(link)).toThrow(expect.objectContaining({ code: 'BAD_SOURCE' }));
});

test('a malicious header is parsed quickly', () => {
  for (const part of ['<>', '<>;', '<>; rel=']) {
    expect(next(part.repeat(8_000 / part.length))).toBe(CURRENT.href);
  }
  for (const part of ['<', ' ;', '>; rel="next" ']) {
    expect(() => next(part.repeat(8_000 / part.length))).toThrow('does not start with a URL');
  }
});
