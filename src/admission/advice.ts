import { parseConstraint } from '../semver/constraint.js';
import { describeDependency } from './dependency.js';
import { warningFinding } from './finding.js';
import { crossplaneConstraint } from './lint.js';
import { compositeRules } from './composite-rules.js';
import { shortNameAdvice } from './short-names.js';
import { isMapping, type JsonValue } from '../text/json.js';
import type { MetaDocument, PackageContents, PackageObject } from '../model/package-contents.js';
import type { Finding } from '../model/package-meta.js';
import { repositoryProblem } from '../model/reference.js';
import { knownReleases, targetFor, type Target } from '../model/target/target.js';
import { parseVersion } from '../semver/version.js';

/** Warnings about what the target accepts in silence, and what then has no effect or fails later. */
export function advise(contents: PackageContents, target: Target): Finding[] {
  return [
    ...contents.metas.flatMap((meta) => [
      ...misplacedFields(meta),
      ...prereleaseBuilds(meta, target),
      ...unqualifiedSources(meta, target),
    ]),
    ...contents.objects.flatMap(unnamed),
    ...contents.objects.flatMap(claimNames),
    ...contents.objects.flatMap((object) => compositeRules(object, target)),
    ...sharedKinds(contents.objects),
    ...shortNameAdvice(contents.objects),
  ];
}

/** Fields of the object that installs a package; in the package itself they are ignored. */
const OBJECT_FIELDS = new Set([
  'skipDependencyResolution',
  'ignoreCrossplaneConstraints',
  'packagePullSecrets',
  'packagePullPolicy',
  'revisionActivationPolicy',
  'revisionHistoryLimit',
  'runtimeConfigRef',
  'controllerConfigRef',
  'commonLabels',
]);

function misplacedFields({ specKeys, specLines, kind, line }: MetaDocument): Finding[] {
  return (specKeys ?? [])
    .filter((key) => OBJECT_FIELDS.has(key))
    .map((key) => {
      const message = `\`spec.${key}\` has no effect in a package; put it on the \`pkg.crossplane.io\` ${kind} that installs it`;
      return warningFinding('misplaced-field', message, specLines?.[key] ?? line);
    });
}

/** `v1.20.0-up.1` is a prerelease to semver, and a range without one in it admits none. */
function prereleaseBuilds(meta: MetaDocument, target: Target): Finding[] {
  const text = crossplaneConstraint(meta);
  const { dialect } = target.rules;
  const release = /^v?\d+\.\d+\.\d+/.exec(target.version)?.[0];
  if (text === undefined || release === undefined) return [];
  const constraint = parseConstraint(text, dialect);
  const plain = parseVersion(release, dialect);
  const build = parseVersion(`${release}-up.1`, dialect);
  if (constraint.invalid || plain === undefined || build === undefined) return [];
  if (!constraint.admits(plain) || constraint.admits(build)) return [];
  const message = `\`spec.crossplane.version: ${text}\` admits Crossplane ${release} and not builds such as ${release}-up.1, which are prereleases; add \`-0\`, as in \`>=v1.14.0-0\``;
  const line = meta.specLines?.['crossplane'] ?? meta.line;
  return [warningFinding('prerelease-builds', message, line)];
}

/** Sources that the newest Crossplane refuses: they mean another registry release by release. */
function unqualifiedSources(meta: MetaDocument, target: Target): Finding[] {
  const newest = targetFor(knownReleases().at(-1)!)!;
  if (target.rules.strictReferences) return [];
  return meta.dependsOn.flatMap((entry, i) => {
    const source = sourceOf(entry);
    const problem = source === undefined ? undefined : repositoryProblem(source, newest);
    if (problem === undefined) return [];
    const message = `dependsOn entry \`${describeDependency(entry)}\` is refused by later releases: ${problem}; write the registry out, the default has changed more than once (Docker Hub, xpkg.upbound.io, xpkg.crossplane.io, none)`;
    return [warningFinding('unqualified-source', message, meta.dependsOnLines?.[i] ?? meta.line)];
  });
}

function sourceOf(entry: JsonValue): string | undefined {
  if (!isMapping(entry)) return undefined;
  for (const key of ['package', 'configuration', 'provider', 'function']) {
    const source = entry[key];
    if (typeof source === 'string') return source;
  }
  return undefined;
}

function unnamed({ kind, name, line }: PackageObject): Finding[] {
  if (name !== '') return [];
  const message = `\`${kind}\` has no \`metadata.name\`; the API server takes no object without one, so the package can never be installed`;
  return [warningFinding('unnamed-object', message, line)];
}

function claimNames({ kind, name, claimCrd, claimKind, defines, line }: PackageObject): Finding[] {
  if (kind !== 'CompositeResourceDefinition' || claimCrd === undefined) return [];
  const same =
    claimCrd === name
      ? 'plural'
      : claimKind !== undefined && claimKind === defines?.kind
        ? 'kind'
        : undefined;
  if (same === undefined) return [];
  const message = `CompositeResourceDefinition \`${name}\` gives its claim the ${same} of the composite (Crossplane: invalid resource claim names: conflicts with composite resource name); choose another, often the composite's without its \`X\``;
  return [warningFinding('claim-names', message, line)];
}

/** Two CRDs of one group and kind: the API server accepts the names of one of them. */
function sharedKinds(objects: readonly PackageObject[]): Finding[] {
  const first = new Map<string, string>();
  const findings: Finding[] = [];
  for (const { group, kind, crd, line } of objects.flatMap(definedKinds)) {
    const key = `${kind}.${group}`;
    const other = first.get(key) ?? crd;
    first.set(key, other);
    if (other === crd) continue;
    const message = `\`${other}\` and \`${crd}\` both define kind \`${kind}\` in group \`${group}\`; the API server accepts the names of one of them (NamesAccepted=False on the other); rename one`;
    findings.push(warningFinding('shared-kind', message, line));
  }
  return findings;
}

function definedKinds({ name, defines, claimCrd, claimKind, line }: PackageObject) {
  if (defines === undefined) return [];
  const own = { group: defines.group, kind: defines.kind, crd: name, line };
  if (claimCrd === undefined || claimKind === undefined || claimKind === defines.kind) return [own];
  return [own, { group: defines.group, kind: claimKind, crd: claimCrd, line }];
}
