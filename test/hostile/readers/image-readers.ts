import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { openArtifact } from '../../../src/oci/image/artifact.js';
import { buildArtifact } from '../../support/registry/artifact.js';
import { auditImage } from '../../../src/oci/image/audit-image.js';
import { tarEntries } from '../../../src/oci/archive/tar-reader.js';
import { decompressLayer } from '../../../src/oci/archive/unpack.js';
import type { ImageRepository } from '../../../src/oci/image/image-repository.js';
import { locatePackage } from '../../../src/oci/image/locate-package.js';
import { readPackage } from '../../../src/oci/image/read-package.js';
import { lintContents, judge } from '../../../src/crossplane/packages/admission.js';
import { lintWarnings } from '../../../src/crossplane/packages/advice.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { readPackageYaml } from '../../../src/crossplane/package-yaml/read-package-yaml.js';
import type { FileTree } from '../../../src/oci/store/file-tree.js';
import { openLayout } from '../../../src/oci/store/image-layout.js';
import { openXpkg } from '../../../src/oci/store/xpkg-file.js';
import { sha256 } from '../../../src/base/digest.js';
import { providerYaml } from '../../support/package-yaml.js';
import { BASE, imageOf, indexOf, layerOf, tarOf } from '../../support/registry/image.js';
import { layoutFiles, named } from '../../support/registry/layout.js';
import { xpkgFiles } from '../../support/registry/xpkg.js';
import { zstdOf } from '../../support/registry/zstd.js';
import type { HostileReader } from '../reader.js';

const TARGETS = ['v1.14.0', 'v1.20.0', 'v2.3.4'].map((version) => targetFor(version)!);
const RULES = TARGETS.at(-1)!.rules;
const NAME = 'registry.example.org/a/p';
const YAML = providerYaml('p', 'buckets.s3.example.org');
const CONFIGURATION = `apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata:
  name: platform
  labels: {a: b}
spec:
  crossplane:
    version: ">=v1.14.0"
  dependsOn:
    - provider: xpkg.example.org/a/b
      version: ">=v1.0.0, <v2"
    - {apiVersion: pkg.crossplane.io/v1, kind: Function, package: xpkg.example.org/e/f, version: "*"}
  capabilities: [safe-start]
---
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xdbs.acme.io}
spec:
  group: acme.io
  names: {kind: XDB, plural: xdbs}
  claimNames: {kind: DB, plural: dbs}
  versions:
    - {name: v1, served: true, referenceable: true}
---
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: xdb-aws}
spec: {}
`;

const PACKAGE = [{ name: 'package.yaml', content: YAML }];
const base = await layerOf(PACKAGE, { annotations: BASE });
const image = imageOf([base]);
const twoLayers = imageOf([
  await layerOf(PACKAGE),
  await layerOf([{ name: 'other', content: 'x' }]),
]);
const index = indexOf([
  { image, platform: { os: 'linux', architecture: 'amd64' } },
  { image: twoLayers, platform: { os: 'linux', architecture: 'arm64' } },
]);
const tar = Buffer.from(
  await tarOf([
    { name: 'package.yaml', content: YAML },
    { name: 'n'.repeat(120), content: 'x' },
    { name: 'folder/', type: 'directory' },
    { name: 'link', type: 'symlink', linkname: 'package.yaml' },
  ]),
);
const layout = layoutFiles([{ image: index, annotations: named(`${NAME}:v1.0.0`) }, { image }]);
const xpkg = await xpkgFiles([{ entries: PACKAGE, label: 'base' }]);
const artifact = buildArtifact('index', [
  { title: 'index.json', mediaType: 'application/json', bytes: Buffer.from('{"packages":{}}') },
]);

/** Returns a repository in which every digest exists, with the given bytes. */
function repositoryOf(top: Uint8Array, all: ReadonlyMap<string, Uint8Array>): ImageRepository {
  const held = new Map(all).set(sha256(top), top);
  return {
    name: NAME,
    tags: async () => ['v1'],
    manifest: async (reference) => {
      const digest = reference === 'v1' ? sha256(top) : reference;
      const bytes = held.get(digest);
      return bytes && { digest: sha256(bytes), bytes };
    },
    blob: async ({ digest }) => held.get(digest),
  };
}

const HELD = new Map<string, Uint8Array>(
  [image, twoLayers, index].flatMap((each) =>
    [each, ...each.manifests, ...each.blobs].map(({ digest, bytes }) => [digest, bytes] as const),
  ),
);

async function read(repository: ImageRepository): Promise<unknown> {
  const outcomes = [];
  for (const { rules } of TARGETS) {
    const located = await locatePackage(repository, 'v1', rules);
    outcomes.push(
      located &&
        (await readPackage(repository, located, rules, {
          read: async (stream) => (await buffer(stream)).length,
        })),
    );
  }
  return outcomes;
}

function treeOf(files: ReadonlyMap<string, string | Uint8Array>): FileTree {
  const bytesOf = (path: string) => {
    const content = files.get(path);
    return content === undefined ? undefined : Buffer.from(content);
  };
  return {
    shown: 'layout:world',
    size: async (path) => bytesOf(path)?.length,
    read: async (path) => bytesOf(path),
    stream: async (path) => {
      const bytes = bytesOf(path);
      return (
        bytes &&
        (async function* () {
          yield bytes;
        })()
      );
    },
  };
}

async function tarFiles(bytes: Buffer): Promise<unknown> {
  const files = [];
  const packed = { chunks: Readable.from([bytes]), size: bytes.length };
  for await (const entry of tarEntries(decompressLayer(packed, NAME), NAME)) {
    files.push([entry.path, entry.type, entry.type === 'file' ? entry.extent : undefined]);
  }
  return files;
}

const text = (content: Uint8Array | string | undefined) => Buffer.from(content!).toString();

/** Readers of packages and of the images around them. */
export const IMAGE_READERS: readonly HostileReader[] = [
  {
    name: 'manifest',
    form: 'json',
    seeds: [image.bytes, twoLayers.bytes, index.bytes],
    place: NAME,
    read: (bytes) => read(repositoryOf(bytes, HELD)),
  },
  {
    name: 'image config',
    form: 'json',
    seeds: [
      JSON.stringify({
        config: { Labels: {} },
        rootfs: { type: 'layers', diff_ids: [sha256(await tarOf(PACKAGE))] },
      }),
    ],
    place: NAME,
    read: async (bytes) => {
      const withConfig = imageOf([base], bytes.toString());
      const held = new Map(withConfig.blobs.map(({ digest, bytes: blob }) => [digest, blob]));
      return auditImage(repositoryOf(withConfig.bytes, held), 'v1', RULES);
    },
  },
  {
    name: 'artifact that was pushed',
    form: 'json',
    seeds: [artifact.manifest.bytes],
    place: NAME,
    read: async (bytes) => {
      const opened = await openArtifact(repositoryOf(bytes, artifact.blobs), 'v1');
      const file = await opened?.file('index.json');
      return [opened?.kind, opened?.titles, file?.length];
    },
  },
  {
    name: 'index.json of a layout',
    form: 'json',
    seeds: [text(layout.get('index.json'))],
    place: 'layout:world',
    read: async (bytes) => {
      const opened = await openLayout(treeOf(new Map(layout).set('index.json', bytes)), {
        repository: NAME,
        tag: 'v1',
      });
      const repositories = [...opened.repositories];
      const tags = await Promise.all(repositories.map(async ([, each]) => each.tags()));
      for (const [, each] of repositories)
        for (const tag of (await each.tags()) ?? []) await each.manifest(tag);
      return [opened.unnamed, tags];
    },
  },
  {
    name: 'manifest.json of a .xpkg file',
    form: 'json',
    seeds: [text(xpkg.get('manifest.json'))],
    place: 'layout:world',
    read: async (bytes) => {
      const opened = await openXpkg(treeOf(new Map(xpkg).set('manifest.json', bytes)), 'v1');
      return read(opened);
    },
  },
  {
    name: 'config of a .xpkg file',
    form: 'json',
    seeds: [text([...xpkg.values()][0])],
    place: 'layout:world',
    read: async (bytes) =>
      read(await openXpkg(treeOf(new Map(xpkg).set([...xpkg.keys()][0]!, bytes)), 'v1')),
  },
  { name: 'tar', form: 'bytes', seeds: [tar], place: NAME, share: 3, read: tarFiles },
  {
    name: 'gzip and zstd',
    form: 'bytes',
    seeds: [
      gzipSync(tar),
      Buffer.concat([gzipSync(tar), gzipSync('')]),
      zstdOf(tar),
      zstdOf(Buffer.from(YAML)),
    ],
    place: NAME,
    read: tarFiles,
  },
  {
    name: 'package.yaml',
    form: 'yaml',
    seeds: [CONFIGURATION, YAML],
    share: 3,
    read: async (bytes) => {
      const contents = await readPackageYaml(bytes);
      return [
        contents.problems,
        TARGETS.map((target) => [
          judge(contents, target, { compat: true }),
          lintContents(contents, target),
          lintWarnings(contents, target),
        ]),
      ];
    },
  },
];
