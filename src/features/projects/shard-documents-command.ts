import { InputError, type Origin } from '../../base/errors.js';
import { isMapping, type JsonObject, parseJson } from '../../base/json.js';
import { EXIT } from '../../cli/kit/command.js';
import { MAX_SHARDS, type PartShard } from '../../cli/projects/shards.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { readText } from '../../project/inputs/input-files.js';

/** Returns where a value violates its shape; undefined if it does not. */
type PartShape = (value: unknown, at: string) => string | undefined;

const aText: PartShape = (value, at) => (typeof value === 'string' ? undefined : at);

const aNumber: PartShape = (value, at) => (Number.isFinite(value) ? undefined : at);

/** A whole number, 0 or more. */
const aCount: PartShape = (value, at) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : at;

const anyOf =
  (values: readonly unknown[]): PartShape =>
  (value, at) =>
    values.includes(value) ? undefined : at;

const eachOf =
  (shape: PartShape): PartShape =>
  (value, at) =>
    Array.isArray(value) ? firstOf(value.map((item, i) => shape(item, `${at}[${i}]`))) : at;

/** An object. Its fields are required unless their name ends in `?`; it may have others. */
const havingFields =
  (shapes: Readonly<Record<string, PartShape>>): PartShape =>
  (object, at) => {
    if (!isMapping(object)) return at;
    return firstOf(
      Object.entries(shapes).map(([key, shape]) => {
        const name = key.replace('?', '');
        const value = object[name];
        if (value === undefined && name !== key) return undefined;
        return shape(value, at === '' ? name : `${at}.${name}`);
      }),
    );
  };

function firstOf(places: readonly (string | undefined)[]): string | undefined {
  return places.find((place) => place !== undefined);
}

/** A document that one shard printed, and its position in the file. */
export interface PartDocument {
  readonly origin: Origin;
  readonly shard: PartShard;
  /** The document of a shard, validated. */
  readonly document: JsonObject;
}

/** Maximum size of one file: the lines of 500 projects take a few megabytes. */
const MAX_PART_BYTES = 1024 * 1024 * 1024;

/** Returns the documents of all shards, one for each file. Throws if they are not of one run. */
export async function readParts(
  files: readonly string[],
  io: Pick<RunIo, 'cwd'>,
): Promise<readonly PartDocument[]> {
  const parts: PartDocument[] = [];
  for (const file of files) parts.push(...(await partsIn(file, io)));
  const [first, ...others] = parts;
  if (first === undefined) throw new InputError('no file holds anything to merge');
  for (const other of others) refuseOtherRun(first, other);
  return parts;
}

/** Returns the documents in a file: one, or one in each line. */
async function partsIn(
  file: string,
  { cwd }: Pick<RunIo, 'cwd'>,
): Promise<readonly PartDocument[]> {
  const whole = await readText(file, cwd, MAX_PART_BYTES);
  const texts = whole.startsWith('{\n') ? [whole] : whole.split('\n').filter((line) => line !== '');
  return texts.map((each, i) => {
    const origin = { file, line: i + 1 };
    const document = parseJson(each)?.value;
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

const isShard = havingFields({ index: aCount, of: aCount, 'sets?': aCount });
const hasShardRequest = havingFields({ command: aText, tool: aText, flags: aText, inputs: aText });

/** Returns the `shard` of a document. Throws if the document is invalid. */
function checkedShard(document: JsonObject, origin: Origin): PartShard {
  const invalid = isShard(document['shard'], 'shard');
  if (invalid !== undefined) throw malformedError(invalid, origin);
  if (hasShardRequest(document['shard'], 'shard') !== undefined) {
    throw new InputError('does not say of which run it is a part', {
      origin,
      hint: 'an older xpkg-resolve printed it: run every part again with this one',
    });
  }
  const shard = document['shard'] as unknown as PartShard; // checked above
  if (shard.index < 1 || shard.index > shard.of || shard.of > MAX_SHARDS) {
    throw malformedError('shard.index', origin);
  }
  const shapes = shard.sets === undefined ? WHOLES : LINES;
  const shape = shapes.get(shard.command);
  const place = shape === undefined ? 'shard.command' : shape(document, '');
  if (place !== undefined) throw malformedError(place, origin);
  return shard;
}

function malformedError(place: string, origin: Origin): InputError {
  const what = place === '' ? 'it' : `\`${place}\``;
  return new InputError(`is not what a part prints: ${what} is missing, or of another kind`, {
    origin,
    hint: 'merge what was printed with `--shard` and `-o json`, as it is',
  });
}

const LINE = { set: aText, exitCode: anyOf(Object.values(EXIT)), headline: aText };

/** An object of numbers. */
const NUMBERS: PartShape = (value, at) =>
  isMapping(value)
    ? firstOf(Object.entries(value).map(([name, each]) => aNumber(each, `${at}.${name}`)))
    : at;

const ROW = havingFields({
  from: aText,
  to: aText,
  releases: (value, at) =>
    eachOf(aText)(value, at) ?? ((value as unknown[]).length === 0 ? at : undefined),
  status: anyOf(['solved', 'unsolvable', 'gave-up']),
  'packages?': eachOf(havingFields({ source: aText, version: aText })),
  'reason?': aText,
  'core?': eachOf(havingFields({ 'demand?': havingFields({ by: aText, on: aText }) })),
});

const HELD_BY = havingFields({ text: aText });

const OUTDATED = havingFields({
  source: aText,
  version: aText,
  'fits?': aText,
  newest: aText,
  'heldBy?': (value, at) => (Array.isArray(value) ? eachOf(HELD_BY) : HELD_BY)(value, at),
  'advice?': havingFields({
    text: aText,
    version: aText,
    commands: eachOf(aText),
    effect: havingFields({
      up: aCount,
      down: aCount,
      added: aCount,
      removed: aCount,
      notes: eachOf(aText),
    }),
  }),
});

const FINDING = havingFields({
  rule: aText,
  severity: anyOf(['info', 'warning', 'error']),
  file: aText,
  'line?': aCount,
  text: aText,
  'fix?': aText,
});

/** Checks of the lines of projects, by command. A failed project has no document. */
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

/** Documents about one project, by command. */
const WHOLES: ReadonlyMap<string, PartShape> = new Map([
  ['matrix', havingFields({ rows: eachOf(ROW), stats: NUMBERS })],
  ['fuzz', FUZZ],
]);

/** Throws if two documents are of different runs. */
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
