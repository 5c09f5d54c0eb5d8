import { API_REFUSED, refusedObjects } from './api-rules.js';
import { readDependencies } from './dependencies.js';
import { ownedObjects } from './owned-objects.js';
import type { MetaDocument, PackageContents, PackageObject } from './package-contents.js';
import {
  errorFinding,
  type Finding,
  type PackageMeta,
  type Rejection,
  warningFinding,
} from './package-meta.js';
import { PACKAGE_KINDS, type PackageKind } from './package.js';
import { getOrCreate } from '../../base/collections.js';
import { isMapping } from '../../base/json.js';
import { thousands } from '../../base/messages.js';
import { parseConstraint } from '../constraints/constraint.js';
import { DOT_REGISTRY, DOT_REGISTRY_API } from '../legacy/dot-registry.js';
import { hasNoMetadata, isRegisteredKind } from '../releases/package-fields.js';
import type { Target } from '../releases/target.js';

/** Returns the metadata of a package that the target accepts, or why it refuses it. */
export function judge(
  contents: PackageContents,
  target: Target,
  options: JudgeOptions = {},
): PackageMeta | Rejection {
  const linted = lintContents(contents, target, options);
  const [meta] = contents.metas;
  const kind = meta && packageKind(meta);
  if (meta === undefined || kind === undefined) return { rejected: true, findings: linted };
  const { requirements, findings: dependencies } = readDependencies(meta.dependsOn, {
    target,
    compat: options.compat ?? false,
    lines: meta.dependsOnLines,
    line: meta.line,
  });
  const refused = refusedObjects(contents.objects, kind, target).map(({ object, message }) =>
    errorFinding(API_REFUSED, message, object.line),
  );
  const findings = [...linted, ...dependencies, ...refused];
  if (findings.some(({ severity }) => severity === 'error')) return { rejected: true, findings };
  return {
    kind,
    name: meta.name,
    labels: meta.labels,
    crossplane: crossplaneConstraint(meta),
    requirements,
    owns: ownedObjects(contents.objects, kind, target),
    findings,
  };
}

export function isRejection(judged: PackageMeta | Rejection): judged is Rejection {
  return 'rejected' in judged;
}

export interface JudgeOptions {
  /** Also read formats of old design documents, which Crossplane itself rejects. */
  readonly compat?: boolean | undefined;
}

const META_GROUP = 'meta.pkg.crossplane.io';
const COMPAT_META_GROUP = 'meta.pkg.ibm.crossplane.io';

/**
 * Returns the findings of the target's parser and linter, without those about dependsOn.
 *
 * If none is an `error`, the target accepts the package, which then has exactly one metadata
 * document of a known kind.
 */
export function lintContents(
  contents: PackageContents,
  target: Target,
  options: JudgeOptions = {},
): Finding[] {
  const compat = options.compat ?? false;
  const unregistered = contents.metas.flatMap((meta) => checkRegistered(meta, target, compat));
  const kind = contents.metas.length === 1 ? packageKind(contents.metas[0]!) : undefined;
  return [
    ...contents.problems.map(({ message, line }) => errorFinding('unreadable', message, line)),
    ...contents.warnings.map(({ message, line }) => warningFinding('yaml', message, line)),
    ...unregistered,
    ...(contents.problems.length === 0 ? checkOneMeta(contents.metas) : []),
    ...contents.metas.flatMap((meta) => checkMeta(meta, target, compat)),
    ...checkObjects(contents.objects, kind, target),
  ];
}

/** Returns the Crossplane constraint of valid metadata, if there is one. */
export function crossplaneConstraint({ crossplane }: MetaDocument): string | undefined {
  if (typeof crossplane === 'string') return crossplane;
  return crossplane === undefined || crossplane === null ? undefined : versionField(crossplane);
}

export function packageKind(meta: MetaDocument): PackageKind | undefined {
  return PACKAGE_KINDS.find((kind) => kind === meta.kind);
}

function checkRegistered(meta: MetaDocument, target: Target, compat: boolean): Finding[] {
  const { apiVersion, line } = meta;
  const kind = packageKind(meta);
  const versions = kind === undefined ? [] : target.rules.metaVersions[kind];
  const [group, version] = (apiVersion ?? `${META_GROUP}/`).split('/');
  const isKnown = apiVersion === undefined ? kind !== undefined : versions.includes(version ?? '');
  if (group === META_GROUP && isKnown) return [];
  const what = `Crossplane ${target.version} knows no \`${meta.kind}\` of \`${apiVersion ?? META_GROUP}\``;
  const isRefused = target.rules.refusesV1Functions && kind === 'Function' && version === 'v1';
  const quote = isRefused
    ? 'package meta type is not Function'
    : `no kind "${meta.kind}" is registered for version "${apiVersion ?? ''}"`;
  if (apiVersion === DOT_REGISTRY_API) return checkDotRegistry(meta, compat);
  if (group === COMPAT_META_GROUP && kind !== undefined) {
    if (!compat) {
      const hint = `write \`${META_GROUP}/v1\`, or read it with \`--compat\``;
      return [errorFinding('unregistered-kind', `${what} (${quote}); ${hint}`, line)];
    }
    const message = `\`${COMPAT_META_GROUP}\` is read because of \`--compat\`; Crossplane itself rejects it (${quote})`;
    return [warningFinding('compat-group', message, line)];
  }
  const advice =
    kind === undefined
      ? `a package is a ${PACKAGE_KINDS.join(', a ')}`
      : `it knows ${versions.map((known) => `\`${META_GROUP}/${known}\``).join(' and ')}`;
  return [errorFinding('unregistered-kind', `${what} (${quote}); ${advice}`, line)];
}

function checkDotRegistry({ line }: MetaDocument, compat: boolean): Finding[] {
  const what = `it is a package of the first format (\`${DOT_REGISTRY}/\`), which no Crossplane since v1.0 installs`;
  const advice =
    'and only `--compat` reads; `xpkg-resolve convert` writes it as a package of today';
  return compat
    ? [warningFinding('compat-format', `${what}; it is read because of \`--compat\``, line)]
    : [errorFinding('compat-format', `${what} ${advice}`, line)];
}

function checkOneMeta(metas: readonly MetaDocument[]): Finding[] {
  if (metas.length === 1) return [];
  const quote = '(Crossplane: not exactly one package meta type)';
  const found = metas.map((meta) => `\`${meta.kind}\` \`${meta.name}\``).join(', ');
  const message =
    metas.length === 0
      ? `there is no package meta document ${quote}; add a \`${META_GROUP}/v1\` Provider, Configuration or Function`
      : `there are ${metas.length} package meta documents, ${found} ${quote}; keep one`;
  return [errorFinding('one-meta', message, metas[1]?.line)];
}

function checkMeta(meta: MetaDocument, target: Target, compat: boolean): Finding[] {
  const { decodeError, fieldErrors, line } = meta;
  const kind = packageKind(meta);
  const known = kind === undefined ? [] : target.rules.metaFields[kind];
  const undecoded = [decodeError, ...known.map((field) => fieldErrors?.[field])]
    .filter((problem) => problem !== undefined)
    .map((problem) => errorFinding('decode', `${problem}; Crossplane cannot decode it`, line));
  return [...undecoded, ...checkCrossplane(meta, target, compat)];
}

function checkCrossplane(meta: MetaDocument, target: Target, compat: boolean): Finding[] {
  const { crossplane } = meta;
  const line = meta.specLines?.['crossplane'] ?? meta.line;
  if (crossplane === undefined || crossplane === null) return [];
  const shown = JSON.stringify(crossplane);
  if (typeof crossplane === 'string') {
    const what = `\`spec.crossplane\` is the string ${shown}; Crossplane wants \`{version: …}\` and cannot decode it`;
    if (!compat) {
      return [errorFinding('crossplane-string', `${what}; \`--compat\` reads it`, line)];
    }
    const message = `${what}; it is read because of \`--compat\``;
    const warning = warningFinding('crossplane-string', message, line);
    return [warning, ...checkConstraint(crossplane, target, line)];
  }
  const version = versionField(crossplane);
  if (version === undefined) {
    const message = `\`spec.crossplane\` must be \`{version: "<constraint>"}\`, not ${shown}; Crossplane cannot decode it`;
    return [errorFinding('decode', message, line)];
  }
  return checkConstraint(version, target, line);
}

/** Returns the constraint; empty if there is none, and undefined if Crossplane cannot decode it. */
function versionField(crossplane: NonNullable<MetaDocument['crossplane']>): string | undefined {
  if (!isMapping(crossplane)) return undefined;
  const { version = null } = crossplane;
  if (version === null) return '';
  return typeof version === 'string' ? version : undefined;
}

function checkConstraint(text: string, target: Target, line: number | undefined): Finding[] {
  const parsed = parseConstraint(text, target.rules.dialect);
  if (!parsed.invalid) return [];
  const what = `\`spec.crossplane.version: ${JSON.stringify(text)}\` is no constraint for Crossplane ${target.version}`;
  const quote = `(Crossplane: package version constraints are poorly formatted: ${parsed.error})`;
  const advice = 'write one such as `>=v1.14.0-0`, or leave `crossplane` out';
  return [errorFinding('crossplane-constraint', `${what} ${quote}; ${advice}`, line)];
}

/** One object of each API version and kind, for each list of objects. */
const samples = new WeakMap<readonly PackageObject[], readonly PackageObject[]>();

/** Checks one object of each API version and kind first. If these are valid, so are all. */
function checkObjects(
  objects: readonly PackageObject[],
  kind: PackageKind | undefined,
  target: Target,
): Finding[] {
  const isFine = (object: PackageObject) => checkObject(object, kind, target).length === 0;
  if (samplesOf(objects).every(isFine)) return [];
  const kept: Finding[] = [];
  const omitted = { error: 0, warning: 0, info: 0 };
  for (const object of objects) {
    for (const finding of checkObject(object, kind, target)) {
      if (kept.length < MAX_FINDINGS) kept.push(finding);
      else omitted[finding.severity]++;
    }
  }
  const { error, warning } = omitted;
  if (error > 0) kept.push(errorFinding('object-not-allowed', moreText(error), undefined));
  if (warning > 0) kept.push(warningFinding('object-not-allowed', moreText(warning), undefined));
  return kept;
}

/** Maximum findings about the objects of a package. The others are counted. */
const MAX_FINDINGS = 1_000;

function moreText(count: number): string {
  return `there are ${thousands(count)} more objects like these`;
}

function samplesOf(objects: readonly PackageObject[]): readonly PackageObject[] {
  return getOrCreate(samples, objects, () => {
    const types = objects.map((object) => [`${object.apiVersion} ${object.kind}`, object] as const);
    return [...new Map(types).values()];
  });
}

function checkObject(
  object: PackageObject,
  kind: PackageKind | undefined,
  target: Target,
): Finding[] {
  const { apiVersion, line } = object;
  const { rules, version } = target;
  const what = `\`${object.kind}\` \`${object.name}\``;
  if (apiVersion !== undefined && !isRegisteredKind(apiVersion, object.kind, target)) {
    const quote = `(Crossplane: no kind "${object.kind}" is registered for version "${apiVersion}")`;
    const message = `${what} of \`${apiVersion}\` cannot be part of a package on Crossplane ${version} ${quote}; take it out`;
    return [errorFinding('unregistered-kind', message, line)];
  }
  const allowed = kind === undefined ? undefined : rules.allowedObjects[kind];
  if (allowed === undefined && kind !== undefined && hasNoMetadata(object.kind)) {
    const quote = '(Crossplane: cannot convert to resource.Object)';
    const message = `\`${object.kind}\` is nothing that a package can install ${quote}; put its items in documents of their own`;
    return [errorFinding('object-not-allowed', message, line)];
  }
  if (allowed === undefined || allowed.includes(object.kind)) return [];
  const quote = '(Crossplane: object did not pass any of the linters)';
  const message = `a ${kind} may not hold ${what} on Crossplane ${version} ${quote}`;
  if (rules.lintBlocks) {
    const advice = `it may hold ${allowed.join(', ')}`;
    return [errorFinding('object-not-allowed', `${message}; ${advice}`, line)];
  }
  const effect = 'the cluster leaves it out, and `crossplane xpkg build` refuses it';
  return [warningFinding('object-not-allowed', `${message}; ${effect}`, line)];
}
