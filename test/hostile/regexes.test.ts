import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyse } from 'scslre';
import { expect, test, vi } from 'vitest';
import { parseAst } from 'vitest/node';
import { INDEX_SCHEMA } from '../../src/sources/index/index-file.js';
import { LOCKFILE_SCHEMA } from '../../src/project/lockfile/lockfile-schema.js';
import { recordFigure } from '../support/figures.js';

const SRC = join(import.meta.dirname, '../../src');
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .sort();

interface Expression {
  readonly source: string;
  readonly flags: string;
}

/** Expressions that are created in functions, so that importing the module does not create them. */
const MADE_IN_FUNCTIONS: Readonly<Record<string, string>> = {
  'base/yaml/go-yaml-syntax.ts': String.raw`([\u2028\u2029]) {3}`,
  'base/yaml/go-yaml.ts': String.raw`(?<![^ \t\n])[\u2028\u2029]|[\u2028\u2029](?![\u2028\u2029]|\n? {3}[^\n\u2028\u2029])`,
  'oci/store/layout-writer.ts': String.raw`^([0-9a-f]{8}-[0-9]{1,10})\.[0-9a-f]{12}\.new(?:\.old)?$`,
};

/** Returns reasons why an expression may need more than linear time. */
function slowWays({ source, flags }: Expression): readonly string[] {
  const { reports } = analyse({ source, flags });
  return reports.map(({ type }) => `${type} in /${source}/${flags}`);
}

type Node = Readonly<Record<string, unknown>>;

function* nodesIn(
  value: unknown,
  inFunction = false,
): Generator<{ node: Node; inFunction: boolean }> {
  if (typeof value !== 'object' || value === null) return;
  const node = value as Node;
  const isFunction = typeof node['type'] === 'string' && /Function/.test(node['type']);
  if (typeof node['type'] === 'string') yield { node, inFunction };
  for (const child of Object.values(node)) yield* nodesIn(child, inFunction || isFunction);
}

function syntaxOf(file: string) {
  const program = parseAst(readFileSync(join(SRC, file), 'utf8'), { lang: 'ts' }, file);
  return [...nodesIn(program)];
}

test('every regular expression needs linear time for any text', () => {
  const expressions = FILES.flatMap((file) =>
    syntaxOf(file).flatMap(({ node }) =>
      node['regex'] === undefined ? [] : [node['regex'] as { pattern: string; flags: string }],
    ),
  );
  expect(expressions.length).toBeGreaterThan(150);
  recordFigure('regular expressions held to linear time', { tried: expressions.length });
  const slow = expressions.flatMap(({ pattern, flags }) => slowWays({ source: pattern, flags }));
  expect(slow).toEqual([]);
});

test('so does every expression that is composed from parts', async () => {
  const made: Expression[] = [];
  const Real = globalThis.RegExp;
  const Recording = new Proxy(Real, {
    construct: (target, [source, flags]: [string, string?]) => {
      const expression = new target(source, flags);
      made.push({ source: expression.source, flags: expression.flags });
      return expression;
    },
  });
  // The package `semver` makes expressions, too. They are not ours, so it is loaded before.
  await import('semver');
  vi.resetModules();
  try {
    globalThis.RegExp = Recording;
    for (const file of constructing((inFunction) => !inFunction)) await import(join(SRC, file));
  } finally {
    globalThis.RegExp = Real;
  }
  expect(made.length).toBeGreaterThan(8);
  expect(constructing((inFunction) => inFunction)).toEqual(Object.keys(MADE_IN_FUNCTIONS));
  const own = Object.values(MADE_IN_FUNCTIONS).map((source) => ({ source, flags: '' }));
  recordFigure('regular expressions held to linear time', { tried: made.length + own.length });
  expect([...made, ...own].flatMap(slowWays)).toEqual([]);
});

/** Returns files that create an expression at module level, or in a function. */
function constructing(where: (inFunction: boolean) => boolean): readonly string[] {
  const files = FILES.filter((file) => readFileSync(join(SRC, file), 'utf8').includes('RegExp('));
  return files.filter((file) =>
    syntaxOf(file).some(({ node, inFunction }) => {
      const callee = node['callee'] as Node | undefined;
      return node['type'] === 'NewExpression' && callee?.['name'] === 'RegExp' && where(inFunction);
    }),
  );
}

test('so do the patterns of JSON Schemas', () => {
  const patterns = [INDEX_SCHEMA, LOCKFILE_SCHEMA]
    .flatMap((schema) => JSON.stringify(schema).match(/(?<="pattern":)"(?:[^"\\]|\\.)*"/g) ?? [])
    .map((json) => ({ source: JSON.parse(json) as string, flags: 'u' }));
  expect(patterns.length).toBeGreaterThan(0);
  recordFigure('regular expressions held to linear time', { tried: patterns.length });
  expect(patterns.flatMap(slowWays)).toEqual([]);
});
