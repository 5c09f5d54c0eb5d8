import { dump, load } from 'js-yaml';
import type { Draw } from '../../src/base/collections.js';

/** The format that a reader expects; it determines how seeds are mutated. */
export type InputForm = 'text' | 'json' | 'yaml' | 'bytes';

/** Returns one of the seeds with one to four changes. */
export function mutatedInput(form: InputForm, seeds: readonly Buffer[], draw: Draw): Buffer {
  const seed = pick(seeds, draw);
  if (form === 'bytes') return mutatedBytes(seed, pick(seeds, draw), draw);
  const text = seed.toString();
  const changed =
    form === 'text' ? mutatedText(text, draw) : mutatedTree(text, form, pick(seeds, draw), draw);
  const bytes = Buffer.from(changed);
  return draw(50) === 0 ? mutatedBytes(bytes, seed, draw) : bytes;
}

/** A nesting depth at which unlimited recursion overflows the stack. */
const DEEP = 20_000;

/** Texts that are known to break parsers. */
const SCRAPS: readonly string[] = [
  ...' \t\n\r:;,.@/\\-+*~^=<>|&!?#%"\'`()[]{}$0179vxX'.split(''),
  '',
  '\0',
  '\u001b[2J',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u202e',
  '\u2028',
  '\ufeff',
  '\ufffd',
  'é',
  'e\u0301',
  '\u212a',
  '١',
  '😀',
  '\r\n',
  '\n::error::x',
  '##vso[task.complete]',
  '##teamcity[x]',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../',
  '../../etc/passwd',
  '/dev/zero',
  'C:\\x',
  '%00',
  '%2e%2e%2f',
  'https://user:secret@h.io/',
  'http://169.254.169.254/',
  '[::1]:5000',
  'h.io/a/p',
  ':latest',
  '@sha256:',
  `sha256:${'0'.repeat(64)}`,
  `sha512:${'0'.repeat(128)}`,
  'v1.0.0',
  '>=v1.0.0, <v2',
  '1.0 - 2.0',
  ' || ',
  'null',
  'true',
  '-0',
  '1e400',
  'NaN',
  '0x10',
  '2001-01-01',
  '9'.repeat(30),
  '9'.repeat(400),
  '0'.repeat(5000),
  'a'.repeat(5000),
  ' '.repeat(3000),
  '-'.repeat(3000),
  '.'.repeat(3000),
  '|'.repeat(2000),
  'a.'.repeat(2000),
  '1-'.repeat(2000),
  '<='.repeat(1000),
  '"'.repeat(999),
  '\\'.repeat(999),
  '['.repeat(DEEP),
  '{"a":'.repeat(DEEP),
  '\n'.repeat(2000),
  '---\n'.repeat(500),
];

export function mutatedText(text: string, draw: Draw): string {
  let mutated = text;
  for (let times = 1 + draw(4); times > 0; times--)
    mutated = pick(TEXT_CHANGES, draw)(mutated, draw);
  return mutated;
}

const TEXT_CHANGES: readonly ((text: string, draw: Draw) => string)[] = [
  function scrapInserted(text, draw) {
    return replaced(text, draw(text.length + 1), 0, pick(SCRAPS, draw));
  },
  function scrapInPlace(text, draw) {
    return replaced(text, draw(text.length + 1), 1 + draw(8), pick(SCRAPS, draw));
  },
  function wordReplaced(text, draw) {
    const words = [...text.matchAll(/[\w.-]+/g)];
    if (words.length === 0) return pick(SCRAPS, draw);
    const { index, 0: word } = pick(words, draw);
    return replaced(text, index, word.length, pick(SCRAPS, draw));
  },
  function characterReplaced(text, draw) {
    const code = pick([draw(128), draw(0x300), draw(0x10000)], draw);
    return replaced(text, draw(text.length + 1), 1, String.fromCharCode(code));
  },
  function lost(text, draw) {
    return replaced(text, draw(text.length + 1), 1 + draw(10), '');
  },
  function cutShort(text, draw) {
    return text.slice(0, draw(text.length + 1));
  },
  function partRepeated(text, draw) {
    const from = draw(text.length + 1);
    const part = text.slice(from, from + 1 + draw(20));
    return replaced(text, from, 0, part.repeat(1 + draw(draw(5) === 0 ? 300 : 4)));
  },
  function partMoved(text, draw) {
    const from = draw(text.length + 1);
    const part = text.slice(from, from + 1 + draw(30));
    const rest = replaced(text, from, part.length, '');
    return replaced(rest, draw(rest.length + 1), 0, part);
  },
];

function replaced(text: string, at: number, length: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + length);
}

/** Placeholder values for text that JSON and YAML serializers cannot write. */
const RAW: Readonly<Record<string, string>> = {
  '@raw-deep-list': `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  '@raw-deep-object': `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  '@raw-infinity': '1e999',
  '@raw-surrogate': '"\\ud800"',
  '@raw-twice': '{"a":1,"a":2,"__proto__":{"polluted":true},"constructor":{"prototype":1}}',
  '@raw-undefined': 'undefined',
};

/** A node of a tree and its parent. */
interface Spot {
  readonly holder: unknown[] | Record<string, unknown>;
  readonly key: string | number;
}

/** Returns JSON or YAML with a changed tree, sometimes also with changed text. */
function mutatedTree(text: string, form: 'json' | 'yaml', other: Buffer, draw: Draw): string {
  if (draw(5) === 0) return mutatedText(text, draw);
  const documents = form === 'json' ? [text] : text.split('---\n');
  const at = draw(documents.length);
  const root = { '': load(documents[at]!) };
  const otherRoot = { '': load(pick(other.toString().split('---\n'), draw)) };
  for (let times = 1 + draw(3); times > 0; times--)
    pick(TREE_CHANGES, draw)(root, spotsIn(root), spotsIn(otherRoot), draw);
  const written =
    form === 'json' || draw(3) === 0
      ? JSON.stringify(root[''], undefined, pick([undefined, 2], draw))
      : dump(root[''], { noRefs: true, lineWidth: -1 });
  const whole = documents.with(at, `${withRaw(written ?? '')}\n`).join('---\n');
  return draw(6) === 0 ? mutatedText(whole, draw) : whole;
}

function withRaw(written: string): string {
  return written.replaceAll(/(["']?)(@raw-[a-z-]+)\1/g, (_, __, name: string) => RAW[name] ?? '');
}

function spotsIn(holder: Spot['holder']): readonly Spot[] {
  const keys = Array.isArray(holder) ? [...holder.keys()] : Object.keys(holder);
  return keys.flatMap((key) => {
    const child = (holder as Record<string | number, unknown>)[key];
    const below = isHolder(child) ? spotsIn(child) : [];
    return [{ holder, key }, ...below];
  });
}

function isHolder(value: unknown): value is Spot['holder'] {
  return typeof value === 'object' && value !== null;
}

function get({ holder, key }: Spot): unknown {
  return (holder as Record<string | number, unknown>)[key];
}

/** Defines the property instead of assigning it, so that `__proto__` is a plain key. */
function set({ holder, key }: Spot, value: unknown): void {
  Object.defineProperty(holder, key, {
    value: structuredClone(value),
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

type TreeChange = (
  root: Spot['holder'],
  spots: readonly Spot[],
  others: readonly Spot[],
  draw: Draw,
) => void;

const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e21,
  '',
  [],
  {},
  [[]],
  [null],
  { '': '' },
  { a: { b: ['c'] } },
  Array.from({ length: 1500 }, (_, i) => i),
  ...Object.keys(RAW),
];

const TREE_CHANGES: readonly TreeChange[] = [
  function valueReplaced(_root, spots, _others, draw) {
    set(pick(spots, draw), draw(2) === 0 ? pick(VALUES, draw) : pick(SCRAPS, draw));
  },
  function textChanged(_root, spots, _others, draw) {
    const texts = spots.filter((spot) => typeof get(spot) === 'string');
    if (texts.length === 0) return;
    const spot = pick(texts, draw);
    set(spot, mutatedText(get(spot) as string, draw));
  },
  function keyReplaced(_root, spots, _others, draw) {
    const { holder, key } = pick(spots, draw);
    if (Array.isArray(holder) || key === '') return;
    const value = holder[key];
    delete holder[key];
    set({ holder, key: pick([...SCRAPS, `${key}x`, String(key).toUpperCase()], draw) }, value);
  },
  function removed(_root, spots, _others, draw) {
    const { holder, key } = pick(spots, draw);
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else if (key !== '') delete holder[key];
  },
  function repeated(_root, spots, _others, draw) {
    const items = spots.filter(({ holder }) => Array.isArray(holder));
    if (items.length === 0) return;
    const { holder, key } = pick(items, draw);
    const item = structuredClone((holder as unknown[])[Number(key)]);
    (holder as unknown[]).splice(
      Number(key),
      0,
      ...Array.from({ length: 1 + draw(3) }, () => item),
    );
  },
  function swapped(_root, spots, _others, draw) {
    const [a, b] = [pick(spots, draw), pick(spots, draw)];
    const value = structuredClone(get(a));
    set(a, get(b));
    set(b, value);
  },
  function transplanted(_root, spots, others, draw) {
    set(pick(spots, draw), get(pick(others, draw)));
  },
  function wrapped(_root, spots, _others, draw) {
    const spot = pick(spots, draw);
    set(spot, draw(2) === 0 ? [get(spot)] : { [pick(SCRAPS, draw)]: get(spot) });
  },
  function added(_root, spots, others, draw) {
    const holders = spots.map(get).filter((value) => isHolder(value));
    if (holders.length === 0) return;
    const holder = pick(holders, draw);
    const value = draw(2) === 0 ? pick(VALUES, draw) : get(pick(others, draw));
    set({ holder, key: Array.isArray(holder) ? holder.length : pick(SCRAPS, draw) }, value);
  },
];

function mutatedBytes(bytes: Buffer, other: Buffer, draw: Draw): Buffer {
  let mutated: Buffer = Buffer.from(bytes);
  for (let times = 1 + draw(4); times > 0; times--)
    mutated = pick(BYTE_CHANGES, draw)(mutated, other, draw);
  return mutated;
}

const BYTE_CHANGES: readonly ((bytes: Buffer, other: Buffer, draw: Draw) => Buffer)[] = [
  function byteReplaced(bytes, _other, draw) {
    if (bytes.length > 0)
      bytes[draw(bytes.length)] = pick([0, 0x20, 0x7f, 0x80, 0xff, draw(256)], draw);
    return bytes;
  },
  function bitFlipped(bytes, _other, draw) {
    if (bytes.length > 0) bytes[draw(bytes.length)]! ^= 1 << draw(8);
    return bytes;
  },
  function cutShort(bytes, _other, draw) {
    return bytes.subarray(0, draw(bytes.length + 1));
  },
  function lost(bytes, _other, draw) {
    return spliced(bytes, draw(bytes.length + 1), 1 + draw(600), Buffer.alloc(0));
  },
  function scrapInserted(bytes, _other, draw) {
    return spliced(bytes, draw(bytes.length + 1), 0, Buffer.from(pick(SCRAPS, draw)));
  },
  function partRepeated(bytes, _other, draw) {
    const from = draw(bytes.length + 1);
    const part = bytes.subarray(from, from + 1 + draw(600));
    return spliced(bytes, from, 0, Buffer.concat(Array.from({ length: 1 + draw(20) }, () => part)));
  },
  function zeroes(bytes, _other, draw) {
    const from = draw(bytes.length + 1);
    return Buffer.from(bytes).fill(0, from, Math.min(bytes.length, from + draw(600)));
  },
  function joined(bytes, other) {
    return Buffer.concat([bytes, other]);
  },
  function crossed(bytes, other, draw) {
    const at = draw(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), other.subarray(Math.min(at, other.length))]);
  },
];

function spliced(bytes: Buffer, at: number, length: number, by: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + length)]);
}

function pick<T>(from: readonly T[], draw: Draw): T {
  return from[draw(from.length)]!;
}
