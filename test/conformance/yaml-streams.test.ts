import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import {
  type PackageContents,
  readDefiningSpec,
} from '../../src/crossplane/packages/package-contents.js';
import {
  fastIdentity,
  identityOf,
  objectOf,
} from '../../src/crossplane/package-yaml/object-identity.js';
import { parseGoYaml } from '../../src/base/yaml/go-yaml.js';
import {
  composingSpec,
  readPackageYaml,
} from '../../src/crossplane/package-yaml/read-package-yaml.js';
import { isMeta, metaDocument } from '../../src/crossplane/package-yaml/meta-document.js';
import {
  isEmptyDocument,
  splitDocuments,
} from '../../src/crossplane/package-yaml/split-documents.js';
import { mappingOf, type JsonValue } from '../../src/base/json.js';
import { seededDraw } from '../../src/base/collections.js';
import { recordFigure } from '../support/figures.js';
import { mutatedStream } from '../support/mutated-streams.js';
import { askReaders } from './readers.js';
import { table } from './table.js';

const STREAMS = 100_000;
const BATCH = 5_000;
const SEED = 20_261_117;

/** The documents that Go's libraries read before the first one that they reject. */
interface GoStream {
  readonly documents: readonly GoDocument[];
  readonly error?: string;
}

interface GoDocument {
  readonly value: JsonValue;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

const counts = {
  alike: 0,
  bothRefuse: 0,
  weRefuse: 0,
  documents: 0,
  fast: 0,
  /** As JSON, so that a failure can be inspected. */
  otherwise: [] as string[],
};

test(`reads none of ${STREAMS} mutated streams differently from Go`, async () => {
  for (let from = 0; from < STREAMS; from += BATCH) {
    const streams = Array.from({ length: BATCH }, (_, i) =>
      mutatedStream(seededDraw(SEED + from + i)),
    );
    const answers = askReaders<GoStream>('yaml', streams);
    for (const [i, stream] of streams.entries()) await countOne(stream, answers[i]!);
  }
  const { alike, bothRefuse, weRefuse, otherwise, documents, fast } = counts;
  process.stdout.write(
    table([
      ['mutated streams', 'read alike', 'refused by both', 'refused by us alone', 'read otherwise'],
      [STREAMS, alike, bothRefuse, weRefuse, otherwise.length],
    ]),
  );
  process.stdout.write(`of ${documents} documents compared ${fast} were read the fast way too\n`);
  recordFigure('package.yaml streams compared with Go', {
    tried: STREAMS,
    violations: otherwise.length,
  });
  expect(otherwise.slice(0, 10)).toEqual([]);
  expect(alike).toBeGreaterThan(STREAMS / 4);
  expect(weRefuse).toBeLessThan(STREAMS / 8);
  expect(fast).toBeGreaterThan(STREAMS / 20);
});

async function countOne(stream: Buffer, go: GoStream): Promise<void> {
  const ours = await readPackageYaml(stream);
  const refused = ours.problems.length > 0 || ours.metas.some(({ decodeError }) => decodeError);
  const difference =
    (await differenceInDocuments(stream, go)) ??
    (refused ? undefined : differenceInContents(ours, go));
  if (difference !== undefined)
    counts.otherwise.push(`${difference}: ${JSON.stringify(stream.toString())}`);
  else if (!refused) counts.alike++;
  else if (go.error === undefined) counts.weRefuse++;
  else counts.bothRefuse++;
}

/** Compares every value of every document, and the identity that the fast scanner finds. */
async function differenceInDocuments(stream: Buffer, go: GoStream): Promise<string | undefined> {
  let at = 0;
  for await (const piece of splitDocuments([stream])) {
    if ('problem' in piece || isEmptyDocument(piece.text)) continue;
    const fast = fastIdentity(piece.text);
    const theirs = go.documents[at++];
    if (fast === undefined && theirs === undefined) continue;
    const parsed = parseGoYaml(piece.text);
    if (fast !== undefined) {
      counts.fast++;
      if ('error' in parsed) return `read the fast way alone (${parsed.error})`;
      if (!isDeepStrictEqual(fast, identityOf(parsed.value))) return 'the fast way differs';
    }
    if (theirs === undefined || 'error' in parsed) continue;
    counts.documents++;
    if (!isDeepStrictEqual(parsed.value, theirs.value)) return 'a value differs';
  }
  return undefined;
}

function differenceInContents(ours: PackageContents, go: GoStream): string | undefined {
  if (go.error !== undefined) return `Go refuses (${go.error})`;
  const [metas, objects] = [go.documents.filter(hasMeta), go.documents.filter((d) => !hasMeta(d))];
  if (!isDeepStrictEqual(ours.metas.map(comparable), metas.map(metaOf).map(comparable))) {
    return 'the metadata differs';
  }
  if (!isDeepStrictEqual(ours.objects.map(comparable), objects.map(objectIn).map(comparable))) {
    return 'an object differs';
  }
  return undefined;
}

function hasMeta(document: GoDocument): boolean {
  return isMeta(apiVersionOf(document));
}

function metaOf({ value, metadata, kind, ...rest }: GoDocument): object {
  const { name = '', labels = {}, annotations = {} } = metadata;
  const apiVersion = apiVersionOf(rest);
  return {
    ...metaDocument({ value, source: '', events: [] }, 0),
    apiVersion,
    kind,
    name,
    labels,
    annotations,
  };
}

function objectIn({ value, metadata, kind, ...rest }: GoDocument): object {
  const spec = mappingOf(value)?.['spec'];
  const { name } = metadata;
  const apiVersion = apiVersionOf(rest);
  const identity = { ...readDefiningSpec(apiVersion, spec), apiVersion, kind, name };
  return { ...objectOf(identity, 0), ...composingSpec(identity, spec) };
}

function apiVersionOf({ group, version }: Pick<GoDocument, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Go reports no lines, and sorts keys. */
function comparable(read: object): JsonValue {
  const {
    specKeys = [],
    unknownFields,
    ...rest
  } = read as Partial<PackageContents['metas'][number]>;
  const known = { ...rest, line: undefined, dependsOnLines: undefined, specLines: undefined };
  const unknown = unknownFields?.map(({ message }) => message).toSorted();
  return plain({ ...known, specKeys: specKeys.toSorted(), unknown });
}

/** Converts a value to plain JSON, without undefined fields and prototypes. */
function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
