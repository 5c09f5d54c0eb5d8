import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { isTag } from '../../src/crossplane/packages/reference.js';
import { InputError, SourceError } from '../../src/base/errors.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { parseImageConfig } from '../../src/oci/image/image-config.js';
import { locatePackage } from '../../src/oci/image/locate-package.js';
import { parseToken } from '../../src/oci/registry/authenticator.js';
import {
  longestPrefixEntry,
  parseDockerConfig,
} from '../../src/oci/registry/docker-credentials.js';
import { RegistryClient } from '../../src/oci/registry/client.js';
import type { Transport } from '../../src/oci/registry/transport.js';
import { sha256 } from '../../src/base/digest.js';
import { seededDraw, type Draw } from '../../src/base/collections.js';
import { recordFigure } from '../support/figures.js';
import { mutatedJson } from '../support/mutated-json.js';
import { anonymous, TestClock } from '../support/registry/client.js';
import { blobOf, imageOf, indexOf, OCI_INDEX, OCI_MANIFEST } from '../support/registry/image.js';
import { askReaders } from './readers.js';
import { table } from './table.js';

/** 5,000 documents in conformance, 50,000 in `npm run hostile`. */
const DOCUMENTS = 50 * Number(process.env['XPKG_HOSTILE_INPUTS'] ?? 100);
const BATCH = 5_000;
const SEED = 20_261_118;
const HOST = 'registry.example.test';

interface GoPackage {
  readonly layers: readonly string[];
  readonly isBase: boolean;
  readonly error?: string;
}

/** The contents of a registry, in the format of readers/images.go. */
interface Served {
  readonly contentType: string;
  readonly manifests: readonly Uint8Array[];
  readonly blobs: readonly Uint8Array[];
  readonly tags?: Buffer;
  readonly link?: string;
}

const BASE = { 'io.crossplane.xpkg': 'base' };
const AMD64 = { os: 'linux', architecture: 'amd64' };
const CONFIG = JSON.stringify({ os: 'linux', rootfs: { type: 'layers', diff_ids: [] } });
const good = { ...blobOf('good'), annotations: BASE };
const evil = { ...blobOf('evil, and longer'), annotations: BASE };
const other = { ...blobOf('other'), annotations: { 'io.crossplane.xpkg': 'upbound' } };
const IMAGES = [
  imageOf([good, other], CONFIG),
  imageOf([other, evil], CONFIG),
  imageOf([blobOf('lower'), blobOf('upper')], CONFIG),
  imageOf([good], CONFIG, { artifactType: 'application/vnd.example' }),
];
const BLOBS = IMAGES.flatMap(({ blobs }) => blobs.map(({ bytes }) => bytes));
const TYPES = [
  OCI_INDEX,
  OCI_MANIFEST,
  '',
  'application/json',
  `${OCI_INDEX}; charset=utf-8`,
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.v1+json',
];

/** A manifest or index with the manifests that it lists. */
interface Item {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly below: readonly Uint8Array[];
}

/** Draws an image, an index or an index of indexes, with changes at every level. */
function servedImage(draw: Draw): Served {
  const image = () => changed({ ...pick(IMAGES, draw), below: [] }, draw);
  let top = image();
  for (let depth = pick([0, 0, 1, 1, 2], draw); depth > 0; depth--) {
    top = changed(indexOver([top, image()], draw), draw);
  }
  const contentType = draw(8) === 0 ? pick(TYPES, draw) : top.mediaType;
  return { contentType, manifests: [top.bytes, ...top.below], blobs: BLOBS };
}

function indexOver(items: readonly Item[], draw: Draw): Item {
  const platforms = [AMD64, AMD64, undefined, { os: 'linux', architecture: 'arm64' }];
  const children = items.map(({ bytes, mediaType }) => ({
    image: { ...blobOf(bytes), mediaType, manifests: [], blobs: [] },
    platform: pick(platforms, draw)!,
  }));
  const { bytes } = indexOf(children);
  return { bytes, mediaType: OCI_INDEX, below: items.flatMap((i) => [i.bytes, ...i.below]) };
}

function changed(item: Item, draw: Draw): Item {
  if (draw(3) === 0) return item;
  const donor = Buffer.from(pick(IMAGES, draw).bytes).toString();
  return { ...item, bytes: mutatedJson(Buffer.from(item.bytes).toString(), donor, draw) };
}

/** Returns a client for a registry in memory that answers like the one in readers/images.go. */
function clientOf(served: Served): ReturnType<RegistryClient['repository']> {
  const held = [...served.manifests, ...served.blobs];
  const digests = held.map((bytes) => sha256(bytes));
  let pages = 0;
  const transport: Transport = async ({ url: { pathname } }) => {
    if (pathname === '/v2/') return response('');
    if (pathname.endsWith('/tags/list')) {
      pages += 1;
      return pages > 1
        ? response('{"tags":["last"]}')
        : response(served.tags!, { link: served.link });
    }
    const wanted = pathname.slice(pathname.lastIndexOf('/') + 1);
    const at = wanted === 'v1' ? 0 : digests.findIndex((digest) => digest === wanted);
    const bytes = held[at];
    if (bytes === undefined) return response('{"errors":[]}', {}, 404);
    // Go does not read the Content-Type of manifests that an index lists.
    const isIndex = Buffer.from(bytes).includes('"manifests"');
    const type = at === 0 ? served.contentType : isIndex ? OCI_INDEX : '';
    return response(bytes, { 'content-type': type });
  };
  const client = new RegistryClient({ transport, clock: new TestClock() });
  return client.repository({
    host: HOST,
    path: 'acme/p',
    plainHttp: false,
    credentials: anonymous,
  });
}

function response(
  bytes: Uint8Array | string,
  headers: Readonly<Record<string, string | undefined>> = {},
  status = 200,
): Awaited<ReturnType<Transport>> {
  return {
    status,
    header: (name) => headers[name],
    body: (async function* () {
      yield Buffer.from(bytes);
    })(),
    discard: async () => undefined,
  };
}

/** Reads the layers with package.yaml completely; returns undefined if the package is rejected. */
async function readImage(served: Served): Promise<unknown> {
  const images = clientOf(served);
  const { rules } = targetFor('v2.3.4')!;
  const at = (await locatePackage(images, 'v1', rules))?.location;
  if (at === undefined || at.place === 'refused') return undefined;
  const layers = at.place === 'layer' ? [at.layer] : at.layers;
  for (const layer of layers) if ((await images.blob(layer)) === undefined) return undefined;
  return { layers: layers.map(({ digest }) => digest), isBase: at.place === 'layer' };
}

interface Counts {
  alike: number;
  bothRefuse: number;
  weRefuse: number;
  /** Documents that Go rejects or reads differently. */
  readonly otherwise: string[];
}

/** `ours`: undefined if rejected. `theirs`: the error, or the value to compare. */
function count(
  counts: Counts,
  ours: unknown,
  theirs: { readonly error?: string | undefined; readonly value: unknown },
  shown: () => string,
): void {
  if (ours === undefined) {
    if (theirs.error === undefined) counts.weRefuse++;
    else counts.bothRefuse++;
  } else if (theirs.error === undefined && isDeepStrictEqual(ours, theirs.value)) {
    counts.alike++;
  } else {
    counts.otherwise.push(`${theirs.error ?? JSON.stringify(theirs.value)}: ${shown()}`);
  }
}

/** Returns the result, or undefined if the document is rejected with an expected error. */
async function unlessRefused<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceError || error instanceof InputError) return undefined;
    throw error;
  }
}

function report(what: string, counts: Counts): void {
  process.stdout.write(
    table([
      [what, 'read alike', 'refused by both', 'refused by us alone', 'read otherwise'],
      [DOCUMENTS, counts.alike, counts.bothRefuse, counts.weRefuse, counts.otherwise.length],
    ]),
  );
  recordFigure(what, { tried: DOCUMENTS, violations: counts.otherwise.length });
  expect(counts.otherwise.slice(0, 5)).toEqual([]);
}

function* batches(): Generator<readonly Draw[]> {
  for (let from = 0; from < DOCUMENTS; from += BATCH) {
    const length = Math.min(BATCH, DOCUMENTS - from);
    yield Array.from({ length }, (_, i) => seededDraw(SEED + from + i));
  }
}

test(`reads none of ${DOCUMENTS} images differently from go-containerregistry`, async () => {
  const counts: Counts = { alike: 0, bothRefuse: 0, weRefuse: 0, otherwise: [] };
  for (const draws of batches()) {
    const inputs = draws.map(servedImage);
    const answers = askReaders<GoPackage>('image', inputs.map(asInput));
    for (const [i, input] of inputs.entries()) {
      const { error, ...value } = answers[i]!;
      const ours = await unlessRefused(() => readImage(input));
      const shown = () => [input.contentType, ...input.manifests.map(String)].join('\n');
      count(counts, ours, { error, value }, shown);
    }
  }
  report('images compared with go-containerregistry', counts);
  expect(counts.alike).toBeGreaterThan(DOCUMENTS / 10);
});

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function asInput({ manifests, blobs, tags, ...rest }: Served): Buffer {
  const lists = { manifests: manifests.map(base64), blobs: blobs.map(base64) };
  return Buffer.from(JSON.stringify({ ...rest, ...lists, tags: tags && base64(tags) }));
}

interface GoValues {
  readonly values?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

/** A kind of JSON document, and how both sides read it. */
interface DocumentKind {
  readonly kind: 'config' | 'tags' | 'token' | 'auths';
  readonly seeds: readonly unknown[];
  /** undefined: rejected, or without a value. */
  readonly ours: (text: Buffer, link: string) => unknown;
  /** The value to compare; undefined: there is none. */
  readonly theirs: (values: Readonly<Record<string, unknown>>) => unknown;
  /** Errors of Go about values that this tool does not read. */
  readonly ignored?: RegExp;
}

const DIFF_ID = sha256('a');
const LINKS = [
  '',
  '</v2/acme/p/tags/list?last=a>',
  '</v2/acme/p/tags/list?last=a>; rel="prev next"',
  "<?last=a>; rel='next'",
  '?last=a',
  '<?last=a',
  'x<?last=a>; rel="next"',
  '<?last=a b>',
  '</x>; rel="prev", <?last=a>; rel="next"',
  '<>; rel="next"',
  '<?last=a>; rel=next',
];

const KINDS: readonly DocumentKind[] = [
  {
    kind: 'config',
    seeds: [
      {
        architecture: 'amd64',
        os: 'linux',
        created: '2026-01-02T03:04:05Z',
        history: [{ created_by: 'x', empty_layer: true }],
        rootfs: { type: 'layers', diff_ids: [DIFF_ID, sha256('b')] },
        config: { Labels: { a: 'b' }, Env: ['A=b'], ExposedPorts: { '80/tcp': {} } },
      },
      { os: 'linux', rootfs: { diff_ids: [sha256('c')] }, config: { Labels: { a: 'c' } } },
    ],
    ours: (text) => {
      const { os = '', architecture = '', diffIds = [], labels } = parseImageConfig(text, 'x');
      return { os, architecture, diffIds, labels: Object.fromEntries(labels) };
    },
    theirs: (values) => values,
    ignored: /parsing time/,
  },
  {
    kind: 'tags',
    seeds: [
      { name: 'acme/p', tags: ['v1.0.0', 'v1.1.0'] },
      { name: 'acme/p', tags: ['v2.0.0'], next: '?last=v2.0.0' },
    ],
    ours: (text, link) => {
      const served = { contentType: '', manifests: [], blobs: [], tags: text, link };
      return clientOf(served).tags();
    },
    theirs: ({ tags }) => [...new Set((tags as readonly string[]).filter(isTag))],
  },
  {
    kind: 'token',
    seeds: [
      { token: 'good', expires_in: 300 },
      { access_token: 'evil', refresh_token: 'r' },
    ],
    ours: (text) => parseToken(text, 'x').value,
    theirs: ({ token }) => token,
  },
  {
    kind: 'auths',
    seeds: [
      { auths: { [HOST]: { username: 'good', password: 'p' }, 'other.test': { auth: 'YTpi' } } },
      { auths: { [HOST]: { auth: 'ZXZpbDpw' } } },
      { auths: { [HOST]: { identitytoken: 'evil' } } },
    ],
    ours: (text) => {
      const credentials = longestPrefixEntry(
        parseDockerConfig(text.toString(), 'x').auths,
        HOST,
        'acme/p',
      );
      if (credentials?.kind !== 'basic') return credentials?.token.reveal();
      return `${credentials.username}:${credentials.password.reveal()}`;
    },
    theirs: ({ username, password, identitytoken, registrytoken }) =>
      registrytoken || identitytoken || `${String(username)}:${String(password)}`,
    ignored: /base64|unable to decode auth/,
  },
];

test(`reads none of ${DOCUMENTS} configs, tag lists, tokens and Docker configs differently from Go`, async () => {
  const counts: Counts = { alike: 0, bothRefuse: 0, weRefuse: 0, otherwise: [] };
  for (const draws of batches()) {
    const inputs = draws.map((draw) => {
      const kind = pick(KINDS, draw);
      const [seed, donor] = [pick(kind.seeds, draw), pick(kind.seeds, draw)];
      const text = mutatedJson(JSON.stringify(seed), JSON.stringify(donor), draw);
      return { kind, text, link: draw(3) === 0 ? pick(LINKS, draw) : '' };
    });
    const answers = askReaders<GoValues>('json', inputs.map(asDocument));
    for (const [i, { kind, text, link }] of inputs.entries()) {
      const { values, error } = answers[i]!;
      const ours = await unlessRefused(() => kind.ours(text, link));
      const isIgnored = error !== undefined && kind.ignored?.test(error) === true;
      if (isIgnored) counts.bothRefuse++;
      else {
        const theirs = { error, value: values && kind.theirs(values) };
        count(
          counts,
          ours,
          theirs,
          () => `${kind.kind} ${text.toString()} ${link}: ${JSON.stringify(ours)}`,
        );
      }
    }
  }
  report('JSON of registries and Docker configs compared with Go', counts);
  expect(counts.alike).toBeGreaterThan(DOCUMENTS / 10);
});

interface DocumentInput {
  readonly kind: DocumentKind;
  readonly text: Buffer;
  readonly link: string;
}

function asDocument({ kind: { kind }, text, link }: DocumentInput): Buffer {
  const served = { contentType: '', manifests: [], blobs: [], tags: text, link };
  const content = kind === 'tags' ? asInput(served) : text;
  return Buffer.from(JSON.stringify({ kind, text: content.toString('base64') }));
}

function pick<T>(from: readonly T[], draw: Draw): T {
  return from[draw(from.length)]!;
}
