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

type Entry = Block & { readonly entry: BlockEntry };

/**
 * Cuts mappings that are compared with each other: the old with the new one, and where served
 * versions are, each version's with the others'. undefined: one of them is not plain to see.
 */
function cutMappings(
  blocks: readonly OldAndNew<Block>[],
  place: Place,
): readonly KeptOfBoth[] | undefined {
  const found = blocks.map(({ old, fresh }) => ({ old: mapped(old), fresh: mapped(fresh) }));
  const mappings = found.flatMap(sidesOf);
  if (mappings.some(({ entries }) => entries === undefined)) return undefined;
  const isLopsided = blocks.some(({ old, fresh }) => (old === undefined) !== (fresh === undefined));
  const keys = new Set(mappings.flatMap(({ entries }) => [...entries!.keys()]));
  const decided = new Map<string, readonly KeptOfBoth[]>();
  for (const key of keys) {
    const at = found.map(({ old, fresh }) => ({
      old: entryOf(old, key),
      fresh: entryOf(fresh, key),
    }));
    decided.set(key, cutEntries(at, { key, place, isLopsided, everywhere: mappings.length }));
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
  if (block === undefined) return undefined;
  const entries = block.lines.entries(block);
  return { block, entries: entries && new Map(entries.map((entry) => [entry.key, entry])) };
}

function entryOf(mapping: Mapping | undefined, key: string): Entry | undefined {
  const entry = mapping?.entries?.get(key);
  return entry && { ...mapping!.block, entry };
}

/** Those of two that are there. */
function sidesOf<T>({ old, fresh }: OldAndNew<T>): T[] {
  return [old, fresh].filter((side): side is T & {} => side !== undefined);
}

/** Of a definition, what is compared by no rule. */
const LEFT_OUT = new Set(['metadata', 'status']);

/** A key of mappings that are compared with each other. */
interface Key {
  readonly key: string;
  readonly place: Place;
  /** How many of the mappings there are. */
  readonly everywhere: number;
  /** Of a version, only the old or the new has the mapping at all. */
  readonly isLopsided: boolean;
}

function cutEntries(entries: readonly OldAndNew<Entry>[], at: Key): readonly KeptOfBoth[] {
  const { key, place } = at;
  const all = entries.flatMap(sidesOf);
  if (place === 'root' && LEFT_OUT.has(key)) return entries.map(() => NOTHING);
  if (isAlike(entries, at)) {
    return all.some(isTelling) ? entries.map(wholes) : entries.map(() => NOTHING);
  }
  const isAlone = all.length === 1 && (place === 'fields' || key === 'schema');
  if (isAlone && !isTelling(all[0]!)) return entries.map((each) => headed(each, NOTHING));
  const values = entries.map(({ old, fresh }) => ({ old: valueOf(old), fresh: valueOf(fresh) }));
  if (all.length === 1 || values.flatMap(sidesOf).length < all.length) return entries.map(wholes);
  const inside =
    place === 'spec' && key === 'versions'
      ? cutVersions(values[0]!)
      : cutMappings(values, placeBelow(place, key));
  return entries.map((each, i) => (inside === undefined ? wholes(each) : headed(each, inside[i]!)));
}

const NOTHING: KeptOfBoth = { old: [], fresh: [] };

/** Whether nothing that is compared differs: old and new, and what only one of them has with all. */
function isAlike(entries: readonly OldAndNew<Entry>[], { everywhere, isLopsided }: Key): boolean {
  if (!isLopsided) {
    return entries.every(({ old, fresh }) => (old && textOf(old)) === (fresh && textOf(fresh)));
  }
  const all = entries.flatMap(sidesOf);
  return all.length === everywhere && all.every((entry) => textOf(entry) === textOf(all[0]!));
}

function textOf({ lines, entry }: Entry): string {
  return lines.text.slice(entry.start, entry.end);
}

function wholes({ old, fresh }: OldAndNew<Entry>): KeptOfBoth {
  const whole = (side: Entry | undefined): Kept[] =>
    side ? [{ start: side.entry.start, end: side.entry.end, indent: side.indent }] : [];
  return { old: whole(old), fresh: whole(fresh) };
}

function headed({ old, fresh }: OldAndNew<Entry>, inside: KeptOfBoth): KeptOfBoth {
  const head = (side: Entry | undefined, kept: readonly Kept[]): Kept[] =>
    side
      ? [{ start: side.entry.start, end: headEnd(side), indent: side.indent, inside: kept }]
      : [];
  return { old: head(old, inside.old), fresh: head(fresh, inside.fresh) };
}

/** A value beside its key may go on below it. */
function headEnd({ entry }: Entry): number {
  return entry.value === entry.eol ? entry.eol : entry.end;
}

/** Keys whose values bear on others wherever they stand. */
const TELLING = new Set(['default', 'claimNames']);

/** Whether an entry that stays as it is bears on what changes beside it. */
function isTelling(entry: Entry): boolean {
  const { key } = entry.entry;
  if (key === 'description') return false;
  const value = valueOf(entry);
  if (value === undefined || TELLING.has(key)) return true;
  // A field that becomes required is harmless if it has a default.
  return textOf(entry).includes(`\n${' '.repeat(value.indent)}default:`);
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
  const kept = (side: keyof KeptOfBoth, dash: number) =>
    cut.flatMap((parts) => parts[side].map((part, i) => (i === 0 ? { ...part, dash } : part)));
  return [{ old: kept('old', old!.indent), fresh: kept('fresh', fresh!.indent) }];
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
    cut.add(before, start, end);
    inside?.forEach(write);
  };
  parts.forEach(write);
  return cut;
}
