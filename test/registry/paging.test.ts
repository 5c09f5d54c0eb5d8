import { expect, test } from 'vitest';
import { nextPage } from '../../src/registry/paging.js';

const CURRENT = new URL('https://a.io/v2/a/p/tags/list?n=2');

function next(link: string | undefined): string | undefined {
  return nextPage(link, CURRENT, 'tags of a.io/a/p')?.href;
}

test.each([
  { link: undefined, want: undefined, why: 'no header' },
  { link: '</x>; rel="prev"', want: undefined, why: 'a link to elsewhere' },
  { link: '</x?last=b>; rel="next"', want: 'https://a.io/x?last=b', why: 'a path' },
  { link: '<https://a.io/x>; rel=next', want: 'https://a.io/x', why: 'all of it, unquoted' },
  { link: '</x>; rel="prev", </y>; rel="next"', want: 'https://a.io/y', why: 'the second of two' },
  { link: '</x>; title="a"; REL="next"', want: 'https://a.io/x', why: 'after another parameter' },
])('$why: $link', ({ link, want }) => {
  expect(next(link)).toBe(want);
});

test.each([
  { link: '<https://b.io/x>; rel="next"', why: 'another host' },
  { link: '<https://a.io:8443/x>; rel="next"', why: 'another port' },
  { link: '<http://a.io/x>; rel="next"', why: 'another scheme' },
  { link: '<//b.io/x>; rel="next"', why: 'another host, short' },
  { link: '<https://a.io@b.io/x>; rel="next"', why: 'another host behind a user' },
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
