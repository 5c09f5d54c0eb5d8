import { CutText } from './cut-text.js';
import { BlockLines, type Block, type BlockEntry } from './block-lines.js';

/** Two documents of one definition without what both say alike. */
export interface DifferingParts {
  readonly old: CutText;
  readonly fresh: CutText;
}

/** With anchors, aliases, tags and merges a part means what another part says. */
const REFERRING = /^[ ]*(?:- )*(?:[\w$./-]+:[ ]+[&*!]\S|<<:|[&*!][\w-]+[ ]*$)/m;
/** One of these is in every text that the expression matches, and is found sooner. */
const MARKS = [': &', ': *', ': !', ':  ', '- &', '- *', '- !', '<<:'];
const CONVERTED = ' strategy: Webhook';

/**
 * Leaves out of two CRDs, XRDs or MRDs what is the same in both, and metadata, which a comparison of
 * them does not look at. undefined: only a parser can tell what is.
 *
 * Parsing takes ten times as long as reading the names of a package, and of a new version of a
 * provider most is as before.
 */
export function differingParts(old: string, fresh: string): DifferingParts | undefined {
  if ([old, fresh].some(isReferring)) return undefined;
  const root = { old: rootOf(old), fresh: rootOf(fresh) };
  if (root.old === undefined || root.fresh === undefined) return undefined;
  const parts = cutMappings([root], 'root')?.[0];
  return parts && { old: written(old, parts.old), fresh: written(fresh, parts.fresh) };
}

function isReferring(text: string): boolean {
  return MARKS.some((mark) => text.includes(mark)) && REFERRING.test(text);
}

/** What stands at one place of the old and the new document; undefined: nothing does. */
interface OldAndNew<T> {
  readonly old?: T | undefined;
  readonly fresh?: T | undefined;
}

/** A part that is kept: whole, or its first line and some parts of the lines below. */
interface Kept {
  readonly start: number;
  readonly end: number;
  readonly indent: number;
  readonly inside?: readonly Kept[] | undefined;
  /** Of an item of a list: its dash stands so deep. */
  readonly dash?: number | undefined;
}

interface KeptOfBoth {
  readonly old: readonly Kept[];
  readonly fresh: readonly Kept[];
}

/** What a mapping is: a schema or its fields, what is above them, or something else. */
type Place = 'root' | 'spec' | 'version' | 'holder' | 'schema' | 'fields' | 'else';

/** What the value of a key is, by what it is a key of. */
function placeBelow(place: Place, key: string): Place {
  if (place === 'fields') return 'schema';
  return BELOW[place]?.[key] ?? 'else';
}

const BELOW: Readonly<Partial<Record<Place, Readonly<Record<string, Place>>>>> = {
  root: { spec: 'spec' },
  version: { schema: 'holder' },
  holder: { openAPIV3Schema: 'schema' },
  schema: { properties: 'fields', items: 'schema', additionalProperties: 'schema' },
};

function rootOf(text: string): Block | undefined {
  const lines = new BlockLines(text);
  const root = lines.block(/^---[ ]*\n/.test(text) ? 1 : 0, lines.count);
  return root?.indent === 0 ? root : undefined;
}

/** An entry of a mapping, and how deep that stands. */
interface Entry {
  readonly lines: BlockLines;
  readonly indent: number;
  readonly entry: BlockEntry;
}

/**
 * Cuts mappings that are compared with each other: the old with the new one, and where served
 * versions are, each version's with the others'. undefined: one of them is not plain to see.
 */
function cutMappings(
  blocks: readonly OldAndNew<Block>[],
  place: Place,
  requiredDiffers = false,
): readonly KeptOfBoth[] | undefined {
  const found = blocks.map(({ old, fresh }) => ({ old: mapped(old), fresh: mapped(fresh) }));
  const mappings = found.flatMap(sidesOf);
  if (mappings.some(({ entries }) => entries === undefined)) return undefined;
  const isLopsided = blocks.some(({ old, fresh }) => (old === undefined) !== (fresh === undefined));
  const keys = new Set(mappings.flatMap(({ entries }) => [...entries!.keys()]));
  const at = (key: string) =>
    found.map(({ old, fresh }) => ({ old: entryOf(old, key), fresh: entryOf(fresh, key) }));
  const all = { place, isLopsided, everywhere: mappings.length };
  // What is required is held against the fields that are.
  const differs =
    place === 'schema' ? keys.has('required') && !isAlike(at('required'), all) : requiredDiffers;
  const decided = new Map<string, readonly KeptOfBoth[]>();
  for (const key of keys) {
    decided.set(key, cutEntries(at(key), { ...all, key, requiredDiffers: differs }));
  }
  return found.map(({ old, fresh }, i) => ({
    old: [...(old?.entries?.keys() ?? [])].flatMap((key) => decided.get(key)![i]!.old),
    fresh: [...(fresh?.entries?.keys() ?? [])].flatMap((key) => decided.get(key)![i]!.fresh),
  }));
}

interface Mapping {
  readonly block: Block;
  /** undefined: it is no mapping that is understood. */
  readonly entries: ReadonlyMap<string, BlockEntry> | undefined;
}

function mapped(block: Block | undefined): Mapping | undefined {
  return block && { block, entries: block.lines.entries(block) };
}

function entryOf(mapping: Mapping | undefined, key: string): Entry | undefined {
  const entry = mapping?.entries?.get(key);
  if (mapping === undefined || entry === undefined) return undefined;
  return { lines: mapping.block.lines, indent: mapping.block.indent, entry };
}

/** Those of two that are there. */
function sidesOf<T>({ old, fresh }: OldAndNew<T>): T[] {
  return [old, fresh].filter((side): side is T & {} => side !== undefined);
}

/** Of a definition, what is compared by no rule. */
const LEFT_OUT = new Set(['metadata', 'status']);

/** Mappings that are compared with each other. */
interface Mappings {
  readonly place: Place;
  /** How many there are. */
  readonly everywhere: number;
  /** Of a version, only the old or the new has the mapping at all. */
  readonly isLopsided: boolean;
}

/** A key of such mappings. */
interface Key extends Mappings {
  readonly key: string;
  /** Of a schema or its fields: what is required is not the same everywhere. */
  readonly requiredDiffers: boolean;
}

function cutEntries(entries: readonly OldAndNew<Entry>[], at: Key): readonly KeptOfBoth[] {
  const { key, place } = at;
  const all = entries.flatMap(sidesOf);
  const wholes = () => entries.map((each) => both(each, whole));
  if (place === 'root' && LEFT_OUT.has(key)) return entries.map(() => NOTHING);
  const isHeld = at.requiredDiffers && place === 'schema' && key === 'properties';
  if (!isHeld) {
    if (isAlike(entries, at)) {
      if (all.some((entry) => isTelling(entry, at))) return wholes();
      // Where a field stands that is required now, or no longer, is told.
      const isNamed = at.requiredDiffers && place === 'fields';
      return entries.map((each) => (isNamed ? both(each, (entry) => head(entry)) : NOTHING));
    }
    if (isSame(all) && all.every((entry) => outlineOf(entry, at) !== undefined)) {
      return entries.map((each) => both(each, (entry) => outlineOf(entry, at)!));
    }
  }
  const values = entries.map(({ old, fresh }) => ({ old: valueOf(old), fresh: valueOf(fresh) }));
  if (all.length === 1 || values.flatMap(sidesOf).length < all.length) return wholes();
  const inside =
    place === 'spec' && key === 'versions'
      ? cutVersions(values[0]!)
      : cutMappings(values, placeBelow(place, key), isHeld);
  if (inside === undefined) return wholes();
  return entries.map(({ old, fresh }, i) => ({
    old: old ? [head(old, inside[i]!.old)] : [],
    fresh: fresh ? [head(fresh, inside[i]!.fresh)] : [],
  }));
}

const NOTHING: KeptOfBoth = { old: [], fresh: [] };

/** Whether nothing that is compared differs: old and new, and what only one of them has with all. */
function isAlike(
  entries: readonly OldAndNew<Entry>[],
  { everywhere, isLopsided }: Mappings,
): boolean {
  if (!isLopsided) {
    return entries.every(({ old, fresh }) => (old && textOf(old)) === (fresh && textOf(fresh)));
  }
  const all = entries.flatMap(sidesOf);
  return all.length === everywhere && isSame(all);
}

function isSame(all: readonly Entry[]): boolean {
  return all.every((entry) => textOf(entry) === textOf(all[0]!));
}

/**
 * What suffices of an entry that some of the mappings have, and all of these alike: no comparison
 * goes into it, so that it is there is all there is to tell. undefined: more is to be told.
 */
function outlineOf(entry: Entry, at: Key): Kept | undefined {
  const { key, place } = at;
  const block = valueOf(entry);
  if (block === undefined || isTelling(entry, at)) return undefined;
  if (place === 'fields' || (key === 'schema' && at.everywhere === 1)) return head(entry);
  if (place !== 'schema') return undefined;
  if (MAPPED.has(key)) return head(entry);
  if (key !== 'properties') return undefined;
  const { lines, indent } = block;
  const fields = [...(lines.entries(block)?.values() ?? [])];
  return head(
    entry,
    fields.map((field) => head({ lines, indent, entry: field })),
  );
}

const MAPPED = new Set(['items', 'additionalProperties']);

function textOf({ lines, entry }: Entry): string {
  return lines.text.slice(entry.start, entry.end);
}

function both({ old, fresh }: OldAndNew<Entry>, cut: (entry: Entry) => Kept): KeptOfBoth {
  return { old: old ? [cut(old)] : [], fresh: fresh ? [cut(fresh)] : [] };
}

function whole({ entry: { start, end }, indent }: Entry): Kept {
  return { start, end, indent };
}

/** A key with some of what is below it; a value beside it is kept as a whole, and may go on below. */
function head(side: Entry, inside: readonly Kept[] = []): Kept {
  const { start, value, eol } = side.entry;
  return value === eol ? { start, end: eol, indent: side.indent, inside } : whole(side);
}

/** Keys whose values bear on others wherever they stand. */
const TELLING = new Set(['default', 'claimNames', 'conversion']);

/** Whether an entry that stays as it is bears on what changes beside it. */
function isTelling(entry: Entry, { place, requiredDiffers }: Key): boolean {
  const { key } = entry.entry;
  if (place === 'fields') return requiredDiffers && hasDefault(entry);
  if (key === 'description') return false;
  return valueOf(entry) === undefined || TELLING.has(key);
}

/** A field that becomes required is harmless if it has a default. */
function hasDefault(field: Entry): boolean {
  const value = valueOf(field);
  if (value === undefined) return true;
  return textOf(field).includes(`\n${' '.repeat(value.indent)}default:`);
}

/** The block below a key; undefined: the value stands beside it. */
function valueOf(entry: Entry | undefined): Block | undefined {
  if (entry === undefined || entry.entry.value !== entry.entry.eol) return undefined;
  return entry.lines.block(entry.entry.from + 1, entry.entry.to);
}

/** Versions are told apart by their names, whatever their order. */
function cutVersions({ old, fresh }: OldAndNew<Block>): readonly KeptOfBoth[] | undefined {
  const [before, after] = [old && versionsOf(old), fresh && versionsOf(fresh)];
  if (before === undefined || after === undefined) return undefined;
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const versions = names.map((name) => ({ old: before.get(name), fresh: after.get(name) }));
  const cut = fresh!.lines.text.includes(CONVERTED)
    ? versions.map((version) => cutMappings([version], 'version')?.[0])
    : cutMappings(versions, 'version');
  if (cut === undefined || !cut.every((parts) => parts !== undefined)) return undefined;
  const cutOf = new Map(names.map((name, i) => [name, cut[i]!]));
  const kept = (side: keyof KeptOfBoth, listed: ReadonlyMap<string, Block>, dash: number) =>
    [...listed.keys()].flatMap((name) =>
      cutOf.get(name)![side].map((part, i) => (i === 0 ? { ...part, dash } : part)),
    );
  return [{ old: kept('old', before, old!.indent), fresh: kept('fresh', after, fresh!.indent) }];
}

/** The versions in a list, each as a mapping; undefined: one has no name that is plain to see. */
function versionsOf(block: Block): ReadonlyMap<string, Block> | undefined {
  const items = block.lines.items(block);
  const versions = new Map<string, Block>();
  for (const item of items ?? []) {
    const name = entryOf(mapped(item), 'name')?.entry;
    if (name === undefined) return undefined;
    versions.set(item.lines.text.slice(name.value, name.eol), item);
  }
  return versions.size === items?.length ? versions : undefined;
}

function written(text: string, parts: readonly Kept[]): CutText {
  const cut = new CutText(text);
  const write = ({ start, end, indent, inside, dash }: Kept) => {
    const before = dash === undefined ? ' '.repeat(indent) : `${' '.repeat(dash)}-`.padEnd(indent);
    cut.add(before, start, end, inside?.length === 0 ? ' {}' : '');
    inside?.forEach(write);
  };
  parts.forEach(write);
  return cut;
}
