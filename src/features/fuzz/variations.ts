import { type Draw, getOrCreate, seededDraw } from '../../base/collections.js';
import { parseConstraint } from '../../crossplane/constraints/constraint.js';
import { installableVersions } from '../../crossplane/constraints/installable-versions.js';
import { exactTag, parseVersion } from '../../crossplane/constraints/version.js';
import { readDependency } from '../../crossplane/packages/dependencies.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import { matchesPackages } from '../../project/inputs/policy.js';
import {
  type LocalRoot,
  overrideOf,
  type PackageRoot,
  replacedRepository,
  type Request,
  type Root,
} from '../../project/inputs/request.js';
import type { SourceReader } from '../../resolver/driver/source-reader.js';

/** A variation of a request: some of its roots, each unchanged or at one published version. */
export interface Variation {
  readonly release: Target;
  readonly choices: readonly RootChoice[];
}

/** An unchanged root, or a package root at the version `tag`. */
export type RootChoice =
  | { readonly root: Root; readonly tag?: undefined }
  | {
      readonly root: PackageRoot;
      readonly tag: string;
      /** The root of the request; undefined: only a local package requires the package. */
      readonly original: PackageRoot | undefined;
    };

/** Returns the request with the roots of a variation. */
export function variedRequest(request: Request, { choices }: Pick<Variation, 'choices'>): Request {
  return { ...request, roots: choices.map(rootOf) };
}

function rootOf(choice: RootChoice): Root {
  if (choice.tag === undefined) return choice.root;
  const version = { form: 'tag', tag: choice.tag } as const;
  return { ...choice.root, version, origin: { file: 'this variation' } };
}

/** Returns the name of a root, which does not depend on its version. */
export function rootName({ root }: RootChoice): string {
  switch (root.root) {
    case 'package':
      return root.repository;
    case 'local':
      return root.name;
    case 'crd':
      return 'crd' in root.demand ? root.demand.crd : `${root.demand.kind}.${root.demand.group}`;
  }
}

/** Returns a key that is equal for variations with equal roots, on any release. */
export function variationKey({ choices }: Pick<Variation, 'choices'>): string {
  return choices.map((choice) => `${rootName(choice)} ${choice.tag ?? ''}`).join('\n');
}

/**
 * Returns a minimal variation that breaks as well: no root can be removed, and no root at another
 * version can be replaced by the original root.
 */
export async function minimizeVariation(
  variation: Variation,
  breaks: (smaller: Variation) => Promise<boolean>,
): Promise<Variation> {
  let best = variation;
  for (const choice of variation.choices) {
    const smaller = { ...best, choices: best.choices.filter((other) => other !== choice) };
    if (smaller.choices.length > 0 && (await breaks(smaller))) best = smaller;
  }
  for (const choice of best.choices) {
    if (choice.tag === undefined || choice.original === undefined) continue;
    const original: RootChoice = { root: choice.original };
    const choices = best.choices.map((other) => (other === choice ? original : other));
    const simpler = { ...best, choices };
    if (await breaks(simpler)) best = simpler;
  }
  return best;
}

/** A package that is tried at other versions. */
export interface VariedRoot {
  readonly root: PackageRoot;
  /** Whether it is a root of the request; else a local package requires it. */
  readonly isRoot: boolean;
  /** Whether the original root allows every version that is tried. */
  readonly isWithinRange: boolean;
  /** Returns the versions to try on a release, newest first. */
  readonly tagsFor: (target: Target) => readonly string[];
}

interface VariedRootOptions {
  readonly source: SourceReader;
  /** All releases that `tagsFor` is called with. */
  readonly targets: readonly Target[];
  readonly prereleases: ReadonlySet<Repository>;
  readonly compat: boolean;
}

/**
 * Returns the packages whose version can be varied, in the order of the roots. A root with a range
 * is varied within the range, a root at one version among all published versions, and a requirement
 * of a local package within its constraint. A package with an override is not varied.
 */
export async function variedRoots(
  request: Request,
  options: VariedRootOptions,
): Promise<VariedRoot[]> {
  const { source: reader } = options;
  const roots = request.roots.filter((root) => root.root === 'package');
  const required = request.roots
    .filter((root) => root.root === 'local')
    .flatMap((local) => requiredBy(local, options))
    .filter(({ repository }) => roots.every((root) => root.repository !== repository));
  const varied: VariedRoot[] = [];
  for (const [place, root] of [...roots, ...required].entries()) {
    const repository = replacedRepository(request, root.repository);
    if (overrideOf(request, repository) !== undefined) continue;
    const published = new Map<string, readonly string[]>();
    for (const target of options.targets) {
      published.set(target.version, (await reader.tags(repository, target)) ?? []);
    }
    const lists = new Map<string, readonly string[]>();
    const tagsFor = (target: Target) =>
      getOrCreate(lists, target.version, () =>
        candidates(root, published.get(target.version)!, target, {
          prereleases: options.prereleases.has(repository) || isPrerelease(root, target),
          excluded: excludedVersions(request, repository, target),
        }),
      );
    const isWithinRange = options.targets.every((target) => rangeOf(root, target) !== undefined);
    varied.push({ root, isRoot: place < roots.length, isWithinRange, tagsFor });
  }
  return varied;
}

/** Returns the versions and ranges of a package that the request excludes or its policies deny. */
function excludedVersions(
  { exclude, policies = [] }: Request,
  repository: Repository,
  target: Target,
): string[] {
  const excluded = exclude.filter((rule) => rule.repository === repository);
  // A package that is denied in every version needs no variation to break.
  const denied = policies
    .flatMap(({ deny }) => deny)
    .filter(({ packages }) => matchesPackages(repository, packages, target));
  return [...excluded, ...denied].flatMap(({ version }) => version ?? []);
}

/** Returns the packages that a local package requires, as roots. */
function requiredBy(local: LocalRoot, { targets, compat }: VariedRootOptions): PackageRoot[] {
  const found = new Map<Repository, PackageRoot>();
  for (const { entry, origin } of local.dependsOn) {
    const options = { target: targets[0]!, compat, line: origin.line };
    const { requirement } = readDependency(entry, options);
    if (requirement?.requires !== 'package' || found.has(requirement.repository)) continue;
    const { repository, kind, constraint } = requirement;
    found.set(repository, {
      root: 'package',
      repository,
      kind,
      version: { form: 'text', text: constraint },
      name: undefined,
      spec: {},
      object: undefined,
      ignoreCrossplaneConstraints: false,
      skipDependencyResolution: false,
      origin,
    });
  }
  return [...found.values()];
}

/** Returns the published versions within the range of a root that are not excluded, newest first. */
function candidates(
  root: PackageRoot,
  published: readonly string[],
  target: Target,
  { prereleases, excluded }: { readonly prereleases: boolean; readonly excluded: string[] },
): string[] {
  const { dialect } = target.rules;
  const range = rangeOf(root, target) ?? parseConstraint('>=0.0.0', dialect);
  const rules = excluded.map((text) => parseConstraint(text, dialect));
  return installableVersions(published, target)
    .filter((version) => !range.invalid && range.admits(version, { prereleases }))
    .filter((version) => !rules.some((rule) => !rule.invalid && rule.admits(version)))
    .map(({ raw }) => raw)
    .filter((tag) => !excluded.includes(tag));
}

/** Whether the root is at a prerelease; then other prereleases are tried, too. */
function isPrerelease({ version }: PackageRoot, { rules: { dialect } }: Target): boolean {
  if (version.form === 'digest') return false;
  const tag = version.form === 'tag' ? version.tag : exactTag(version.text, dialect);
  const named = tag === undefined ? undefined : parseVersion(tag, dialect);
  return named !== undefined && named.prerelease !== '';
}

/** Returns the range of a root, or undefined if the root names one version. */
function rangeOf({ version }: PackageRoot, { rules: { dialect } }: Target) {
  if (version.form !== 'text' || exactTag(version.text, dialect) !== undefined) return undefined;
  const range = parseConstraint(version.text, dialect);
  return range.invalid ? undefined : range;
}

interface DrawOptions {
  readonly targets: readonly Target[];
  readonly varied: readonly VariedRoot[];
  readonly options: { readonly seed: number; readonly runs: number };
  /** Whether a variation was known to break before the first one is drawn. */
  readonly isKnown: (variation: Variation) => boolean;
}

/** Maximum number of draws that replace a variation which is known to break. */
const MAX_REDRAWS = 10;

/** Draws random variations of a request from a seed. */
export function* drawVariations(
  choices: readonly RootChoice[],
  { targets, varied, options, isKnown }: DrawOptions,
): Generator<Variation> {
  const draw = seededDraw(options.seed);
  if (varied.every(({ tagsFor }) => targets.every((target) => tagsFor(target).length === 0)))
    return;
  for (let run = 0; run < options.runs; run++) {
    let variation: Variation;
    let redraws = 0;
    do {
      const release = targets[draw(targets.length)]!;
      variation = { release, choices: vary(choices, varied, { release, draw }) };
    } while (isKnown(variation) && redraws++ < MAX_REDRAWS);
    yield variation;
  }
}

function vary(
  unchanged: readonly RootChoice[],
  varied: readonly VariedRoot[],
  { release, draw }: { readonly release: Target; readonly draw: Draw },
): RootChoice[] {
  const pinned = new Map<string, RootChoice>();
  const { roots, isAlone } = drawRoots(varied, draw);
  for (const { root, isRoot, tagsFor } of roots) {
    const tags = tagsFor(release);
    if (tags.length === 0) continue;
    const tag = tags[drawIndex(tags.length, draw)]!;
    pinned.set(root.repository, { root, tag, original: isRoot ? root : undefined });
  }
  const choices = unchanged.flatMap((choice): RootChoice | [] => {
    const name = rootName(choice);
    const pin = pinned.get(name);
    pinned.delete(name);
    if (pin !== undefined) return pin;
    return isAlone && choice.root.root === 'package' ? [] : choice;
  });
  return [...choices, ...pinned.values()];
}

/** Draws two roots without the others (most often), one root among the others, or all roots. */
function drawRoots(
  varied: readonly VariedRoot[],
  draw: Draw,
): { readonly roots: readonly VariedRoot[]; readonly isAlone: boolean } {
  const [first, second, mode] = [draw(varied.length), draw(varied.length), draw(4)];
  if (first === second || mode === 0) return { roots: [varied[first]!], isAlone: false };
  if (mode === 1) return { roots: varied, isAlone: false };
  return { roots: [varied[first]!, varied[second]!], isAlone: true };
}

/** Draws an index; the first and the last are more likely than the others. */
function drawIndex(count: number, draw: Draw): number {
  const mode = draw(6);
  if (mode === 0) return 0;
  return mode === 1 ? count - 1 : draw(count);
}
