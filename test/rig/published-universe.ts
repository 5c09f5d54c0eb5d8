import { gzipSync } from 'node:zlib';
import type { IndexFile, IndexPackage, IndexVersion } from '../../src/model/index-file.js';
import type { PackageRoot, Request } from '../../src/model/request.js';
import type { Scenario } from '../../src/testing/generate/scenario.js';
import { isMapping, type JsonValue } from '../../src/text/json.js';
import type { DockerRegistry } from '../conformance/docker-registry.js';
import { BASE, blobOf, imageOf, tarOf, type Image } from '../support/registry/image.js';
import { packageText } from './package-text.js';

/** A scenario whose packages are in a registry, apart from those of every other. */
export interface PublishedScenario {
  /** Part of every name in it. */
  readonly id: string;
  readonly universe: IndexFile;
  readonly request: Request;
}

/** Pushes the packages of a scenario, each to a path, and with APIs, that only it has. */
export async function publishScenario(
  { universe, request }: Scenario,
  id: string,
  registry: DockerRegistry,
): Promise<PublishedScenario> {
  const publisher = new Publisher(universe, id, registry);
  const packages: Record<string, IndexPackage> = {};
  for (const [repository, { kind, versions }] of Object.entries(universe.packages)) {
    const entries: Record<string, IndexVersion> = {};
    for (const [tag, entry] of Object.entries(versions)) {
      entries[tag] = await publisher.publish(repository, tag, { kind, entry });
    }
    packages[publisher.moved(repository)] = { kind, versions: entries };
  }
  const roots: PackageRoot[] = [];
  for (const root of request.roots) {
    if (root.root === 'package') roots.push(await publisher.movedRoot(root));
  }
  return { id, universe: { packages }, request: { ...request, roots } };
}

/** What a digest stands for that names an image in a circle: no image has it. */
const NO_IMAGE = `sha256:${'0'.repeat(64)}`;
const SOURCES = ['provider', 'configuration', 'function', 'package'];

interface Version {
  readonly kind: string;
  readonly entry: IndexVersion;
}

interface Built {
  readonly entry: IndexVersion;
  readonly image: Image;
}

/** Moves packages one after the other: an image holds the digests of others, and so comes after them. */
class Publisher {
  readonly #id: string;
  readonly #registry: DockerRegistry;
  readonly #byDigest: ReadonlyMap<string | undefined, Version & { readonly repository: string }>;
  /** undefined: it is being built. */
  readonly #built = new Map<IndexVersion, Built | undefined>();

  constructor({ packages }: IndexFile, id: string, registry: DockerRegistry) {
    this.#id = id;
    this.#registry = registry;
    this.#byDigest = new Map(
      Object.entries(packages).flatMap(([repository, { kind, versions }]) =>
        Object.values(versions).map((entry) => [entry.digest, { repository, kind, entry }]),
      ),
    );
  }

  moved(repository: string): string {
    return `${this.#registry.host}/${this.#pathOf(repository)}`;
  }

  async publish(repository: string, tag: string, version: Version): Promise<IndexVersion> {
    const { entry, image } = (await this.#build(repository, version))!;
    await this.#registry.push(this.#pathOf(repository), tag, image);
    return entry;
  }

  async movedRoot(root: PackageRoot): Promise<PackageRoot> {
    const { version, repository } = root;
    const own = { ...root, repository: this.moved(repository), object: undefined, name: undefined };
    if (version.form !== 'digest') return own;
    return { ...own, version: { form: 'digest', digest: await this.#digestFor(version.digest) } };
  }

  /** A path of its own for a repository, the registry it is at included. */
  #pathOf(repository: string): string {
    const [host, ...rest] = repository.split('/');
    return [this.#id, host!.replaceAll(/[^a-z0-9]/g, '').slice(0, 6), ...rest].join('/');
  }

  async #build(repository: string, { kind, entry }: Version): Promise<Built | undefined> {
    if (this.#built.has(entry)) return this.#built.get(entry);
    this.#built.set(entry, undefined);
    const own = await this.#movedEntry(entry);
    const text = packageText(kind, repository.split('/').at(-1)!, own);
    // Equal packages are to be told apart by their digests.
    const image = await packedImage(`${text}# ${repository} ${entry.digest}\n`);
    const built = { entry: { ...own, digest: image.digest }, image };
    this.#built.set(entry, built);
    return built;
  }

  async #movedEntry(entry: IndexVersion): Promise<IndexVersion> {
    const dependsOn: JsonValue[] = [];
    for (const each of entry.dependsOn ?? []) dependsOn.push(await this.#movedDependency(each));
    return {
      ...entry,
      dependsOn,
      crds: (entry.crds ?? []).map((name) => `${name}.${this.#id}`),
      xrds: (entry.xrds ?? []).map(({ name, claim }) => ({
        name: `${name}.${this.#id}`,
        ...(claim !== undefined && { claim: `${claim}.${this.#id}` }),
      })),
      compositions: (entry.compositions ?? []).map((name) => `${name}-${this.#id}`),
    };
  }

  async #movedDependency(dependency: JsonValue): Promise<JsonValue> {
    if (!isMapping(dependency)) return dependency;
    const fields: Record<string, JsonValue> = {};
    for (const [key, value] of Object.entries(dependency)) {
      if (typeof value !== 'string') fields[key] = value;
      else if (SOURCES.includes(key)) fields[key] = this.moved(value);
      else fields[key] = value.startsWith('sha256:') ? await this.#digestFor(value) : value;
    }
    return fields;
  }

  async #digestFor(digest: string): Promise<string> {
    const found = this.#byDigest.get(digest);
    const built = found && (await this.#build(found.repository, found));
    return built?.image.digest ?? NO_IMAGE;
  }
}

/** With a packed layer and its diffID: releases before v2.2 refuse any other layer that is marked. */
async function packedImage(packageYaml: string): Promise<Image> {
  const tar = await tarOf([{ name: 'package.yaml', content: packageYaml }]);
  const config = {
    architecture: 'amd64',
    os: 'linux',
    rootfs: { type: 'layers', diff_ids: [blobOf(tar).digest] },
  };
  const layer = { ...blobOf(gzipSync(tar)), annotations: BASE };
  return imageOf([layer], JSON.stringify(config));
}
