import { isDeepStrictEqual } from 'node:util';
import { API_REFUSED } from '../../src/crossplane/packages/api-rules.js';
import { isRejection, judge } from '../../src/crossplane/packages/admission.js';
import { decodeProblem, readDependency } from '../../src/crossplane/packages/dependencies.js';
import {
  definitionOf,
  type PackageContents,
} from '../../src/crossplane/packages/package-contents.js';
import { ownedKindOf } from '../../src/crossplane/packages/owned-objects.js';
import type { Finding, PackageMeta } from '../../src/crossplane/packages/package-meta.js';
import { versionOf } from '../../src/crossplane/releases/target-choice.js';
import { hasNoMetadata } from '../../src/crossplane/releases/package-fields.js';
import type { Target } from '../../src/crossplane/releases/target.js';
import { parseConstraint } from '../../src/crossplane/constraints/constraint.js';
import { isDigest } from '../../src/base/digest.js';
import { isMapping, stringOf, type JsonObject, type JsonValue } from '../../src/base/json.js';
import type { OracleMeta, OracleObject, OraclePackage } from '../rig/oracle/ask-oracle.js';

/** The comparison of our verdict on a package with that of the release. */
export type Comparison =
  | { readonly alike: 'accepted' | 'refused' | 'refused, another fault is told' }
  /** Different for a reason that docs/fidelity.md describes. */
  | { readonly known: KnownDifference }
  | { readonly otherwise: string };

/** Intended differences, each with a row in docs/fidelity.md. */
export type KnownDifference = (typeof KNOWN_DIFFERENCES)[number];

export const KNOWN_DIFFERENCES = [
  'types inside an object',
  'spelling',
  'YAML that is none',
  'keys that are not text',
  'twins of kind and apiVersion',
  'limits',
] as const;

/** Errors in a stream that only this tool reports, by a pattern of the message. */
const OURS_ALONE: readonly (readonly [RegExp, KnownDifference])[] = [
  [/is read differently by different YAML libraries/, 'spelling'],
  [/^the document is not valid YAML/, 'YAML that is none'],
  [/^a key must be text/, 'keys that are not text'],
  [/^a list that `<<` merges has an anchor/, 'spelling'],
  [/^a name is longer than|has over \d+ (?:versions|short names)/, 'limits'],
  [/which Crossplane may take for its/, 'twins of kind and apiVersion'],
];

/**
 * Compares the results for a stream: acceptance, reason, metadata, objects, dependencies and owned
 * objects.
 */
export function comparePackage(
  contents: PackageContents,
  target: Target,
  theirs: OraclePackage,
): Comparison {
  const ours = judge(contents, target);
  const entries = contents.metas.flatMap(({ dependsOn }) => dependsOn);
  const undecoded = entries.some((entry) => decodeProblem(entry, target) !== undefined);
  // The parser and the linter accept documents that the API server rejects.
  const errors = ours.findings.filter(({ severity, code }) => {
    return (
      severity === 'error' &&
      code !== API_REFUSED &&
      (!OF_RESOLVING.has(code) || (undecoded && code === 'dependency-form'))
    );
  });
  const fit = fitKind(theirs, target);
  if (errors.length === 0) {
    if (fit === undefined) return onlyTheyRefuse(theirs, target);
    const difference = differenceIn(contents, target, theirs, fit);
    return difference === undefined ? { alike: 'accepted' } : { otherwise: difference };
  }
  if (fit !== undefined) return onlyWeRefuse(errors, contents);
  const reason = reasonOf(theirs, target);
  if (isTold(reason, errors)) return { alike: 'refused' };
  const known = knownRefusal(errors, contents);
  if (known !== undefined) return { known };
  // The parser stops at the first invalid document; later ones may be invalid, too.
  if (theirs.parse !== undefined) return { alike: 'refused, another fault is told' };
  return { otherwise: `refused for another reason: ${reason}, we say ${codesOf(errors)}` };
}

/** Crossplane reports these problems only when it resolves dependencies. */
const OF_RESOLVING: ReadonlySet<string> = new Set([
  'dependency-constraint',
  'dependency-form',
  'dependency-kind',
  'dependency-source',
  'dependency-crd',
]);

/** Returns the kind of package that the release installs. */
function fitKind(theirs: OraclePackage, target: Target): string | undefined {
  if (theirs.parse !== undefined) return undefined;
  const fit = Object.entries(theirs.install ?? {}).find(([, error]) => error === '')?.[0];
  if (fit === undefined || !installed(theirs, fit, target).every((o) => o.established))
    return undefined;
  return fit;
}

/** Returns the objects that the establisher receives. */
function installed(
  { objects = [] }: OraclePackage,
  kind: string,
  { rules }: Target,
): OracleObject[] {
  if (!rules.filtersObjects) return [...objects];
  return kind === 'Function' ? [] : objects.filter(({ allowed }) => allowed.includes(kind));
}

function onlyTheyRefuse(theirs: OraclePackage, target: Target): Comparison {
  if (theirs.refused?.meta === false) return { known: 'types inside an object' };
  return { otherwise: `only Crossplane refuses: ${reasonOf(theirs, target)}` };
}

function onlyWeRefuse(errors: readonly Finding[], contents: PackageContents): Comparison {
  const known = knownRefusal(errors, contents);
  return known === undefined ? { otherwise: `only we refuse: ${codesOf(errors)}` } : { known };
}

function knownRefusal(
  errors: readonly Finding[],
  { problems }: PackageContents,
): KnownDifference | undefined {
  const said = [...problems, ...errors].map(({ message }) => message);
  const found = said.flatMap((text) => OURS_ALONE.filter(([pattern]) => pattern.test(text)));
  return found[0]?.[1];
}

function reasonOf(theirs: OraclePackage, target: Target): string {
  if (theirs.parse !== undefined) return theirs.parse;
  const { install = {}, metas = [] } = theirs;
  const [fit] = Object.entries(install).find(([, error]) => error === '') ?? [];
  if (fit !== undefined) {
    const bare = installed(theirs, fit, target).find(({ established }) => !established);
    return `cannot be established: ${bare?.kind}`;
  }
  return install[metas[0]?.kind ?? ''] ?? install['Provider'] ?? '';
}

/** Our findings that correspond to an error of Crossplane; the first match applies. */
const REASONS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^no kind ".*" is registered for/, ['unregistered-kind']],
  [/^not exactly one package meta/, ['one-meta', 'unregistered-kind']],
  [/^package meta type is not/, ['unregistered-kind', 'unreadable']],
  [/poorly formatted/, ['crossplane-constraint']],
  [/^object (?:is not|did not pass)/, ['object-not-allowed', 'unregistered-kind']],
  [/^cannot be established/, ['object-not-allowed']],
  [/./, ['unreadable', 'decode', 'crossplane-string', 'dependency-form']],
];

function isTold(reason: string, errors: readonly Finding[]): boolean {
  const codes = REASONS.find(([pattern]) => pattern.test(reason))?.[1] ?? [];
  return errors.some(({ code }) => codes.includes(code));
}

function codesOf(errors: readonly Finding[]): string {
  return errors.map(({ code, message }) => `${code} (${message.slice(0, 160)})`).join('; ');
}

/** Compares the results for a package that both sides accept. */
function differenceIn(
  contents: PackageContents,
  target: Target,
  theirs: OraclePackage,
  kind: string,
): string | undefined {
  const [meta] = contents.metas;
  const pairs: Record<string, readonly [ours: unknown, theirs: unknown]> = {
    kind: [meta?.kind, kind],
    name: [meta?.name, theirs.meta?.name],
    labels: [meta?.labels, theirs.meta?.labels ?? {}],
    annotations: [meta?.annotations, theirs.meta?.annotations ?? {}],
    objects: [contents.objects.map(known), (theirs.objects ?? []).map(objectOf)],
    'linter warns': [warns(contents, target), theirs.lint?.[kind] !== ''],
    dependsOn: [
      meta?.dependsOn.map((entry) => entryOf(entry, target)),
      (theirs.meta?.dependsOn ?? []).map(({ entry }) => entry),
    ],
    'constraints of dependencies': [
      meta?.dependsOn.map((entry) => hasBadConstraint(entry, target)),
      (theirs.meta?.dependsOn ?? []).map((dependency) => hasNoConstraint(dependency)),
    ],
    ...ofAccepted(contents, target, theirs, kind),
  };
  const found = Object.entries(pairs).find(
    ([, [ours, other]]) => !isDeepStrictEqual(plain(ours), plain(other)),
  );
  if (found === undefined) return undefined;
  const [what, [ours, other]] = found;
  return `${what}: we say ${JSON.stringify(ours)}, Crossplane ${JSON.stringify(other)}`;
}

/** Returns the results that exist only for a package without errors. */
function ofAccepted(
  contents: PackageContents,
  target: Target,
  theirs: OraclePackage,
  kind: string,
): Record<string, readonly [unknown, unknown]> {
  const ours = judge(contents, target);
  if (isRejection(ours)) return {};
  return {
    crossplane: [ours.crossplane, theirs.meta?.crossplane],
    'takes this Crossplane': [takes(ours, target), isCompatible(theirs.meta)],
    owns: [ours.owns, ownedBy(installed(theirs, kind, target))],
  };
}

function takes({ crossplane }: PackageMeta, target: Target): boolean {
  if (crossplane === undefined) return true;
  const constraint = parseConstraint(crossplane, target.rules.dialect);
  return !constraint.invalid && constraint.admits(versionOf(target));
}

function isCompatible(meta: OracleMeta | undefined): boolean {
  return (meta?.incompatible ?? '') === '';
}

function warns(contents: PackageContents, target: Target): boolean {
  return judge(contents, target).findings.some(({ code }) => code === 'object-not-allowed');
}

function known({
  apiVersion,
  kind,
  name,
  claimCrd,
  claimKind,
  defines,
}: PackageContents['objects'][0]): object {
  if (hasNoMetadata(kind)) return { bare: true };
  const versions = defines?.versions.filter((version) => version !== '');
  return {
    apiVersion,
    kind,
    name,
    claimCrd,
    claimKind,
    ...(defines?.group &&
      defines.kind && {
        defines: {
          group: defines.group,
          kind: defines.kind,
          versions,
          shortNames: defines.shortNames,
        },
      }),
  };
}

function objectOf({ apiVersion, kind, name, established, spec = {} }: OracleObject): object {
  if (!established) return { bare: true };
  const versions = (spec.versions ?? []).flatMap((version) => version.name || []);
  const defining = {
    group: spec.group,
    definedKind: spec.names?.kind,
    versions: spec.version === undefined ? versions : [spec.version, ...versions],
    storage: undefined,
    unserved: [],
    deprecated: [],
    shortNames: spec.names?.shortNames ?? [],
    claimPlural: spec.claimNames?.plural,
    claimKind: spec.claimNames?.kind,
  };
  return { apiVersion, kind, name, ...definitionOf(kind, defining) };
}

function ownedBy(objects: readonly OracleObject[]): readonly object[] {
  const owned = objects.flatMap(({ kind, apiVersion, name, spec }) => {
    const as = ownedKindOf(kind, apiVersion.split('/')[0]);
    if (as === undefined || name === '') return [];
    const { plural } = spec?.claimNames ?? {};
    const claim =
      plural === undefined || spec?.group === undefined ? [] : [`claim ${plural}.${spec.group}`];
    return as === 'XRD' ? [`XRD ${name}`, ...claim] : [`${as} ${name}`];
  });
  return [...new Set(owned)].toSorted().map((text) => {
    const [kind, ...name] = text.split(' ');
    return { kind, name: name.join(' ') };
  });
}

const ENTRY_FIELDS = ['provider', 'configuration', 'function'];
const EXPLICIT_FIELDS = ['apiVersion', 'kind', 'package'];

/** Returns the fields of an entry that the release's type has. */
function entryOf(entry: JsonValue, { rules }: Target): JsonObject {
  const fields = isMapping(entry) ? entry : {};
  const names = rules.explicitDependencies ? [...EXPLICIT_FIELDS, ...ENTRY_FIELDS] : ENTRY_FIELDS;
  const given = names.filter((name) => (fields[name] ?? null) !== null);
  return {
    ...Object.fromEntries(given.map((name) => [name, fields[name]!])),
    version: fields['version'] ?? '',
  };
}

/** Returns undefined if an earlier problem hides the constraint. */
function hasBadConstraint(entry: JsonValue, target: Target): boolean {
  const { version } = entryOf(entry, target);
  if (typeof version !== 'string' || isDigest(version)) return false;
  const asked = { provider: 'xpkg.crossplane.io/a/b', version };
  const { findings } = readDependency(asked, { target, compat: false });
  return findings.some(({ code }) => code === 'dependency-constraint');
}

function hasNoConstraint({ entry, constraint }: NonNullable<OracleMeta['dependsOn']>[0]): boolean {
  return !isDigest(stringOf(entry['version']) ?? '') && constraint !== undefined;
}

/** Converts a value to plain JSON, without undefined fields and prototypes. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
