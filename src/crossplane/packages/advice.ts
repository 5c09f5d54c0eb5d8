import { crossplaneConstraint, packageKind } from './admission.js';
import { API_REFUSED, compositeFindings, uncheckedObjects, uncheckedText } from './api-rules.js';
import { describeDependency, namingField } from './dependencies.js';
import type { MetaDocument, PackageContents, PackageObject } from './package-contents.js';
import { type Finding, infoFinding, warningFinding } from './package-meta.js';
import { repositoryProblem } from './reference.js';
import { getOrCreate } from '../../base/collections.js';
import { parseConstraint } from '../constraints/constraint.js';
import { parseVersion } from '../constraints/version.js';
import { OBJECT_FIELDS } from '../releases/package-fields.js';
import { knownReleases, type Target, targetFor } from '../releases/target.js';

/** Code of warnings about fields that no release has. */
export const UNKNOWN_FIELD = 'unknown-field';

/** Returns warnings about parts of a package that the target accepts without effect. */
export function lintWarnings(contents: PackageContents, target: Target): Finding[] {
  return [
    ...contents.metas.flatMap((meta) => [
      ...misplacedFieldFindings(meta),
      ...unknownFieldFindings(meta),
      ...droppedFieldFindings(meta, target),
      ...uncheckedFieldFindings(meta, target),
      ...prereleaseBuildFindings(meta, target),
      ...unqualifiedSourceFindings(meta, target),
    ]),
    ...contents.objects.flatMap(unnamedObjectFindings),
    ...contents.objects.flatMap(claimNameFindings),
    ...contents.objects.flatMap((object) => compositeFindings(object, target)),
    ...sharedKindFindings(contents.objects),
    ...shortNameFindings(contents.objects),
    ...uncheckedContentFindings(contents, target),
  ];
}

/** Reports that the source does not contain what a rule of the target's API needs. */
function uncheckedContentFindings({ metas, objects }: PackageContents, target: Target): Finding[] {
  const kind = metas[0] && packageKind(metas[0]);
  if (kind === undefined || uncheckedObjects(objects, kind, target).length === 0) return [];
  return [infoFinding(API_REFUSED, uncheckedText('the Compositions', target), undefined)];
}

function misplacedFieldFindings({ specKeys, specLines, kind, line }: MetaDocument): Finding[] {
  return (specKeys ?? [])
    .filter((key) => OBJECT_FIELDS.has(key))
    .map((key) => {
      const message = `\`spec.${key}\` has no effect in a package; put it on the \`pkg.crossplane.io\` ${kind} that installs it`;
      return warningFinding('misplaced-field', message, specLines?.[key] ?? line);
    });
}

/** Code of warnings about fields that the target ignores and other releases read. */
export const API_DROPPED = 'api-dropped';

/** Warns of images and permissions in the metadata, which only Crossplane v1 reads. */
export function droppedFieldFindings(meta: MetaDocument, { rules, version }: Target): Finding[] {
  const { kind, runtimeImage, requestsPermissions, specLines, line } = meta;
  if (rules.runtimeImages) return [];
  const parent = kind === 'Provider' ? 'controller' : 'image';
  const ignored: string[] = [];
  if (runtimeImage !== undefined) {
    const image = kind === 'Provider' ? 'controller.image' : 'image';
    ignored.push(`\`spec.${image}\`: the image of the package runs, not \`${runtimeImage}\``);
  }
  if (requestsPermissions === true && kind === 'Provider') {
    const permissions = 'spec.controller.permissionRequests';
    ignored.push(`\`${permissions}\`: grant these permissions with a ClusterRole`);
  }
  return ignored.map((field) => {
    const message = `Crossplane ${version} does not read ${field}`;
    return warningFinding(API_DROPPED, message, specLines?.[parent] ?? line);
  });
}

/** Whether the source has all fields of `spec`. An index has none. */
export function hasSpecFields({ kind, specKeys }: MetaDocument): boolean {
  return specKeys !== undefined || kind === 'Configuration';
}

/** Reports that the source does not contain the fields of the metadata. */
function uncheckedFieldFindings(meta: MetaDocument, { rules, version }: Target): Finding[] {
  if (rules.runtimeImages || hasSpecFields(meta)) return [];
  const text = `not checked: whether the metadata has an image or permission requests, which Crossplane ${version} does not read; the source does not state it`;
  return [infoFinding(API_DROPPED, text, undefined)];
}

/** Returns warnings about fields that no release has and that Crossplane silently ignores. */
function unknownFieldFindings({ unknownFields: fields = [], line }: MetaDocument): Finding[] {
  return fields.map((field) => warningFinding(UNKNOWN_FIELD, field.message, field.line ?? line));
}

/** Warns of ranges that exclude builds such as `v1.20.0-up.1`, which are prereleases in semver. */
function prereleaseBuildFindings(meta: MetaDocument, target: Target): Finding[] {
  const text = crossplaneConstraint(meta);
  const release = /^v?\d+\.\d+\.\d+/.exec(target.version)?.[0];
  if (text === undefined || release === undefined) return [];
  if (!excludesPatchedBuilds(text, release, target)) return [];
  const message = `\`spec.crossplane.version: ${text}\` admits Crossplane ${release} and not builds such as ${release}-up.1, which are prereleases; add \`-0\`, as in \`>=v1.14.0-0\``;
  const line = meta.specLines?.['crossplane'] ?? meta.line;
  return [warningFinding('prerelease-builds', message, line)];
}

/** Whether a constraint admits a release, and not builds of it such as `v1.20.0-up.1`. */
export function excludesPatchedBuilds(
  constraint: string,
  release: string,
  { rules: { dialect } }: Target,
): boolean {
  const range = parseConstraint(constraint, dialect);
  const plain = parseVersion(release, dialect);
  const build = parseVersion(`${release}-up.1`, dialect);
  if (range.invalid || plain === undefined || build === undefined) return false;
  return range.admits(plain) && !range.admits(build);
}

/** Warns of sources that the newest Crossplane refuses. Their registry depends on the release. */
function unqualifiedSourceFindings(meta: MetaDocument, target: Target): Finding[] {
  const newest = targetFor(knownReleases().at(-1)!)!;
  if (target.rules.strictReferences) return [];
  return meta.dependsOn.flatMap((entry, i) => {
    const [key, source = ''] = namingField(entry) ?? [];
    const problem =
      key === undefined || key === 'crd' ? undefined : repositoryProblem(source, newest);
    if (problem === undefined) return [];
    const message = `dependsOn entry \`${describeDependency(entry)}\` is refused by later releases: ${problem}; write the registry out, the default has changed more than once (Docker Hub, xpkg.upbound.io, xpkg.crossplane.io, none)`;
    return [warningFinding('unqualified-source', message, meta.dependsOnLines?.[i] ?? meta.line)];
  });
}

function unnamedObjectFindings({ kind, name, line }: PackageObject): Finding[] {
  if (name !== '') return [];
  const message = `\`${kind}\` has no \`metadata.name\`; the API server takes no object without one, so the package can never be installed`;
  return [warningFinding('unnamed-object', message, line)];
}

function claimNameFindings(object: PackageObject): Finding[] {
  const { kind, name, claimCrd, claimKind, defines, line } = object;
  if (kind !== 'CompositeResourceDefinition' || claimCrd === undefined) return [];
  const isSameKind = claimKind !== undefined && claimKind === defines?.kind;
  if (claimCrd !== name && !isSameKind) return [];
  const sharedField = claimCrd === name ? 'plural' : 'kind';
  const message = `CompositeResourceDefinition \`${name}\` gives its claim the ${sharedField} of the composite (Crossplane: invalid resource claim names: conflicts with composite resource name); choose another, often the composite's without its \`X\``;
  return [warningFinding('claim-names', message, line)];
}

/** Warns of CRDs with the same group and kind: API servers accept only one of them. */
function sharedKindFindings(objects: readonly PackageObject[]): Finding[] {
  const first = new Map<string, string>();
  return objects.flatMap(({ name, defines, claimCrd, claimKind = defines?.kind, line }) => {
    if (defines === undefined) return [];
    const { group, kind: ownKind } = defines;
    const hasClaim = claimCrd !== undefined && claimKind !== ownKind;
    const kinds = [[ownKind, name], ...(hasClaim ? [[claimKind, claimCrd]] : [])] as const;
    return kinds.flatMap(([kind, crd]) => {
      const other = getOrCreate(first, `${kind}.${group}`, () => crd!);
      if (other === crd) return [];
      const message = `\`${other}\` and \`${crd}\` both define kind \`${kind}\` in group \`${group}\`; ${ONE_ACCEPTED}`;
      return [warningFinding('shared-kind', message, line)];
    });
  });
}

const ONE_ACCEPTED =
  'the API server accepts the names of one of them (NamesAccepted=False on the other); rename one';

/** A short name that API servers accept: a DNS-1035 label. */
const SHORT_NAME = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** Warns of short names that the API server refuses, or that two CRDs of one group share. */
function shortNameFindings(objects: readonly PackageObject[]): Finding[] {
  const ownersByShortName = new Map<string, string>();
  return objects.flatMap(({ name, defines, line }) =>
    (defines?.shortNames ?? []).flatMap((shortName): Finding[] => {
      if (!SHORT_NAME.test(shortName)) {
        const message = `\`${name}\` has the short name \`${shortName}\`; the API server takes lower-case letters, digits and \`-\`, beginning with a letter`;
        return [warningFinding('short-name', message, line)];
      }
      const { group } = defines!;
      const firstOwner = getOrCreate(ownersByShortName, `${shortName}.${group}`, () => name);
      if (firstOwner === name) return [];
      const message = `\`${firstOwner}\` and \`${name}\` both have the short name \`${shortName}\` in group \`${group}\`; ${ONE_ACCEPTED}`;
      return [warningFinding('short-name', message, line)];
    }),
  );
}
