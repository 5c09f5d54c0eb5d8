import { isAbsolute, relative } from 'node:path';
import type { Shard } from '../../../model/parts/shard.js';
import { byCodePoint } from '../../../text/code-point-order.js';
import { sha256 } from '../../../text/digest.js';
import type { AnyCommand } from '../../command.js';
import type { Io } from '../../io/io.js';
import { toolVersion } from '../../io/tool-version.js';
import type { SomeArgs } from '../set-args.js';

/** What was asked of all parts of a run alike. */
export interface Asked {
  readonly command: string;
  /** Version of xpkg-resolve. */
  readonly tool: string;
  /** Digest of flags and arguments that change the answer. */
  readonly flags: string;
  /** Digest of what files say. */
  readonly inputs: string;
}

/** Which part of a run a document is of, and of which run. */
export interface PartShard extends Shard, Asked {
  /** How many sets all parts have together; undefined: the run is about one. */
  readonly sets?: number | undefined;
}

/** What a machine may have of its own, and what changes no answer; what files say is compared instead of their names. */
const NOT_ASKED = new Set([
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

interface AskedOptions {
  readonly name: string;
  readonly command: Pick<AnyCommand, 'flags' | 'positionals'>;
  readonly args: SomeArgs;
  /** What files say, in an order that every machine has. */
  readonly inputs: readonly unknown[];
}

/** The same on every machine that does a part of one run, wherever its folders are. */
export function askedOf(
  { name, command, args, inputs }: AskedOptions,
  { cwd }: Pick<Io, 'cwd'>,
): Asked {
  const names = Object.keys({ ...command.flags, ...command.positionals })
    .map((flag) => flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    .filter((flag) => !NOT_ASKED.has(flag))
    .sort(byCodePoint);
  const flags = names.map((flag) => [flag, portable(args[flag], cwd)]);
  return {
    command: name,
    tool: toolVersion(),
    flags: sha256(JSON.stringify(flags)),
    inputs: sha256(JSON.stringify(inputs)),
  };
}

/** An absolute path in a value, alone or after `dir:` or `NAME=`. */
const ABSOLUTE = /^(?<before>|.*?[:=])(?<path>\/(?!\/).*)$/s;

/** A value without the folders that a machine has for itself: paths in the working folder begin there, others are left out. */
export function portable(value: unknown, cwd: string): unknown {
  if (Array.isArray(value)) return value.map((each) => portable(each, cwd));
  const { before = '', path } = (typeof value === 'string' && ABSOLUTE.exec(value)?.groups) || {};
  if (path === undefined) return value;
  const inside = relative(cwd, path);
  return before + (inside.startsWith('..') || isAbsolute(inside) ? '' : inside);
}
