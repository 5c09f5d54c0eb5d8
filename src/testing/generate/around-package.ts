import { isAbsolute, resolve } from 'node:path';
import * as fc from 'fast-check';
import { combine } from '../../inputs/combine.js';
import { readRef } from '../../inputs/command-line-ref.js';
import { readInputs } from '../../inputs/read-inputs.js';
import type { IndexFile, IndexPackage } from '../../model/index-file.js';
import { InputError } from '../../model/input-error.js';
import type { PackageSource } from '../../model/package-source.js';
import type { Request, Root } from '../../model/request.js';
import { sameRules, targetFor, type Target } from '../../model/target/target.js';
import { chooseTargets } from '../../model/target/target-choice.js';
import {
  admittedTags,
  requiredBy,
  neighbourhood,
  newestFirst,
  type RequiredPackage,
} from './neighbourhood.js';
import { printableScenario, type Scenario } from './scenario.js';

export interface AroundOptions {
  /** A release of Crossplane, a range, or a list of releases; unless told, the newest known. */
  readonly crossplane?: string | readonly string[] | undefined;
  /** Other roots, each a reference; any of them may stand beside the package. */
  readonly beside?: readonly string[] | undefined;
  /** Packages whose published versions vary; unless told, those that the package requires. */
  readonly vary?: readonly string[] | undefined;
  /**
   * `up-to`: of a package that varies, what was published up to some version; `only`: that version
   * alone. Of a package that the package itself requires, one of those it admits.
   */
  readonly published?: 'up-to' | 'only' | undefined;
  /** Versions to read for each requirement, the newest that it admits; 10 unless told. */
  readonly versions?: number | undefined;
  /** More package versions than this are an error; 2000 unless told. */
  readonly limit?: number | undefined;
  /** Packages whose prereleases count as releases. */
  readonly prereleases?: readonly string[] | undefined;
}

/** A package among those it could be installed with. */
export interface Neighbourhood {
  /** Everything read, as published. */
  readonly universe: IndexFile;
  /** For the package alone. */
  readonly request: Request;
  /** The releases of Crossplane it is tried on, newest first. */
  readonly releases: readonly string[];
  /** The versions at which the publishing of a package may stop, newest first. */
  readonly varied: ReadonlyMap<string, readonly string[]>;
  /**
   * The package on one of the releases, beside some of the other roots, with some of the versions
   * published. Shrinks to the newest release, the package alone, and everything published.
   */
  readonly scenarios: fc.Arbitrary<Scenario>;
}

/**
 * The neighbourhood of a real package: of a reference (`xpkg.example.org/acme/a@^v1.0.0`), or of
 * the package in a folder (a path that is absolute or begins with a dot).
 *
 * Reads from the source what the package and the other roots could need, within bounds; afterwards
 * nothing more is read, and the same scenarios are drawn for the same seed.
 */
export async function aroundPackage(
  what: string,
  source: PackageSource,
  options: AroundOptions = {},
): Promise<Neighbourhood> {
  const { beside = [], prereleases = [] } = options;
  const targets = targetsOf(options.crossplane);
  const request = await requestFor(what);
  const others = combine(beside.map(readRef)).roots;
  const bounds = {
    targets: targets.filter((a, n) => targets.findIndex((b) => sameRules(a, b)) === n),
    versions: options.versions ?? 10,
    limit: options.limit ?? 2000,
    prereleases: new Set(prereleases),
  };
  const everything = { ...request, roots: [...request.roots, ...others] };
  const universe = await neighbourhood(everything, source, bounds);
  const asked = request.roots.flatMap((root) => asksFor(root, universe, bounds.targets));
  const names = options.vary ?? asked.map(({ repository }) => repository);
  const varied = new Map(
    [...new Set(names)].flatMap((name) => {
      const tags = stops(name, { universe, asked, ...bounds });
      return tags.length === 0 ? [] : [[name, tags] as const];
    }),
  );
  const releases = targets.map(({ version }) => version);
  const found = { universe, request, releases, varied };
  return { ...found, scenarios: scenarios(found, others, options) };
}

function scenarios(
  { universe, request, releases, varied }: Omit<Neighbourhood, 'scenarios'>,
  others: readonly Root[],
  { published = 'up-to', prereleases }: AroundOptions,
): fc.Arbitrary<Scenario> {
  const plan = fc.record({
    release: fc.constantFrom(...releases),
    beside: fc.subarray([...others]),
    stops: fc.tuple(...[...varied.values()].map((tags) => fc.nat({ max: tags.length }))),
  });
  return plan.map(({ release, beside, stops: drawn }) => {
    const packages = { ...universe.packages };
    for (const [n, [name, tags]] of [...varied].entries()) {
      // 0 stands for everything published, and is what a draw shrinks to.
      const stop = tags[drawn[n]! - 1];
      if (stop !== undefined) packages[name] = cut(packages[name]!, stop, published);
    }
    return printableScenario({
      universe: { packages },
      request: { ...request, roots: [...request.roots, ...beside] },
      options: { crossplane: release, ...(prereleases && { prereleases }) },
    });
  });
}

/** The package as published up to `stop`, or `stop` alone; digests and tags that are no version stay. */
function cut(
  { kind, versions }: IndexPackage,
  stop: string,
  published: 'up-to' | 'only',
): IndexPackage {
  const order = newestFirst(Object.keys(versions));
  const gone = new Set(
    published === 'only'
      ? order.filter((tag) => tag !== stop)
      : order.slice(0, order.indexOf(stop)),
  );
  const left = Object.entries(versions).filter(([tag]) => !gone.has(tag));
  return { kind, versions: Object.fromEntries(left) };
}

/** The versions at which the publishing of a package may stop, newest first. */
function stops(
  name: string,
  context: {
    readonly universe: IndexFile;
    readonly asked: readonly RequiredPackage[];
    readonly targets: readonly Target[];
    readonly prereleases: ReadonlySet<string>;
  },
): string[] {
  const { universe, asked, targets } = context;
  if (!Object.hasOwn(universe.packages, name)) return [];
  const tags = newestFirst(Object.keys(universe.packages[name]!.versions));
  const texts = asked.flatMap(({ repository, version }) =>
    name === String(repository) && version.form === 'text' ? [version.text] : [],
  );
  if (texts.length === 0) return tags;
  const prereleases = context.prereleases.has(name);
  const admitted = texts.flatMap((text) => admittedTags(tags, text, { targets, prereleases }));
  return tags.filter((tag) => admitted.includes(tag));
}

/** What a root itself requires, in any of its versions. */
function asksFor(
  root: Root,
  { packages }: IndexFile,
  targets: readonly Target[],
): readonly RequiredPackage[] {
  switch (root.root) {
    case 'local':
      return requiredBy(
        root.dependsOn.map(({ entry }) => entry),
        targets,
      );
    case 'package': {
      const held = Object.hasOwn(packages, root.repository) ? packages[root.repository] : undefined;
      const versions = Object.values(held?.versions ?? {});
      return requiredBy(
        versions.flatMap(({ dependsOn = [] }) => dependsOn),
        targets,
      );
    }
    case 'crd':
      return [];
  }
}

async function requestFor(what: string): Promise<Request> {
  if (!what.startsWith('.') && !isAbsolute(what)) return combine([readRef(what)]);
  const { request } = await readInputs({
    files: [what],
    refs: [],
    cwd: resolve('.'),
    stdin: () => Promise.resolve(''),
  });
  return request;
}

function targetsOf(crossplane: AroundOptions['crossplane']): Target[] {
  if (typeof crossplane === 'object') return crossplane.map(exactly);
  const origin = { file: 'aroundPackage' };
  const asked = crossplane === undefined ? undefined : { text: crossplane, origin };
  return chooseTargets(asked).groups.flat();
}

function exactly(release: string): Target {
  const target = targetFor(release);
  if (target !== undefined) return target;
  throw new InputError(`\`${release}\` is no release of Crossplane`, {
    hint: 'write full versions in a list, such as `v2.3.4`; a text alone may be a range',
  });
}
