// Written twice on purpose: output is judged here by rules of its own, so that a mistake in bundle or lock shows.
import { dependencyCycles } from '../../lock/order.js';
import { parseConstraint } from '../../semver/constraint.js';
import { objectNameOf } from '../../model/name.js';
import { ownershipKey } from '../../model/owned-object.js';
import { validPackageReference } from '../../model/reference.js';
import { parseVersion } from '../../semver/version.js';
import { edgeProblems, mixedSkips } from './acceptance-edges.js';
import { lockProblems } from './acceptance-lock.js';
import { edgesOf, installedSet, type InstalledSet, type Output } from './installed-set.js';
import { pinProblems } from './acceptance-pins.js';
import type { AcceptanceProblem, AcceptanceRule } from './acceptance-problem.js';
import { suffixedName } from '../object-name.js';

/**
 * Everything about rendered output that a cluster of the target's release would refuse or get stuck on.
 *
 * Reads the objects as the cluster will, and takes from the lockfile only what the packages
 * themselves say (dependencies, Crossplane constraint, what they own).
 */
export function acceptanceProblems(output: Output): readonly AcceptanceProblem[] {
  const set = installedSet(output);
  return [
    ...breaking('source-repeated', repeatedSources(set)),
    ...breaking('not-as-locked', notRendered(set)),
    ...breaking('mixed-skips', mixedSkips(set)),
    ...edgeProblems(set),
    ...breaking('crossplane-constraint', crossplaneProblems(set)),
    ...breaking('dependency-cycle', cycleProblems(set)),
    ...breaking('two-owners', ownershipProblems(set)),
    ...breaking('package-reference', referenceProblems(set)),
    ...breaking('image-pin', pinProblems(set)),
    ...breaking('object-name', nameProblems(set)),
    ...breaking('lock-row', lockProblems(set)),
    ...breaking('apply-order', orderProblems(set)),
  ];
}

function breaking(rule: AcceptanceRule, messages: readonly string[]): readonly AcceptanceProblem[] {
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
  const swapped = installed.filter(
    ({ locked, kind }) => locked !== undefined && locked.kind !== kind,
  );
  return [
    ...missing.map(({ repository }) => `\`${repository}\` is locked and no object installs it`),
    ...unknown.map(({ reference }) => `\`${reference}\` is installed and not locked`),
    ...swapped.map(({ source, kind }) => `\`${source}\` is not a ${kind}`),
  ];
}

function crossplaneProblems({ installed, target }: InstalledSet): readonly string[] {
  const { dialect } = target.rules;
  const running = parseVersion(target.version, dialect);
  return installed.flatMap(({ source, spec, locked }) => {
    if (locked?.crossplane === undefined || spec['ignoreCrossplaneConstraints'] === true) return [];
    const constraint = parseConstraint(locked.crossplane, dialect);
    if (!constraint.invalid && running !== undefined && constraint.admits(running)) return [];
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

/** Kubernetes' own expression for the name of an object. */
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_LABEL_VALUE_LENGTH = 63;

function nameProblems({ installed, target, keptNames }: InstalledSet): readonly string[] {
  const holders = new Map<string, string>();
  for (const { name, source } of installed) if (!holders.has(name)) holders.set(name, source);
  return installed.flatMap(({ name, source, locked }) => {
    if (!SUBDOMAIN.test(name) || name.length > MAX_LABEL_VALUE_LENGTH)
      return [`\`${name}\` cannot be the name of an object`];
    if (holders.get(name) !== source) return [`two objects are named \`${name}\``];
    if (locked === undefined || locked.direct || keptNames?.has(name) === true) return [];
    const derived = objectNameOf(locked.repository, target);
    const holder = holders.get(derived);
    const free = derived !== '' && (holder === undefined || holder === source);
    const want = free ? derived : suffixedName(derived, locked.repository);
    return name === want ? [] : [`\`${source}\` is named \`${name}\`, and should be \`${want}\``];
  });
}

function orderProblems(set: InstalledSet): readonly string[] {
  const first = Math.min(...set.installed.map(({ position }) => position));
  const others = set.objects.length - set.installed.length;
  const late = set.installed.length > 0 && first < others;
  const cyclic = new Set(dependencyCycles(set.lockfile.packages).flat());
  const early = edgesOf(set).filter(
    ({ parent, child }) =>
      child !== undefined &&
      child.position > parent.position &&
      !(cyclic.has(child.source) && cyclic.has(parent.source)),
  );
  return [
    ...(late ? ['an object that packages lean on comes after a package'] : []),
    ...early.map(({ parent, child }) => `\`${parent.source}\` comes before \`${child!.source}\``),
  ];
}
