import {
  type LintedProject,
  uncheckedFinding,
  type LintFinding,
  type LintRule,
} from './linted-project.js';
import { isDigest } from '../../base/digest.js';
import { formatOrigin } from '../../base/errors.js';
import { API_DROPPED, excludesPatchedBuilds } from '../../crossplane/packages/advice.js';
import { objectNameOf } from '../../crossplane/packages/object-names.js';
import { repositoryProblem } from '../../crossplane/packages/reference.js';
import { knownReleases, targetFor } from '../../crossplane/releases/target.js';
import type { Request } from '../../project/inputs/request.js';
import { missingRuntimeConfigs } from '../../project/manifests/extra-manifests.js';
import type { Unsolvable } from '../../resolver/resolve/answer.js';
import { findDroppedFields, uncheckedFields } from '../diff/dropped-fields.js';

/** Roots without a registry: their meaning depends on the release, and v2 rejects them. */
function unqualifiedRootFindings({ request, target }: LintedProject): LintFinding[] {
  const newest = targetFor(knownReleases().at(-1)!)!;
  if (target.rules.strictReferences) return [];
  return request.roots.flatMap((root): LintFinding[] => {
    if (root.root !== 'package') return [];
    const problem = repositoryProblem(root.repository, newest);
    if (problem === undefined) return [];
    const text = `\`${root.repository}\` cannot be installed on Crossplane ${newest.version}: ${problem}`;
    const fix = `write \`${target.rules.defaultRegistry ?? 'docker.io'}/${root.repository}\``;
    return [{ rule: 'unqualified-source', severity: 'warning', origin: root.origin, text, fix }];
  });
}

/** Packages with and without `skipDependencyResolution`, which cannot see each other. */
function mixedSkipFindings({ request }: LintedProject): LintFinding[] {
  const packages = request.roots.filter((root) => root.root === 'package');
  const resolved = packages.find((root) => !root.skipDependencyResolution);
  if (resolved === undefined) return [];
  return packages
    .filter((root) => root.skipDependencyResolution)
    .map(({ repository, origin }) => ({
      rule: 'skip-mixture',
      severity: 'error',
      origin,
      text: `${repository} has \`skipDependencyResolution: true\` and ${resolved.repository} (${formatOrigin(resolved.origin)}) has not: a package that skips is not in the Lock, so whatever depends on it reports it missing`,
      fix: 'leave it out here, or set it for all: `spec.defaults.spec.skipDependencyResolution: true`',
    }));
}

/** Packages that reject patched builds such as `v1.20.0-up.1`, which are prereleases. */
function patchedBuildFindings({ lockfile, target, originOf }: LintedProject): LintFinding[] {
  const release = target.version;
  if (!/^v?\d+\.\d+\.\d+$/.test(release)) return [];
  const strict = lockfile.packages.filter(
    ({ crossplane }) =>
      crossplane !== undefined && excludesPatchedBuilds(crossplane, release, target),
  );
  const [first, ...more] = strict;
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const origin = originOf(first.repository);
  const text = `${first.repository} (\`${first.crossplane}\`)${others} would be refused by a patched build such as ${release}-up.1, which is a prerelease to them`;
  const fix =
    'their authors would write `>=v1.14.0-0`; for one of your objects, `ignoreCrossplaneConstraints: true`';
  return [{ rule: 'patched-crossplane', severity: 'info', origin, text, fix }];
}

/** Packages that `dependsOn` lists twice. The resolver of a cluster uses one of the entries. */
function duplicateFindings({ lockfile, originOf }: LintedProject): LintFinding[] {
  return lockfile.packages.flatMap(({ repository, version, requirements }) => {
    const names = requirements.flatMap((each) =>
      each.requires === 'package' ? [each.repository] : [],
    );
    const duplicates = new Set(names.filter((name, i) => names.indexOf(name) !== i));
    return Array.from(duplicates, (name): LintFinding => ({
      rule: 'duplicate-dependency',
      severity: 'warning',
      origin: originOf(repository),
      text: `${repository} ${version} names ${name} more than once in \`dependsOn\`; a cluster looks at one of the entries`,
      fix: 'tell its authors; resolving here honours them all',
    }));
  });
}

/** Required packages with a custom name, for which Crossplane may install a second object. */
function customNameFindings({ lockfile, graph, originOf, target }: LintedProject): LintFinding[] {
  if (lockfile.skipDependencyResolution.length > 0) return [];
  return lockfile.packages.flatMap(({ repository, name }): LintFinding[] => {
    const derived = objectNameOf(repository, target);
    const [requirer] = graph.requirersOf(repository);
    if (name === derived || requirer === undefined) return [];
    const text = `${repository} is named \`${name}\`, and ${requirer.from.repository} requires it: if that comes first, Crossplane installs a second object \`${derived}\`, and two objects of one source stop every package of the cluster`;
    const fix = 'leave `name` out, or apply this object before what requires it';
    return [{ rule: 'object-name', severity: 'warning', origin: originOf(repository), text, fix }];
  });
}

/** Metadata fields of local packages that no release has. */
export function fieldFindings(
  { roots }: Request,
  severity: 'warning' | 'error',
): readonly LintFinding[] {
  return roots
    .flatMap((root) => (root.root === 'local' ? (root.unknownFields ?? []) : []))
    .map(({ message, origin }) => ({ rule: 'unknown-field', severity, origin, text: message }));
}

/** Missing runtime settings. Without them, Crossplane does not start the runtime of the package. */
function runtimeSettingFindings(set: LintedProject): LintFinding[] {
  const { lockfile, target, originOf } = set;
  return lockfile.packages.flatMap(({ repository, kind, name, object }) =>
    missingRuntimeConfigs({ kind, spec: object.spec }, lockfile.objects, target).map(
      (missing): LintFinding => {
        const origin = originOf(repository);
        const text = `${kind} \`${name}\` has \`${missing.field}: {name: ${missing.name}}\`, and there is no ${missing.kind} \`${missing.name}\` among the inputs: unless the cluster has one, its runtime does not start`;
        const fix = `add the ${missing.kind} to the files given to \`-f\`, or correct the name`;
        return { rule: 'missing-runtime-config', severity: 'warning', origin, text, fix };
      },
    ),
  );
}

/** Metadata fields of locked packages that the target drops. */
function droppedMetadataFindings(set: LintedProject): LintFinding[] {
  const { lockfile, target, contentsOf, originOf } = set;
  const read = lockfile.packages.map((locked) => [locked, contentsOf(locked.repository)] as const);
  const { dropped, unchecked } = findDroppedFields(read, target);
  const found = dropped.map(({ repository, text }): LintFinding => {
    return { rule: API_DROPPED, severity: 'warning', origin: originOf(repository), text };
  });
  if (unchecked.length === 0) return found;
  return [...found, uncheckedFinding(set, API_DROPPED, uncheckedFields(unchecked, target.version))];
}

/** Packages that are required by digest and by range. Crossplane cannot compare the two. */
export function digestAndRangeFindings({ roots }: Request, { core }: Unsolvable): LintFinding[] {
  const required = core.flatMap(({ requirement, path }) =>
    requirement === undefined ? [] : [{ ...requirement, path }],
  );
  return required.flatMap(({ by, on, constraint, path }): LintFinding[] => {
    const ranged = required.find((each) => each.on === on && !isDigest(each.constraint));
    if (!isDigest(constraint) || ranged === undefined) return [];
    const root = roots.find(({ origin }) => formatOrigin(origin) === path[0]);
    const origin = root?.origin ?? { file: path[0]! };
    const text = `${by} asks for ${on} by digest, and ${ranged.by} asks for it as \`${ranged.constraint}\`: Crossplane cannot compare the two, so what asks for the range never becomes healthy`;
    const fix =
      'ask for a tag, and pin the bytes with `--pin digest`; what a package asks for, `spec.overrides` overrules';
    return [{ rule: 'digest-and-range', severity: 'error', origin, text, fix }];
  });
}

export const REQUIREMENT_RULES: readonly LintRule[] = [
  unqualifiedRootFindings,
  mixedSkipFindings,
  patchedBuildFindings,
  duplicateFindings,
  customNameFindings,
  runtimeSettingFindings,
  droppedMetadataFindings,
];
