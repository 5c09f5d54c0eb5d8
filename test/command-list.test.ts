import { expect, test } from 'vitest';
import type { Flag } from '../src/cli/kit/command.js';
import { COMMANDS } from '../src/commands.js';

const commands = await Promise.all(
  COMMANDS.map(async ({ usage, load }) => ({ usage, name: nameIn(usage), it: await load() })),
);

function nameIn(usage: string): string {
  return usage.split(' ')[0]!;
}

test.each(commands)('$usage names the positional arguments that it declares', ({ usage, it }) => {
  const named = Array.from(usage.matchAll(/[<[](\w+)(?:\.\.)?[>\]]/g), ([, name]) => name);
  expect(named).toEqual(Object.keys(it.positionals));
});

/** What a flag takes, whatever the command says that it is for. */
function shapeOf(options: Flag): string {
  return JSON.stringify({ ...options, coerce: options.coerce?.toString(), describe: undefined });
}

/**
 * Two flags of one name each: a file and a folder; printed as YAML also where people edit what is
 * printed; severities of what is written, and of what a change does; strict of documents and of findings; by default, minutes or hours;
 * signatures to verify, off unless asked for, and to copy, on unless turned off.
 */
const TWO_MEANINGS = ['fail-on', 'out', 'output', 'signatures', 'strict', 'timeout'];

test('a flag takes the same wherever it is', () => {
  const shapes = new Map<string, Set<string>>();
  for (const [name, options] of commands.flatMap(({ it }) => Object.entries(it.flags))) {
    shapes.set(name, (shapes.get(name) ?? new Set()).add(shapeOf(options)));
  }
  const different = [...shapes].filter(([, found]) => found.size > 1).map(([name]) => name);
  expect(different.filter((name) => !TWO_MEANINGS.includes(name))).toEqual([]);
});

test('every flag has a description', () => {
  for (const { it, name } of commands) {
    for (const [flag, { describe }] of Object.entries(it.flags)) {
      expect(describe, `${name} --${flag}`).toMatch(/\w/);
    }
  }
});
