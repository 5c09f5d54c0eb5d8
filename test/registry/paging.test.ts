import { expect, test } from 'vitest';
import { nextPage } from '../../src/registry/paging.js';

const LIST = 'https://a.io/v2/a/p/tags/list';
const CURRENT = new URL(`${LIST}?n=2`);

function next(link: string | undefined): string | undefined {
  return nextPage(link, CURRENT, 'tags of a.io/a/p')?.href;
}

test.each([
  { link: undefined, want: undefined, why: 'no header' },
  { link: '</x>; rel="prev"', want: undefined, why: 'a link to elsewhere' },
  { link: '</v2/a/p/tags/list?last=b>; rel="next"', want: `${LIST}?last=b`, why: 'a path' },
  { link: `<${LIST}>; rel=next`, want: LIST, why: 'all of it, unquoted' },
  { link: '</x>; rel="prev", <?n=3>; rel="next"', want: `${LIST}?n=3`, why: 'the second of two' },
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
  { link: '<http://[>; rel="next"', why: 'not a URL: the list would end too early' },
  { link: `</${'x'.repeat(9_000)}>; rel="next"`, why: 'too long: the list would end too early' },
])('$why is refused', ({ link }) => {
  expect(() => next(link)).toThrow(expect.objectContaining({ code: 'BAD_SOURCE' }));
});

test('a header made to be slow is read in no time', () => {
  for (const part of ['<>', '<>;', '<>; rel=']) {
    expect(next(part.repeat(8_000 / part.length))).toBeOneOf([undefined, CURRENT.href]);
  }
  for (const part of ['<', ' ;', '>; rel="next" ']) {
    expect(() => next(part.repeat(8_000 / part.length))).toThrow('a link that is none');
  }
});
