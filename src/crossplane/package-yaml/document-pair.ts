import { type Block, type BlockEntry, BlockLines, TextExcerpt } from './block-lines.js';
import { type DocumentText, sizeProblem } from './split-documents.js';
import type { JsonValue, Path } from '../../base/json.js';
import { type GoDocument, parseGoYaml } from '../../base/yaml/go-yaml.js';
import { findPlace, lineFinder, placesOf } from '../../base/yaml/positions.js';

/** A parsed document, whole or in part. */
export interface ParsedDocument {
  readonly value: JsonValue;
  /** Returns the line of a path in package.yaml, or that of its nearest parent. */
  lineOf(path: Path): number;
}

/** Two documents of one object, or why Crossplane cannot read one of them. */
export type ParsedPair =
  { readonly old: ParsedDocument; readonly newer: ParsedDocument } | { readonly problem: string };

/** Parsers of two documents of one object, for `diff`. For definitions, `differing` is enough. */
export const documentParser = { differing: parseDiffering, whole: parseWhole };

/** Parses two documents of one definition, without parts that are obviously equal. */
export function parseDiffering(old: DocumentText, newer: DocumentText): ParsedPair {
  const parts = differingParts(old.text, newer.text);
  if (parts !== undefined) {
    const pair = { old: parseDocument(old, parts.old), newer: parseDocument(newer, parts.newer) };
    if ('value' in pair.old && 'value' in pair.newer) return { old: pair.old, newer: pair.newer };
  }
  return parseWhole(old, newer);
}

export function parseWhole(old: DocumentText, newer: DocumentText): ParsedPair {
  const [before, after] = [parseDocument(old), parseDocument(newer)];
  if ('problem' in before) return before;
  return 'problem' in after ? after : { old: before, newer: after };
}

function parseDocument(
  { text, line }: DocumentText,
  cut?: TextExcerpt,
): ParsedDocument | { readonly problem: string } {
  const read = cut?.text ?? text;
  const problem = sizeProblem(read);
  if (problem !== undefined) return { problem };
  const document = parseGoYaml(read);
  if ('error' in document) return { problem: document.error };
  const offsetOf = offsetFinder(document);
  let lineOf: ((offset: number) => number) | undefined;
  return {
    value: document.value,
    lineOf: (path) => {
      const offset = offsetOf(path);
      return line - 1 + (lineOf ??= lineFinder(text))(cut?.offsetOf(offset) ?? offset);
    },
  };
}

/** Builds positions only if an offset is requested. */
function offsetFinder({ source, events }: GoDocument): (path: Path) => number {
  let root: ReturnType<typeof placesOf>;
  return (path) => {
    root ??= placesOf(source, events);
    return root === undefined ? 0 : findPlace(root, path).offset;
  };
}

/** Anchors, aliases, tags and merges, which make a part depend on another part. */
const REFERENCE = /^[ ]*(?:- )*(?:[\w$./-]+:[ ]+[&*!]\S|<<:|[&*!][\w-]+[ ]*$)/m;
/** Every text that `REFERENCE` matches contains one of these, and they are faster to find. */
const MARKS = [': &', ': *', ': !', ':  ', '- &', '- *', '- !', '<<:'];
const WEBHOOK_CONVERSION = ' strategy: Webhook';

/**
 * Removes equal parts and metadata, which comparisons ignore, from two CRDs, XRDs or MRDs. Returns
 * undefined if only a parser can tell what is equal.
 *
 * Parsing takes ten times as long as reading the names of a package, and most of a new provider
 * version is unchanged.
 */
export function differingParts(old: string, newer: string) {
  if ([old, newer].some(hasReferences)) return undefined;
  const root = { old: rootOf(old), newer: rootOf(newer) };
  if (root.old === undefined || root.newer === undefined) return undefined;
  const parts = cutMappings([root], 'root')?.[0];
  return parts && { old: excerpt(old, parts.old), newer: excerpt(newer, parts.newer) };
}

function hasReferences(text: string): boolean {
  return MARKS.some((mark) => text.includes(mark)) && REFERENCE.test(text);
}

/** The values at one place of the old and the new document, if any. */
interface OldAndNew<T> {
  readonly old?: T | undefined;
  readonly newer?: T | undefined;
}

/** A part that stays: as a whole, or its first line and some parts of the lines below. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly indent: number;
  readonly inside?: readonly Part[] | undefined;
  /** Column of the dash, for an item of a list. */
  readonly dash?: number | undefined;
}

interface PartsOfBoth {
  readonly old: readonly Part[];
  readonly newer: readonly Part[];
}

/** The role of a mapping: a schema or its fields, their parents, or something else. */
type MappingRole = 'root' | 'spec' | 'version' | 'holder' | 'schema' | 'fields' | 'else';

function roleBelow(place: MappingRole, key: string): MappingRole {
  if (place === 'fields') return 'schema';
  return ROLES_BELOW[place]?.[key] ?? 'else';
}

const ROLES_BELOW: Readonly<Partial<Record<MappingRole, Readonly<Record<string, MappingRole>>>>> = {
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

/** An entry of a mapping, with its indentation. */
interface Entry {
  readonly lines: BlockLines;
  readonly indent: number;
  readonly entry: BlockEntry;
}

/** Cuts the old and new mappings of all versions that are compared; undefined: needs a parser. */
function cutMappings(
  blocks: readonly OldAndNew<Block>[],
  place: MappingRole,
  requiredDiffers = false,
): readonly PartsOfBoth[] | undefined {
  const found = blocks.map(({ old, newer }) => ({ old: mappingIn(old), newer: mappingIn(newer) }));
  const mappings = found.flatMap(existingSides);
  if (mappings.some(({ entries }) => entries === undefined)) return undefined;
  const hasMissing = blocks.some(({ old, newer }) => (old === undefined) !== (newer === undefined));
  const keys = new Set(mappings.flatMap(({ entries }) => [...entries!.keys()]));
  const at = (key: string) =>
    found.map(({ old, newer }) => ({ old: entryOf(old, key), newer: entryOf(newer, key) }));
  const all = { place, hasMissing, count: mappings.length };
  // `required` is compared with the fields that exist.
  const differs =
    place === 'schema'
      ? keys.has('required') && !isUnchanged(at('required'), all)
      : requiredDiffers;
  const partsByKey = new Map<string, readonly PartsOfBoth[]>();
  for (const key of keys) {
    partsByKey.set(key, cutEntries(at(key), { ...all, key, requiredDiffers: differs }));
  }
  return found.map(({ old, newer }, i) => ({
    old: [...(old?.entries?.keys() ?? [])].flatMap((key) => partsByKey.get(key)![i]!.old),
    newer: [...(newer?.entries?.keys() ?? [])].flatMap((key) => partsByKey.get(key)![i]!.newer),
  }));
}

interface Mapping {
  readonly block: Block;
  /** undefined if it is not a mapping or needs a parser. */
  readonly entries: ReadonlyMap<string, BlockEntry> | undefined;
}

function mappingIn(block: Block | undefined): Mapping | undefined {
  return block && { block, entries: block.lines.entries(block) };
}

function entryOf(mapping: Mapping | undefined, key: string): Entry | undefined {
  const entry = mapping?.entries?.get(key);
  if (mapping === undefined || entry === undefined) return undefined;
  return { lines: mapping.block.lines, indent: mapping.block.indent, entry };
}

function existingSides<T>({ old, newer }: OldAndNew<T>): T[] {
  return [old, newer].filter((side): side is T & {} => side !== undefined);
}

/** Parts of a definition that no rule compares. */
const IGNORED_KEYS = new Set(['metadata', 'status']);

interface Mappings {
  readonly place: MappingRole;
  readonly count: number;
  /** Some version has the mapping only in the old or only in the new document. */
  readonly hasMissing: boolean;
}

interface Key extends Mappings {
  readonly key: string;
  /** `required` of the schema differs between the mappings. */
  readonly requiredDiffers: boolean;
}

function cutEntries(entries: readonly OldAndNew<Entry>[], at: Key): readonly PartsOfBoth[] {
  const { key, place } = at;
  const all = entries.flatMap(existingSides);
  const wholeEntries = () => entries.map((each) => partsOfBoth(each, wholePart));
  if (place === 'root' && IGNORED_KEYS.has(key)) return entries.map(() => NOTHING);
  const isProperties = at.requiredDiffers && place === 'schema' && key === 'properties';
  if (!isProperties) {
    if (isUnchanged(entries, at)) {
      if (all.some((entry) => affectsOthers(entry, at))) return wholeEntries();
      // The position of a field that became required, or optional, is reported.
      const isNamed = at.requiredDiffers && place === 'fields';
      return entries.map((each) =>
        isNamed ? partsOfBoth(each, (entry) => keyWithParts(entry)) : NOTHING,
      );
    }
    if (areEqual(all) && all.every((entry) => outline(entry, at) !== undefined)) {
      return entries.map((each) => partsOfBoth(each, (entry) => outline(entry, at)!));
    }
  }
  const values = entries.map(({ old, newer }) => ({ old: valueOf(old), newer: valueOf(newer) }));
  if (all.length === 1 || values.flatMap(existingSides).length < all.length) return wholeEntries();
  const inside =
    place === 'spec' && key === 'versions'
      ? cutVersions(values[0]!)
      : cutMappings(values, roleBelow(place, key), isProperties);
  if (inside === undefined) return wholeEntries();
  return entries.map(({ old, newer }, i) => ({
    old: old ? [keyWithParts(old, inside[i]!.old)] : [],
    newer: newer ? [keyWithParts(newer, inside[i]!.newer)] : [],
  }));
}

const NOTHING: PartsOfBoth = { old: [], newer: [] };

/** Whether all entries that are compared are equal. */
function isUnchanged(
  entries: readonly OldAndNew<Entry>[],
  { count, hasMissing }: Mappings,
): boolean {
  if (!hasMissing) {
    return entries.every(({ old, newer }) => (old && textOf(old)) === (newer && textOf(newer)));
  }
  const all = entries.flatMap(existingSides);
  return all.length === count && areEqual(all);
}

function areEqual(all: readonly Entry[]): boolean {
  return all.every((entry) => textOf(entry) === textOf(all[0]!));
}

/** Reduces an entry that is equal on both sides to the parts that comparisons read, if any. */
function outline(entry: Entry, at: Key): Part | undefined {
  const { key, place } = at;
  const block = valueOf(entry);
  if (block === undefined || affectsOthers(entry, at)) return undefined;
  if (place === 'fields' || (key === 'schema' && at.count === 1)) return keyWithParts(entry);
  if (place !== 'schema') return undefined;
  if (SCHEMA_KEYS.has(key)) return keyWithParts(entry);
  if (key !== 'properties') return undefined;
  const { lines, indent } = block;
  const fields = [...(lines.entries(block)?.values() ?? [])];
  return keyWithParts(
    entry,
    fields.map((field) => keyWithParts({ lines, indent, entry: field })),
  );
}

const SCHEMA_KEYS = new Set(['items', 'additionalProperties']);

function textOf({ lines, entry }: Entry): string {
  return lines.text.slice(entry.start, entry.end);
}

function partsOfBoth({ old, newer }: OldAndNew<Entry>, cut: (entry: Entry) => Part): PartsOfBoth {
  return { old: old ? [cut(old)] : [], newer: newer ? [cut(newer)] : [] };
}

function wholePart({ entry: { start, end }, indent }: Entry): Part {
  return { start, end, indent };
}

/** Keeps a key with some parts below it, or the whole entry if its value is on the line. */
function keyWithParts(side: Entry, inside: readonly Part[] = []): Part {
  const { start, value, eol } = side.entry;
  return value === eol ? { start, end: eol, indent: side.indent, inside } : wholePart(side);
}

/** Keys whose values affect other parts of the document. */
const AFFECTS_OTHERS = new Set(['default', 'claimNames', 'conversion']);

/** Whether an unchanged entry affects the meaning of changes next to it. */
function affectsOthers(entry: Entry, { place, requiredDiffers }: Key): boolean {
  const { key } = entry.entry;
  if (place === 'fields') return requiredDiffers && hasDefault(entry);
  if (key === 'description') return false;
  return valueOf(entry) === undefined || AFFECTS_OTHERS.has(key);
}

/** A new required field is harmless if it has a default. */
function hasDefault(field: Entry): boolean {
  const value = valueOf(field);
  if (value === undefined) return true;
  return textOf(field).includes(`\n${' '.repeat(value.indent)}default:`);
}

/** Returns the block below a key, or undefined if the value is next to the key. */
function valueOf(entry: Entry | undefined): Block | undefined {
  if (entry === undefined || entry.entry.value !== entry.entry.eol) return undefined;
  return entry.lines.block(entry.entry.from + 1, entry.entry.to);
}

/** Cuts lists of versions, matched by name in any order. */
function cutVersions({ old, newer }: OldAndNew<Block>): readonly PartsOfBoth[] | undefined {
  const [before, after] = [old && versionsOf(old), newer && versionsOf(newer)];
  if (before === undefined || after === undefined) return undefined;
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const versions = names.map((name) => ({ old: before.get(name), newer: after.get(name) }));
  const cut = newer!.lines.text.includes(WEBHOOK_CONVERSION)
    ? versions.map((version) => cutMappings([version], 'version')?.[0])
    : cutMappings(versions, 'version');
  if (cut === undefined || !cut.every((parts) => parts !== undefined)) return undefined;
  const cutOf = new Map(names.map((name, i) => [name, cut[i]!]));
  const partsOf = (side: keyof PartsOfBoth, listed: ReadonlyMap<string, Block>, dash: number) =>
    [...listed.keys()].flatMap((name) =>
      cutOf.get(name)![side].map((part, i) => (i === 0 ? { ...part, dash } : part)),
    );
  return [
    { old: partsOf('old', before, old!.indent), newer: partsOf('newer', after, newer!.indent) },
  ];
}

/** Returns the versions of a list by name, or undefined if the name of one needs a parser. */
function versionsOf(block: Block): ReadonlyMap<string, Block> | undefined {
  const items = block.lines.items(block);
  const versions = new Map<string, Block>();
  for (const item of items ?? []) {
    const name = entryOf(mappingIn(item), 'name')?.entry;
    if (name === undefined) return undefined;
    versions.set(item.lines.text.slice(name.value, name.eol), item);
  }
  return versions.size === items?.length ? versions : undefined;
}

function excerpt(text: string, parts: readonly Part[]): TextExcerpt {
  const cut = new TextExcerpt(text);
  const write = ({ start, end, indent, inside, dash }: Part) => {
    const before = dash === undefined ? ' '.repeat(indent) : `${' '.repeat(dash)}-`.padEnd(indent);
    cut.add(before, start, end, inside?.length === 0 ? ' {}' : '');
    inside?.forEach(write);
  };
  parts.forEach(write);
  return cut;
}
