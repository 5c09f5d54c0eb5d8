import { isAbsolute, relative } from 'node:path';
import type { SomeArgs } from './project.js';
import { byCodePoint, type Shard } from '../../base/collections.js';
import { sha256 } from '../../base/digest.js';
import { InputError } from '../../base/errors.js';
import type { AnyCommand } from '../kit/command.js';
import type { shard, Static } from '../kit/json-schema.js';
import { camelCase } from '../arguments/parser.js';
import { toolVersion } from '../terminal/environment.js';
import type { RunIo } from '../terminal/io.js';

/** The shard and run of a document. */
export interface PartShard extends Static<typeof shard> {
  /** Number of projects in all shards; undefined for a run on one project. */
  readonly sets?: number | undefined;
}

/** Flags that may differ between machines or do not change the answer. File contents are compared instead of names. */
const IGNORED_FLAGS = new Set([
  'each',
  'shard',
  'file',
  'output',
  'format',
  'explain',
  'trace',
  'concurrency',
  'timeout',
  'cache',
  'pullSecret',
]);

interface ShardedRun {
  readonly name: string;
  readonly command: Pick<AnyCommand, 'flags' | 'positionals'>;
  readonly args: SomeArgs;
  /** Contents of the files, in an order that is equal on every machine. */
  readonly inputs: readonly unknown[];
}

/** Returns what all shards of a run share, wherever the folders of their machines are. */
export function shardRequest(
  { name, command, args, inputs }: ShardedRun,
  { cwd }: Pick<RunIo, 'cwd'>,
): Omit<PartShard, keyof Shard | 'sets'> {
  const names = Object.keys({ ...command.flags, ...command.positionals })
    .map(camelCase)
    .filter((flag) => !IGNORED_FLAGS.has(flag))
    .sort(byCodePoint);
  const flags = names.map((flag) => [flag, withRelativePaths(args[flag], cwd)]);
  return {
    command: name,
    tool: toolVersion(),
    flags: sha256(JSON.stringify(flags)),
    inputs: sha256(JSON.stringify(inputs)),
  };
}

/** An absolute path in a value, alone or after `dir:` or `NAME=`. */
const ABSOLUTE = /^(?<before>|.*?[:=])(?<path>\/(?!\/).*)$/s;

/** Returns a value without machine-specific folders: paths in the working folder are relative, others are omitted. */
export function withRelativePaths(value: unknown, cwd: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withRelativePaths(each, cwd));
  const { before = '', path } = (typeof value === 'string' && ABSOLUTE.exec(value)?.groups) || {};
  if (path === undefined) return value;
  const inside = relative(cwd, path);
  return before + (inside.startsWith('..') || isAbsolute(inside) ? '' : inside);
}

/** More machines than any CI provides for one job. */
export const MAX_SHARDS = 10_000;

/** Parses a shard such as `2/5`; without a text, it is the whole work. Throws if it is invalid. */
export function parseShard(text: string | undefined): Shard {
  if (text === undefined) return { index: 1, of: 1 };
  const [, index = NaN, of = NaN] = (/^(\d{1,5})\/(\d{1,5})$/.exec(text) ?? []).map(Number);
  if (index >= 1 && index <= of && of <= MAX_SHARDS) return { index, of };
  throw new InputError(`\`--shard ${text}\` is no part of a whole`, {
    hint: 'write `2/5` for the second of five parts',
  });
}
