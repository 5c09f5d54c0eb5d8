import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { Scripts } from '../../../integrations/executable/inside/scripts.js';

function scriptsOf(texts: Readonly<Record<string, string>>, compiled?: Buffer): Scripts {
  const store = {
    text: (path: string) => texts[path]!,
    compiled: () => compiled,
  };
  return new Scripts(store, (name) => ({ builtin: name }));
}

test('scripts load each other once, by relative paths', () => {
  const scripts = scriptsOf({
    'main.cjs':
      "#!/usr/bin/env node\nexports.a = require('./chunks/a.cjs'); exports.b = require('./chunks/b.cjs');",
    'chunks/a.cjs': "exports.b = require('./b.cjs');",
    'chunks/b.cjs': 'exports.is = "b"; exports.top = require("inside:top.cjs?copy=1");',
    'top.cjs': 'exports.is = "top";',
  });
  const { a, b } = scripts.load('main.cjs') as { a: { b: object }; b: object };
  expect(b).toEqual({ is: 'b', top: { is: 'top' } });
  expect(a.b).toBe(b);
});

test('a script that is loaded with another query has separate state', () => {
  const scripts = scriptsOf({ 'count.cjs': 'exports.count = 0;' });
  expect(scripts.load('count.cjs?copy=1')).not.toBe(scripts.load('count.cjs?copy=2'));
  expect(scripts.load('count.cjs?copy=1')).toBe(scripts.load('count.cjs?copy=1'));
});

test.each([
  ['a package by its name', "require('picomatch')"],
  [
    'a package by a require of its own',
    "require('node:module').createRequire(__filename)('picomatch')",
  ],
  ['a file by its path', "require('/etc/hosts')"],
])('%s is not looked for outside', (_, text) => {
  expect(() => scriptsOf({ 'main.cjs': text }).load('main.cjs')).toThrow(
    'is not part of this executable',
  );
});

test.each(['fs', 'node:fs', 'fs/promises', 'node:sea'])('%s is a module of Node.js', (name) => {
  const scripts = scriptsOf({ 'main.cjs': `exports.got = require('${name}');` });
  expect(scripts.load('main.cjs')).toEqual({ got: { builtin: name } });
});

test('V8 gets its cached bytecode of a script; incompatible bytecode is no failure', () => {
  const text = 'exports.is = 1;';
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
  const good = scriptsOf({ 'main.cjs': text }, new Script(wrapped).createCachedData());
  expect(good.load('main.cjs')).toEqual({ is: 1 });
  expect(good.loaded.get('main.cjs')!.cachedDataRejected).toBe(false);
  const bad = scriptsOf({ 'main.cjs': text }, Buffer.from('of another Node'));
  expect(bad.load('main.cjs')).toEqual({ is: 1 });
  expect(bad.loaded.get('main.cjs')!.cachedDataRejected).toBe(true);
});
