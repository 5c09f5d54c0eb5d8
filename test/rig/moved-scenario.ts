import { gzipSync } from 'node:zlib';
import type { IndexFile, IndexPackage, IndexVersion } from '../../src/sources/index/index-file.js';
import type { CrdRef } from '../../src/crossplane/packages/crd-ref.js';
import type {
  LocalRoot,
  PackageRoot,
  Request,
  Root,
  VersionRule,
} from '../../src/project/inputs/request.js';
import type { Scenario } from '../../src/testing/generators/scenario.js';
import { isDigest } from '../../src/base/digest.js';
import { isMapping, type JsonValue } from '../../src/base/json.js';
import type { DockerRegistry } from '../conformance/docker-registry.js';
import { BASE, blobOf, imageOf, tarOf, type Image } from '../support/registry/image.js';
import { packageText } from './package-text.js';

/** A scenario with unique names, and the images of its packages. */
export interface MovedScenario extends Scenario {
  /** Part of every name in it. */
  readonly id: string;
  /** Publishes its packages under their names. */
  publish(registry: DockerRegistry): Promise<void>;
}

/** Gives every package of a scenario its own path in a registry and its own APIs. */
export async function moveScenario(
  { universe, request, options }: Scenario,
  id: string,
  host: string,
): Promise<MovedScenario> {
  const mover = new Mover(universe, id, host);
  const packages: Record<string, IndexPackage> = {};
  for (const [repository, { kind, versions }] of Object.entries(universe.packages)) {
    const entries: Record<string, IndexVersion> = {};
    for (const [tag, entry] of Object.entries(versions)) {
      const moved = await mover.move(repository, tag, { kind, entry });
      entries[isDigest(tag) ? moved.digest! : tag] = moved;
    }
    packages[mover.moved(repository)] = { kind, versions: entries };
  }
  const { locked, prereleases } = options;
  return {
    id,
    universe: { packages },
    request: await mover.movedRequest(request),
    options: {
      ...options,
      ...(prereleases && { prereleases: prereleases.map((each) => mover.moved(each)) }),
      ...(locked && {
        locked: new Map(Array.from(locked, ([name, tag]) => [mover.moved(name), tag])),
      }),
    },
    publish: async (registry) => {
      await Promise.all(mover.images.map((each) => registry.push(each.path, each.tag, each.image)));
    },
  };
}

/** The digest that replaces one in a cycle of digests; no image has it. */
const NO_IMAGE = `sha256:${'0'.repeat(64)}`;
/** Keys of a dependsOn entry that state a package and its kind. */
export const KIND_KEYS = ['provider', 'configuration', 'function'] as const;
/** Keys that state a package. */
export const SOURCE_KEYS: readonly string[] = [...KIND_KEYS, 'package'];

interface Version {
  readonly kind: string;
  readonly entry: IndexVersion;
}

interface Built {
  readonly entry: IndexVersion;
  readonly image: Image;
}

/** Moves packages one after another: an image with digests of others is built after them. */
class Mover {
  readonly #id: string;
  readonly #host: string;
  readonly #byDigest: ReadonlyMap<string | undefined, Version & { readonly repository: string }>;
  /** undefined: the image is being built. */
  readonly #built = new Map<IndexVersion, Built | undefined>();

  /** Images to publish. */
  readonly images: { readonly path: string; readonly tag: string; readonly image: Image }[] = [];

  constructor({ packages }: IndexFile, id: string, host: string) {
    this.#id = id;
    this.#host = host;
    this.#byDigest = new Map(
      Object.entries(packages).flatMap(([repository, { kind, versions }]) =>
        Object.values(versions).map((entry) => [entry.digest, { repository, kind, entry }]),
      ),
    );
  }

  moved(repository: string): string {
    return `${this.#host}/${this.#pathOf(repository)}`;
  }

  async move(repository: string, tag: string, version: Version): Promise<IndexVersion> {
    const { entry, image } = (await this.#build(repository, version))!;
    const path = this.#pathOf(repository);
    this.images.push({ path, tag: isDigest(tag) ? image.digest : tag, image });
    return entry;
  }

  async movedRequest(request: Request): Promise<Request> {
    const roots: Root[] = [];
    for (const root of request.roots) roots.push(await this.#movedRoot(root));
    return {
      ...request,
      crossplane: undefined,
      roots,
      overrides: await this.#movedRules(request.overrides),
      exclude: await this.#movedRules(request.exclude),
      replace: request.replace.map((each) => ({
        ...each,
        repository: this.moved(each.repository),
        with: this.moved(each.with),
      })),
    };
  }

  async #movedRules(rules: readonly VersionRule[]): Promise<VersionRule[]> {
    const moved: VersionRule[] = [];
    for (const rule of rules) {
      const version = isDigest(rule.version) ? await this.#digestFor(rule.version) : rule.version;
      moved.push({ ...rule, repository: this.moved(rule.repository), version });
    }
    return moved;
  }

  async #movedRoot(root: Root): Promise<Root> {
    switch (root.root) {
      case 'package':
        return this.#movedPackage(root);
      case 'crd':
        return { ...root, demand: this.#movedDemand(root.demand) };
      case 'local': {
        const dependsOn: LocalRoot['dependsOn'][number][] = [];
        for (const { entry, origin } of root.dependsOn) {
          dependsOn.push({ entry: await this.#movedDependency(entry), origin });
        }
        return { ...root, dependsOn };
      }
    }
  }

  #movedDemand(demand: CrdRef): CrdRef {
    const named =
      'crd' in demand
        ? { ...demand, crd: `${demand.crd}.${this.#id}` }
        : { ...demand, group: demand.group === '*' ? '*' : `${demand.group}.${this.#id}` };
    const { registry } = demand;
    return registry === undefined ? named : { ...named, registry: this.moved(registry) };
  }

  async #movedPackage(root: PackageRoot): Promise<PackageRoot> {
    const { version, repository } = root;
    const own = { ...root, repository: this.moved(repository), object: undefined, name: undefined };
    if (version.form !== 'digest') return own;
    return { ...own, version: { form: 'digest', digest: await this.#digestFor(version.digest) } };
  }

  /** Returns a unique path for a repository, including the registry. */
  #pathOf(repository: string): string {
    const [host, ...rest] = repository.split('/');
    return [this.#id, host!.replaceAll(/[^a-z0-9]/g, '').slice(0, 6), ...rest].join('/');
  }

  async #build(repository: string, { kind, entry }: Version): Promise<Built | undefined> {
    if (this.#built.has(entry)) return this.#built.get(entry);
    this.#built.set(entry, undefined);
    const own = await this.#movedEntry(entry);
    const text = packageText(kind, repository.split('/').at(-1)!, own);
    // Equal packages must have different digests.
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
      else if (SOURCE_KEYS.includes(key)) fields[key] = this.moved(value);
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

/**
 * Uses a compressed layer and its diffID: releases before v2.2 reject any other annotated layer.
 */
export async function packedImage(packageYaml: string): Promise<Image> {
  const tar = await tarOf([{ name: 'package.yaml', content: packageYaml }]);
  const config = {
    architecture: 'amd64',
    os: 'linux',
    rootfs: { type: 'layers', diff_ids: [blobOf(tar).digest] },
  };
  const layer = { ...blobOf(gzipSync(tar)), annotations: BASE };
  return imageOf([layer], JSON.stringify(config));
}
