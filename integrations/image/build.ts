import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Blob, blob, blobDescriptor, jsonBlob } from '../../src/oci/image/build-image.js';
import { MEDIA_TYPE } from '../../src/oci/image/descriptor.js';
import { LayoutWriter } from '../../src/oci/store/layout-writer.js';
import { sha256 } from '../../src/base/digest.js';
import { executableOf } from '../executable/build.js';
import { gzipped, type PackedFile, sourceDate, tarOfFiles } from '../packed-files.js';
import { Debian, type DebianPackage } from './debian.js';
import { rootFrom } from './root.js';

/** The platforms of the image in OCI form, and the executable of each. */
export const ARCHITECTURES: Readonly<Record<string, { executable: string; platform: object }>> = {
  amd64: { executable: 'linux-x64', platform: { architecture: 'amd64', os: 'linux' } },
  arm64: {
    executable: 'linux-arm64',
    platform: { architecture: 'arm64', os: 'linux', variant: 'v8' },
  },
};

/** The folder of the OCI image layout. */
export const IMAGE = 'build/image';

const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';
const CONFIG = 'application/vnd.oci.image.config.v1+json';

export interface BuiltImage {
  /** The digest of the index, to which a tag points. */
  readonly digest: string;
  /** The name of the image in the layout: the version. */
  readonly tag: string;
  /** The Debian packages in it, by architecture. */
  readonly packages: Readonly<Record<string, readonly DebianPackage[]>>;
}

/**
 * Creates the image from existing executables and Debian packages, without running a program of
 * these packages. The same executables and packages give the same bytes.
 */
export async function buildContainerImage(
  architectures: readonly string[],
  folder = IMAGE,
): Promise<BuiltImage> {
  const about = annotations();
  const layout = await LayoutWriter.open(folder, folder);
  const packages: Record<string, readonly DebianPackage[]> = {};
  const manifests: object[] = [];
  for (const architecture of architectures) {
    const { executable, platform } = ARCHITECTURES[architecture]!;
    const root = await rootFrom(new Debian(architecture));
    packages[architecture] = root.packages;
    const layers = [await layerOf(root.files), await layerOf(programFiles(executable))];
    const config = jsonBlob(CONFIG, configOf(platform, layers, about));
    const manifest = jsonBlob(MEDIA_TYPE.ociManifest, {
      schemaVersion: 2,
      mediaType: MEDIA_TYPE.ociManifest,
      config: blobDescriptor(config),
      layers: layers.map(({ packed }) => blobDescriptor(packed)),
      annotations: about,
    });
    for (const each of [...layers.map(({ packed }) => packed), config, manifest]) {
      await layout.blob(each.digest, each.bytes);
    }
    manifests.push({ ...blobDescriptor(manifest), platform });
  }
  const index = jsonBlob(MEDIA_TYPE.ociIndex, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociIndex,
    manifests,
    annotations: about,
  });
  await layout.blob(index.digest, index.bytes);
  const tag = about['org.opencontainers.image.version'];
  layout.name(tag, index);
  await layout.finish('whole');
  return { digest: index.digest, tag, packages };
}

interface Layer {
  readonly packed: Blob;
  /** The digest of the uncompressed tar. */
  readonly diffId: string;
}

async function layerOf(files: readonly PackedFile[]): Promise<Layer> {
  const tar = await tarOfFiles(files, sourceDate());
  return { packed: blob(LAYER, gzipped(tar)), diffId: sha256(tar) };
}

/** Returns the program and its license, in folders of the layer below. */
function programFiles(platform: string): PackedFile[] {
  const { folder, file } = executableOf(platform);
  const terms = readdirSync(folder).filter((name) => name !== basename(file));
  return [
    { path: 'usr/bin/xpkg-resolve', mode: 0o755, content: readFileSync(file) },
    { path: 'usr/share/doc/xpkg-resolve', mode: 0o755 },
    ...terms.map((name) => ({
      path: `usr/share/doc/xpkg-resolve/${name}`,
      mode: 0o644,
      content: readFileSync(join(folder, name)),
    })),
  ];
}

function configOf(
  platform: object,
  layers: readonly Layer[],
  about: ReturnType<typeof annotations>,
): object {
  const created = about['org.opencontainers.image.created'];
  return {
    created,
    ...platform,
    config: {
      User: '65532:65532',
      // Only /tmp must be writable, for the cache.
      Env: ['PATH=/usr/bin', 'HOME=/tmp'],
      Entrypoint: ['/usr/bin/xpkg-resolve'],
      Cmd: ['--help'],
      WorkingDir: '/work',
      Labels: about,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: ['packages of Debian', 'xpkg-resolve'].map((comment) => ({ created, comment })),
  };
}

function annotations() {
  // This file is our own.
  const { version, description, license } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    version: string;
    description: string;
    license: string;
  };
  return {
    'org.opencontainers.image.created': new Date(sourceDate() * 1000).toISOString(),
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.licenses': license,
    'org.opencontainers.image.title': 'xpkg-resolve',
    'org.opencontainers.image.version': version,
  };
}
