// Duplicates rules of the renderer on purpose, so that a mistake in either one shows.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { nameOf, suffixedName } from './object-names.js';
import { isDigest } from '../../base/digest.js';
import { isList, type JsonObject, listOf, mappingOf, stringOf } from '../../base/json.js';
import { parseConstraint } from '../../crossplane/constraints/constraint.js';
import { parseVersion } from '../../crossplane/constraints/version.js';
import { friendlyId, objectNameOf } from '../../crossplane/packages/object-names.js';
import { ownershipKey } from '../../crossplane/packages/owned-objects.js';
import type { PackageRequirement } from '../../crossplane/packages/package-meta.js';
import { PACKAGE_KINDS, type Repository } from '../../crossplane/packages/package.js';
import {
  sameRepository,
  splitPackageReference,
  validPackageReference,
} from '../../crossplane/packages/reference.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { TargetRules } from '../../crossplane/releases/release-facts.js';
import { dependencyCycles } from '../lockfile/lock-graph.js';
import { byRepository, type LockedPackage, type Lockfile } from '../lockfile/lockfile.js';

/** A rule of the cluster for the objects that it is given. */
export type AcceptanceRule =
  /** At most one object installs each package repository. */
  | 'source-repeated'
  /** The objects match the lockfile. */
  | 'not-as-locked'
  /** Every dependency is installed, with the same spelling of its repository. */
  | 'dependency-missing'
  | 'dependency-kind'
  /** Every dependency is installed at a version that satisfies the constraints. */
  | 'dependency-version'
  /** A root by digest has no dependents with a range, which no digest satisfies. */
  | 'root-by-digest'
  | 'dependency-cycle'
  /** Either all packages skip dependency resolution or none. */
  | 'mixed-skips'
  | 'crossplane-constraint'
  | 'two-owners'
  /** `spec.package` is valid for the API server and parser of the target. */
  | 'package-reference'
  /** A tag that ImageConfigs pin is pulled at the locked digest. */
  | 'image-pin'
  | 'object-name'
  /** The Lock matches the one that the package manager would write. */
  | 'lock-row'
  /** Dependencies precede their dependents, and other objects precede packages. */
  | 'apply-order';

/** A rule that the output violates. */
export interface AcceptanceProblem {
  readonly rule: AcceptanceRule;
  readonly message: string;
}

/**
 * Returns everything in rendered output that a cluster of the target's release would reject or get
 * stuck on.
 *
 * Reads the objects as the cluster does. Uses the lockfile only for the metadata of the packages:
 * dependencies, Crossplane constraint and owned objects.
 */
export function acceptanceProblems(output: Output): readonly AcceptanceProblem[] {
  const set = installedSet(output);
  return [
    ...problemsOf('source-repeated', repeatedSources(set)),
    ...problemsOf('not-as-locked', notRendered(set)),
    ...problemsOf('mixed-skips', mixedSkips(set)),
    ...(set.skips ? [] : requirementEdges(set)).flatMap((edge) => edgeProblem(edge, set) ?? []),
    ...problemsOf('crossplane-constraint', crossplaneProblems(set)),
    ...problemsOf('dependency-cycle', cycleProblems(set)),
    ...problemsOf('two-owners', ownershipProblems(set)),
    ...problemsOf('package-reference', referenceProblems(set)),
    ...problemsOf('image-pin', pinProblems(set)),
    ...problemsOf('object-name', nameProblems(set)),
    ...problemsOf('lock-row', lockProblems(set)),
    ...problemsOf('apply-order', orderProblems(set)),
  ];
}

function problemsOf(rule: AcceptanceRule, messages: readonly string[]): AcceptanceProblem[] {
  return messages.map((message) => ({ rule, message }));
}

function repeatedSources({ installed }: InstalledSet): readonly string[] {
  const seen = new Set<string>();
  return installed.flatMap(({ source }) => {
    if (seen.has(source)) return [`\`${source}\` is installed by more than one object`];
    seen.add(source);
    return [];
  });
}

function notRendered({ lockfile, installed, bySource }: InstalledSet): readonly string[] {
  const missing = lockfile.packages.filter(({ repository }) => !bySource.has(repository));
  const unknown = installed.filter(({ locked }) => locked === undefined);
  const wrongKinds = installed.filter(({ locked, kind }) => (locked?.kind ?? kind) !== kind);
  return [
    ...missing.map(({ repository }) => `\`${repository}\` is locked and no object installs it`),
    ...unknown.map(({ reference }) => `\`${reference}\` is installed and not locked`),
    ...wrongKinds.map(({ source, kind }) => `\`${source}\` is not a ${kind}`),
  ];
}

function crossplaneProblems({ installed, target }: InstalledSet): readonly string[] {
  const { dialect } = target.rules;
  const crossplaneVersion = parseVersion(target.version, dialect);
  return installed.flatMap(({ source, spec, locked }) => {
    if (locked?.crossplane === undefined || spec['ignoreCrossplaneConstraints'] === true) return [];
    const constraint = parseConstraint(locked.crossplane, dialect);
    if (
      !constraint.invalid &&
      crossplaneVersion !== undefined &&
      constraint.admits(crossplaneVersion)
    )
      return [];
    return [`\`${source}\` wants Crossplane \`${locked.crossplane}\`, not ${target.version}`];
  });
}

function cycleProblems({ lockfile, skips }: InstalledSet): readonly string[] {
  if (skips) return [];
  return dependencyCycles(lockfile.packages).map(
    (members) => `${members.map((each) => `\`${each}\``).join(' and ')} depend on each other`,
  );
}

function ownershipProblems({ lockfile }: InstalledSet): readonly string[] {
  const owners = new Map<string, string>();
  return lockfile.packages.flatMap(({ repository, owns }) =>
    owns.flatMap((owned) => {
      const key = ownershipKey(owned);
      const owner = owners.get(key) ?? repository;
      owners.set(key, owner);
      if (owner === repository) return [];
      return [`\`${owner}\` and \`${repository}\` both own ${owned.kind} \`${owned.name}\``];
    }),
  );
}

function referenceProblems({ installed, target }: InstalledSet): readonly string[] {
  return installed.flatMap(({ reference, source }) => {
    if (!validPackageReference(reference, target)) {
      return [`Crossplane ${target.version} refuses \`${reference}\` as a package`];
    }
    const tagged = source.lastIndexOf(':') > source.lastIndexOf('/');
    return tagged ? [`\`${reference}\` has a tag and a digest: no dependent would find it`] : [];
  });
}

/** The pattern of Kubernetes for the name of an object. */
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_LABEL_VALUE_LENGTH = 63;

function nameProblems({ installed, target, keptNames }: InstalledSet): readonly string[] {
  // The first object with a name has it.
  const sourceByName = new Map(installed.toReversed().map(({ name, source }) => [name, source]));
  return installed.flatMap(({ name, source, locked }) => {
    if (!SUBDOMAIN.test(name) || name.length > MAX_LABEL_VALUE_LENGTH) {
      return [`\`${name}\` cannot be the name of an object`];
    }
    if (sourceByName.get(name) !== source) return [`two objects are named \`${name}\``];
    if (locked === undefined || locked.direct || keptNames?.has(name) === true) return [];
    const derived = objectNameOf(locked.repository, target);
    const holder = sourceByName.get(derived);
    const isDerivedNameFree = derived !== '' && (holder === undefined || holder === source);
    const expected = isDerivedNameFree ? derived : suffixedName(derived, locked.repository);
    return name === expected
      ? []
      : [`\`${source}\` is named \`${name}\`, and should be \`${expected}\``];
  });
}

function orderProblems(set: InstalledSet): readonly string[] {
  const first = Math.min(...set.installed.map(({ position }) => position));
  const others = set.objects.length - set.installed.length;
  const areExtrasLate = set.installed.length > 0 && first < others;
  const cyclic = new Set(dependencyCycles(set.lockfile.packages).flat());
  const tooEarly = requirementEdges(set).filter(
    ({ parent, child }) =>
      child !== undefined &&
      child.position > parent.position &&
      !(cyclic.has(child.source) && cyclic.has(parent.source)),
  );
  return [
    ...(areExtrasLate ? ['an object that packages lean on comes after a package'] : []),
    ...tooEarly.map(
      ({ parent, child }) => `\`${parent.source}\` comes before \`${child!.source}\``,
    ),
  ];
}

/** A package that skips is not in the Lock, so packages that do not skip would miss it. */
function mixedSkips(set: InstalledSet): readonly string[] {
  const skipping = set.installed.filter(skipsResolution);
  if (set.skips || skipping.length === 0) return [];
  return skipping.map(({ source }) => `\`${source}\` skips dependency resolution, others do not`);
}

/** A dependency that is missing, of the wrong kind or at an unsuitable version. */
function edgeProblem(edge: InstalledEdge, set: InstalledSet): AcceptanceProblem | undefined {
  const { parent, requirement, child } = edge;
  const requirementText = `\`${parent.source}\` asks for \`${requirement.repository}\``;
  if (child === undefined) {
    const other = set.installed.find(({ source }) =>
      sameRepository(source, requirement.repository, set.target),
    );
    const spellingNote = other === undefined ? '' : `, which is spelled \`${other.source}\``;
    return {
      rule: 'dependency-missing',
      message: `${requirementText}${spellingNote}: it is not installed`,
    };
  }
  if (child.kind !== requirement.kind) {
    const message = `${requirementText} as a ${requirement.kind}; it is a ${child.kind}`;
    return { rule: 'dependency-kind', message };
  }
  const { constraint } = requirement;
  const reason = constraintProblem(constraint, child.version, set.target);
  if (reason === undefined) return undefined;
  const isRootByDigest = child.locked?.direct === true && isDigest(child.version);
  const rule = isRootByDigest && !isDigest(constraint) ? 'root-by-digest' : 'dependency-version';
  return { rule, message: `${requirementText} \`${constraint}\`: ${reason}` };
}

/** Compares like the package manager: digests as text, all else as semver. */
function constraintProblem(constraint: string, version: string, { rules }: Target) {
  if (rules.digestDependencies && isDigest(constraint)) {
    return version === constraint ? undefined : `\`${version}\` is not that digest`;
  }
  const range = parseConstraint(constraint, rules.dialect);
  if (range.invalid) return range.error;
  const installed = parseVersion(version, rules.dialect);
  if (installed === undefined) return `\`${version}\` is not a version`;
  return range.admits(installed) ? undefined : `\`${version}\` does not fit`;
}

/** Returns the differences to the Lock that the package manager would write. */
function lockProblems(set: InstalledSet): readonly string[] {
  if (set.lock === undefined) return [];
  // A clone has ordinary prototypes, which parsed YAML has not.
  const { packages, ...head } = structuredClone(set.lock);
  const expectedHead = {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'Lock',
    metadata: { name: 'lock' },
  };
  if (!isList(packages) || !isDeepStrictEqual(head, expectedHead)) {
    return ['it is not the Lock named `lock`'];
  }
  // Packages that skip dependency resolution have no rows.
  const inLock = set.skips ? [] : set.installed;
  const expected = inLock.map((each) => rowOf(each, set.target));
  return [
    ...expected
      .filter((row) => !packages.some((other) => isDeepStrictEqual(row, other)))
      .map(({ source }) => `the row of \`${source}\` is missing or wrong`),
    ...(packages.length === expected.length
      ? []
      : [`the Lock has ${packages.length} rows for ${expected.length} packages`]),
  ];
}

function rowOf({ name, kind, source, version, locked }: InstalledObject, target: Target) {
  const { rules, packageManager } = target;
  const hex = (locked?.digest ?? '').replace('sha256:', '');
  const requirements = locked?.requirements.filter((each) => each.requires === 'package') ?? [];
  return {
    name: friendlyId(name, packageManager.revisionNames === 'digest' ? hex : sha256(`${hex}|1`)),
    ...(rules.lockRows === 'type' ? { type: kind } : { apiVersion: 'pkg.crossplane.io/v1', kind }),
    source,
    version,
    dependencies: requirements.map((each) => dependencyOf(each, rules)),
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function dependencyOf(requirement: PackageRequirement, { lockRows }: TargetRules): JsonObject {
  const { repository, kind, apiVersion, constraint } = requirement;
  const hasType = lockRows === 'type' || apiVersion === undefined;
  return {
    package: repository,
    ...(hasType ? { type: kind } : { apiVersion, kind }),
    constraints: constraint,
  };
}

/** Packages that ImageConfigs pull at another digest than the locked one, or at none. */
function pinProblems({ installed, objects, target, pinned }: InstalledSet): string[] {
  if (target.rules.imageConfig?.rewrite !== true) return [];
  const rewrites = objects
    .filter(({ kind, spec }) => kind === 'ImageConfig' && mappingOf(spec)?.['rewriteImage'])
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .flatMap(rewritesOf);
  return installed.flatMap(({ reference, version, locked }) => {
    if (isDigest(version)) return [];
    const matching = rewrites.filter(({ prefix }) => reference.startsWith(prefix));
    const longest = Math.max(0, ...matching.map(({ prefix }) => prefix.length));
    const to = matching.find(({ prefix }) => prefix.length === longest);
    const pulled = to === undefined ? reference : to.by + reference.slice(longest);
    if (!pulled.includes('@')) return pinned ? [`\`${reference}\` is not pulled by digest`] : [];
    const digest = pulled.slice(pulled.indexOf('@') + 1);
    if (digest === locked?.digest) return [];
    return [`\`${reference}\` is pulled as \`${digest}\`, and \`${locked?.digest}\` is locked`];
  });
}

function rewritesOf({ spec }: JsonObject): { readonly prefix: string; readonly by: string }[] {
  const { matchImages, rewriteImage } = mappingOf(spec) ?? {};
  const by = stringOf(mappingOf(rewriteImage)?.['prefix']) ?? '';
  return (listOf(matchImages) ?? []).map((match) => ({
    prefix: stringOf(mappingOf(match)?.['prefix']) ?? '',
    by,
  }));
}

/** The objects to apply, and the lockfile they were rendered from. */
export interface Output {
  readonly lockfile: Lockfile;
  readonly target: Target;
  /** Objects in the order of applying them. */
  readonly objects: readonly JsonObject[];
  readonly lock?: JsonObject | undefined;
  /** Whether every tag must be pulled by digest. */
  readonly pinned?: boolean | undefined;
  /** Names that an earlier lockfile assigned and that are kept. */
  readonly keptNames?: ReadonlySet<string> | undefined;
}

/** A package object as the cluster reads it. */
interface InstalledObject {
  readonly kind: string;
  readonly name: string;
  readonly spec: JsonObject;
  /** `spec.package`. */
  readonly reference: string;
  /** Source and version of the row in the Lock. */
  readonly source: Repository;
  readonly version: string;
  /** Index among all objects. */
  readonly position: number;
  readonly locked: LockedPackage | undefined;
}

interface InstalledSet extends Output {
  readonly installed: readonly InstalledObject[];
  readonly bySource: ReadonlyMap<Repository, InstalledObject>;
  /** Whether all packages skip dependency resolution. */
  readonly skips: boolean;
}

function installedSet(output: Output): InstalledSet {
  const locked = byRepository(output.lockfile.packages);
  const installed = output.objects.flatMap((object, position): InstalledObject[] => {
    const { kind } = object;
    if (typeof kind !== 'string' || !PACKAGE_KINDS.some((each) => each === kind)) return [];
    const spec = mappingOf(object['spec']) ?? {};
    const reference = stringOf(spec['package']) ?? '';
    const split = splitPackageReference(reference) ?? { source: '', version: '' };
    const name = nameOf(object);
    return [{ kind, name, spec, reference, ...split, position, locked: locked.get(split.source) }];
  });
  return {
    ...output,
    installed,
    bySource: new Map(installed.map((each) => [each.source, each])),
    skips: installed.length > 0 && installed.every(skipsResolution),
  };
}

function skipsResolution({ spec }: InstalledObject): boolean {
  return spec['skipDependencyResolution'] === true;
}

/** A requirement of one package on another. */
interface InstalledEdge {
  readonly parent: InstalledObject;
  readonly requirement: PackageRequirement;
  /** The required package; undefined if no repository with this exact spelling is installed. */
  readonly child: InstalledObject | undefined;
}

function requirementEdges(set: InstalledSet): readonly InstalledEdge[] {
  return set.installed.flatMap((parent) =>
    (parent.locked?.requirements ?? []).flatMap((requirement) =>
      requirement.requires === 'package'
        ? [{ parent, requirement, child: set.bySource.get(requirement.repository) }]
        : [],
    ),
  );
}
