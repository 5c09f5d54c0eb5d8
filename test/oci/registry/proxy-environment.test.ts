import { describe, expect, test } from 'vitest';
import { proxiesFromEnvironment } from '../../../src/oci/registry/undici-transport.js';

const PROXY = 'http://proxy.test:3128';

describe('choice of the proxy', () => {
  test.each([
    { env: {}, url: 'https://a.io', want: undefined, why: 'there is none' },
    { env: { HTTPS_PROXY: PROXY }, url: 'https://a.io', want: PROXY, why: 'by scheme' },
    { env: { https_proxy: PROXY }, url: 'https://a.io', want: PROXY, why: 'in small letters' },
    {
      env: { HTTPS_PROXY: PROXY, https_proxy: 'http://b.test' },
      url: 'https://a.io',
      want: PROXY,
      why: 'capitals win',
    },
    {
      env: { HTTPS_PROXY: '', https_proxy: PROXY },
      url: 'https://a.io',
      want: PROXY,
      why: 'an empty one is none',
    },
    { env: { HTTP_PROXY: PROXY }, url: 'https://a.io', want: undefined, why: 'not by another' },
    { env: { HTTP_PROXY: PROXY }, url: 'http://a.io', want: PROXY, why: 'by scheme' },
    { env: { HTTPS_PROXY: PROXY }, url: 'http://a.io', want: undefined, why: 'not by another' },
    { env: { ALL_PROXY: PROXY }, url: 'https://a.io', want: undefined, why: 'Go has no such' },
    { env: { HTTPS_PROXY: 'proxy.test:3128' }, url: 'https://a.io', want: PROXY, why: 'http' },
    {
      env: { HTTPS_PROXY: '10.0.0.1:3128' },
      url: 'https://a.io',
      want: 'http://10.0.0.1:3128',
      why: 'http',
    },
    {
      env: { HTTPS_PROXY: 'http://ann:pw@proxy.test:3128' },
      url: 'https://a.io',
      want: PROXY,
      why: 'shown without its user',
    },
    {
      env: { HTTPS_PROXY: 'socks5://proxy.test:1080' },
      url: 'https://a.io',
      want: 'socks5://proxy.test:1080',
      why: 'SOCKS',
    },
  ])('$env for $url is $want: $why', ({ env, url, want }) => {
    expect(proxiesFromEnvironment(env)(new URL(url))?.shown).toBe(want);
  });

  test.each(['ftp://proxy.test', 'http://', 'pat:pr0xy@:x'])('`%s` is invalid', (HTTPS_PROXY) => {
    expect(() => proxiesFromEnvironment({ HTTPS_PROXY })).toThrow(/HTTPS_PROXY(?!.*pr0xy)/);
  });

  test.each([
    { user: 'ann:p%40w', want: 'ann:p@w', why: 'written as URLs are' },
    { user: 'ann', want: 'ann:', why: 'a user alone' },
    { user: 'ann:50%', want: 'ann:50%', why: 'not quite as URLs are' },
  ])('receives the credentials $want: $why', ({ user, want }) => {
    const choice = proxiesFromEnvironment({ HTTPS_PROXY: `http://${user}@proxy.test` });
    const told = choice(new URL('https://a.io'))?.authorization?.replace('Basic ', '') ?? '';
    expect(Buffer.from(told, 'base64').toString()).toBe(want);
  });
});

describe('NO_PROXY', () => {
  test.each([
    { no: 'a.io', at: 'a.io', exempt: true, why: 'the host' },
    { no: 'A.io', at: 'a.IO', exempt: true, why: 'in any case' },
    { no: 'a.io', at: 'b.a.io', exempt: true, why: 'and what is below it' },
    { no: 'a.io', at: 'ba.io', exempt: false, why: 'by whole labels' },
    { no: '.a.io', at: 'b.a.io', exempt: true, why: 'what is below' },
    { no: '.a.io', at: 'a.io', exempt: false, why: 'and not itself' },
    { no: '*.a.io', at: 'b.a.io', exempt: true, why: 'what is below' },
    { no: '*.a.io', at: 'a.io', exempt: false, why: 'and not itself' },
    { no: 'x.io, a.io ,', at: 'a.io', exempt: true, why: 'one of several' },
    { no: 'x.io, ,', at: 'a.io', exempt: false, why: 'none of several' },
    { no: 'x.io,*', at: 'a.io', exempt: true, why: 'everything' },
    { no: '*', at: '10.1.2.3', exempt: true, why: 'everything' },
    { no: 'a.io:5000', at: 'a.io:5000', exempt: true, why: 'this port' },
    { no: 'a.io:5000', at: 'a.io', exempt: false, why: 'another port' },
    { no: 'a.io:443', at: 'a.io', exempt: true, why: 'the port of the scheme' },
    { no: '10.0.0.0/8', at: '10.1.2.3:5000', exempt: true, why: 'a subnet' },
    { no: '10.0.0.0/8', at: '11.1.2.3', exempt: false, why: 'another subnet' },
    { no: '10.0.0.0/8', at: 'a.io', exempt: false, why: 'names are not looked up' },
    { no: '10.0.0.0/33', at: '10.0.0.0', exempt: false, why: 'no such subnet' },
    { no: '2001:db8::/32', at: '[2001:db8::7]', exempt: true, why: 'a subnet of IPv6' },
    { no: '10.1.2.3', at: '10.1.2.3:5000', exempt: true, why: 'an address' },
    { no: '10.1.2.3:5000', at: '10.1.2.3', exempt: false, why: 'an address at another port' },
    { no: '2001:db8:0::7', at: '[2001:db8::7]', exempt: true, why: 'IPv6, however spelled' },
    { no: '[2001:db8::7]:5000', at: '[2001:db8::7]:5000', exempt: true, why: 'IPv6 and port' },
    { no: '[2001:db8::7]', at: '[2001:db8::7]', exempt: false, why: 'brackets go with a port' },
    { no: 'a.io/8', at: 'a.io', exempt: false, why: 'a name has no subnet' },
    { no: '2.3', at: '10.1.2.3', exempt: false, why: 'an address has no domain' },
    { no: ':5000', at: 'a.io:5000', exempt: false, why: 'no host, no match' },
    { no: 'bücher.io', at: 'bücher.io', exempt: true, why: 'written in any alphabet' },
    { no: '', at: 'localhost:5000', exempt: true, why: 'never proxied' },
    { no: '', at: '127.1.2.3:5000', exempt: true, why: 'never proxied' },
    { no: '', at: '[::1]:5000', exempt: true, why: 'never proxied' },
    { no: '', at: 'kind.localhost', exempt: false, why: 'Go knows only the bare name' },
  ])('`$no`, $at: $exempt, $why', ({ no, at, exempt }) => {
    const proxy = proxiesFromEnvironment({ HTTPS_PROXY: PROXY, NO_PROXY: no })(
      new URL(`https://${at}`),
    );
    expect(proxy === undefined).toBe(exempt);
  });
});
