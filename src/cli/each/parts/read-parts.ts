import { readText } from '../../../inputs/input-files.js';
import { InputError } from '../../../model/input-error.js';
import type { Origin } from '../../../model/package.js';
import { isMapping, type JsonObject, type JsonValue } from '../../../text/json.js';
import type { Io } from '../../io/io.js';
import type { PartShard } from './asked.js';
import {
  aCount,
  havingFields,
  everyField,
  eachOf,
  aNumber,
  anyOf,
  someOf,
  aText,
  type PartShape,
} from './part-shape.js';
import { MAX_SHARDS } from './shard.js';

/** A document that a part of a run printed, and where it stands. */
export interface PartDocument {
  readonly origin: Origin;
  readonly shard: PartShard;
  /** As the command prints it for a part, checked. */
  readonly document: JsonObject;
}

/** Of one file: lines of 500 sets take a few megabytes. */
const MAX_PART_BYTES = 1024 * 1024 * 1024;

/** What the parts of one run printed, a file each; throws where they are not of one run. */
export async function readParts(
  files: readonly string[],
  io: Pick<Io, 'cwd'>,
): Promise<readonly PartDocument[]> {
  const parts: PartDocument[] = [];
  for (const file of files) parts.push(...(await partsIn(file, io)));
  const [first, ...others] = parts;
  if (first === undefined) throw new InputError('no file holds anything to merge');
  for (const other of others) refuseOtherRun(first, other);
  return parts;
}

/** The documents in a file: one, or one in each line. */
async function partsIn(file: string, { cwd }: Pick<Io, 'cwd'>): Promise<readonly PartDocument[]> {
  const whole = await readText(file, cwd, MAX_PART_BYTES);
  const texts = whole.startsWith('{\n') ? [whole] : whole.split('\n').filter((line) => line !== '');
  return texts.map((each, i) => {
    const origin = { file, line: i + 1 };
    const document = parsed(each);
    if (!isMapping(document)) {
      throw new InputError('is not JSON that a command printed', { origin });
    }
    if (document['shard'] !== undefined) {
      return { origin, shard: checkedShard(document, origin), document };
    }
    if (document['status'] === 'error') {
      throw new InputError('is of a part that failed', { origin, hint: 'run that part again' });
    }
    throw new InputError('is not of a part: it has no `shard`', {
      origin,
      hint: 'merge what was printed with `--shard` and `-o json`',
    });
  });
}

function parsed(json: string): JsonValue | undefined {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    return undefined;
  }
}

const isShard = havingFields({ index: aCount, of: aCount, 'sets?': aCount });
const saysWhatWasAsked = havingFields({ command: aText, tool: aText, flags: aText, inputs: aText });

/** The `shard` of a document which is as its command prints it; throws where it is not. */
function checkedShard(document: JsonObject, origin: Origin): PartShard {
  const departs = isShard(document['shard'], 'shard');
  if (departs !== undefined) throw malformed(departs, origin);
  if (saysWhatWasAsked(document['shard'], 'shard') !== undefined) {
    throw new InputError('does not say of which run it is a part', {
      origin,
      hint: 'an older xpkg-resolve printed it: run every part again with this one',
    });
  }
  const shard = document['shard'] as unknown as PartShard; // checked above
  if (shard.index < 1 || shard.index > shard.of || shard.of > MAX_SHARDS) {
    throw malformed('shard.index', origin);
  }
  const shapes = shard.sets === undefined ? WHOLES : LINES;
  const shape = shapes.get(shard.command);
  const place = shape === undefined ? 'shard.command' : shape(document, '');
  if (place !== undefined) throw malformed(place, origin);
  return shard;
}

function malformed(place: string, origin: Origin): InputError {
  const what = place === '' ? 'it' : `\`${place}\``;
  return new InputError(`is not what a part prints: ${what} is missing, or of another kind`, {
    origin,
    hint: 'merge what was printed with `--shard` and `-o json`, as it is',
  });
}

const LINE = { set: aText, exitCode: anyOf([0, 1, 2, 3, 4, 5, 6, 7]), headline: aText };

const ROW = havingFields({
  from: aText,
  to: aText,
  releases: someOf(aText),
  status: anyOf(['solved', 'unsolvable', 'gave-up']),
  'packages?': eachOf(havingFields({ source: aText, version: aText })),
  'reason?': aText,
  'core?': eachOf(havingFields({ 'demand?': havingFields({ by: aText, on: aText }) })),
});

const OUTDATED = havingFields({
  source: aText,
  version: aText,
  'fits?': aText,
  newest: aText,
  'heldBy?': aText,
  'takes?': aText,
});

const FINDING = havingFields({
  rule: aText,
  severity: anyOf(['info', 'warning', 'error']),
  file: aText,
  'line?': aCount,
  text: aText,
  'fix?': aText,
});

/** Lines of sets by command, with what is printed of them as aText; a set that failed has none of it. */
const LINES: ReadonlyMap<string, PartShape> = new Map([
  ...['resolve', 'verify', 'update', 'render'].map((name) => [name, havingFields(LINE)] as const),
  ['matrix', havingFields({ ...LINE, 'rows?': eachOf(ROW) })],
  ['outdated', havingFields({ ...LINE, 'packages?': eachOf(OUTDATED) })],
  ['lint', havingFields({ ...LINE, 'crossplane?': aText, 'findings?': eachOf(FINDING) })],
]);

const CHOICES = eachOf(
  havingFields({ 'source?': aText, 'version?': aText, 'local?': aText, 'crd?': aText }),
);
const EXAMPLE = { foundAt: aCount, packages: CHOICES, crossplane: aText };

const FUZZ = havingFields({
  seed: aNumber,
  runs: aCount,
  gaveUp: aCount,
  releases: eachOf(aText),
  varied: eachOf(havingFields({ source: aText, versions: aCount })),
  breakages: eachOf(
    havingFields({
      ...EXAMPLE,
      brokenOn: eachOf(aText),
      explanation: aText,
      replay: aText,
      others: eachOf(havingFields(EXAMPLE)),
    }),
  ),
  notes: eachOf(aText),
});

/** Documents about one set, by command. */
const WHOLES: ReadonlyMap<string, PartShape> = new Map([
  ['matrix', havingFields({ rows: eachOf(ROW), stats: everyField(aNumber) })],
  ['fuzz', FUZZ],
]);

/** Throws where two documents cannot be of one run. */
function refuseOtherRun(a: PartDocument, b: PartDocument): void {
  const [one, other] = [a.shard, b.shard];
  const { origin } = b;
  if (one.command !== other.command) {
    throw new InputError(`parts of \`${one.command}\` and of \`${other.command}\` are no one run`, {
      origin,
    });
  }
  if ((one.sets === undefined) !== (other.sets === undefined)) {
    throw new InputError('parts with `--each` and without are no one run', { origin });
  }
  if (one.of !== other.of) {
    throw new InputError(`parts of ${one.of} and parts of ${other.of} are no one run`, { origin });
  }
  if (one.tool !== other.tool) {
    throw new InputError(`parts by xpkg-resolve ${one.tool} and by ${other.tool} are no one run`, {
      origin,
      hint: 'give every machine the same version',
    });
  }
  if (a.document['seed'] !== b.document['seed'] && one.command === 'fuzz') {
    throw new InputError('parts with different seeds are no one run', {
      origin,
      hint: 'give every part the same `--seed`',
    });
  }
  if (one.flags !== other.flags) {
    throw new InputError('parts with different flags or arguments are no one run', {
      origin,
      hint: `it was not asked what \`${a.origin.file}\` was: give every part the same, but for \`--shard\``,
    });
  }
  if (one.inputs !== other.inputs || one.sets !== other.sets) {
    throw new InputError('parts of different files are no one run', {
      origin,
      hint: `what is asked for is not what it is in \`${a.origin.file}\`: run every part on the same commit`,
    });
  }
}
