import { parseConstraint } from '../constraints/constraint.js';
import { parseCrdRef } from './crd-ref.js';
import {
  errorFinding,
  warningFinding,
  type Finding,
  type PackageRequirement,
  type Requirement,
} from './package-meta.js';
import { isPackageKind, type PackageKind } from './package.js';
import {
  isMapping,
  type JsonObject,
  type JsonValue,
  mappingOf,
  stringOf,
} from '../../base/json.js';
import { isDigest } from '../../base/digest.js';
import { repositoryProblem } from './reference.js';
import type { Target } from '../releases/target.js';

interface DependencyContext {
  readonly target: Target;
  /** Also read `crd:` entries, which Crossplane itself does not support. */
  readonly compat: boolean;
  readonly line?: number | undefined;
}

/** The requirement of an entry; undefined if one of the findings is an error. */
interface DependencyReading {
  readonly requirement: Requirement | undefined;
  readonly findings: readonly Finding[];
}

/** Reads a dependsOn entry as the target's package manager does. */
export function readDependency(entry: JsonValue, context: DependencyContext): DependencyReading {
  const wrongType = decodeProblem(entry, context.target);
  if (wrongType !== undefined) return refusal('dependency-form', wrongType, context);
  const fields = mappingOf(entry) ?? {};
  const named = namedPackage(fields, context.target);
  if (named === undefined) return readWithoutPackage(fields, context);
  return readPackage(fields, named, context);
}

export function readDependencies(
  entries: readonly JsonValue[],
  { lines, ...context }: DependencyContext & { lines?: readonly number[] | undefined },
): { requirements: Requirement[]; findings: Finding[] } {
  const requirements: Requirement[] = [];
  const findings: Finding[] = [];
  for (const [i, entry] of entries.entries()) {
    const reading = readDependency(entry, { ...context, line: lines?.[i] ?? context.line });
    if (reading.requirement !== undefined) requirements.push(reading.requirement);
    findings.push(...reading.findings);
  }
  return { requirements, findings };
}

/** Describes an entry for messages: `provider: xpkg.io/a/b`. */
export function describeDependency(entry: JsonValue): string {
  return namingField(entry)?.join(': ') ?? JSON.stringify(entry);
}

/** Returns the key and the value that name what an entry requires, or undefined. */
export function namingField(entry: JsonValue): readonly [key: string, value: string] | undefined {
  for (const key of ['package', 'configuration', 'provider', 'function', 'crd']) {
    const value = stringOf(mappingOf(entry)?.[key]);
    if (value !== undefined) return [key, value];
  }
  return undefined;
}

type NamedPackage = Pick<PackageRequirement, 'apiVersion'> & {
  readonly source: string;
  readonly kind: string;
};

/** Keys of a short entry, in the order in which Crossplane looks for them. */
const SHORT_FORMS: readonly (readonly [key: string, kind: PackageKind])[] = [
  ['configuration', 'Configuration'],
  ['provider', 'Provider'],
  ['function', 'Function'],
];

/** Returns the package of an entry, as the target looks for it, or undefined if it names none. */
export function namedPackage(fields: JsonObject, target: Target): NamedPackage | undefined {
  const { apiVersion, kind, package: source } = fields;
  if (
    target.rules.explicitDependencies &&
    typeof apiVersion === 'string' &&
    typeof kind === 'string' &&
    typeof source === 'string'
  ) {
    return { apiVersion, kind, source };
  }
  for (const [key, short] of SHORT_FORMS) {
    const named = fields[key];
    if (typeof named === 'string') return { apiVersion: undefined, kind: short, source: named };
  }
  return undefined;
}

function readPackage(
  fields: JsonObject,
  named: NamedPackage,
  context: DependencyContext,
): DependencyReading {
  const { target } = context;
  const entry = `dependsOn entry \`${describeDependency(fields)}\``;
  const { kind, apiVersion, source } = named;
  if (!isPackageKind(kind) || !servesPackages(apiVersion, kind)) {
    const what = `${entry} asks for a \`${kind}\` of \`${apiVersion ?? ''}\`, which is no package Crossplane can install`;
    const advice =
      'write `apiVersion: pkg.crossplane.io/v1` and one of Provider, Configuration and Function';
    return refusal('dependency-kind', `${what}; ${advice}`, context);
  }
  const badSource = repositoryProblem(source, target);
  if (badSource !== undefined) {
    const message = `${entry} cannot be installed: ${badSource}; write \`registry/path\`, no more`;
    return refusal('dependency-source', message, context);
  }
  const constraint = stringOf(fields['version']) ?? '';
  const badConstraint = constraintProblem(constraint, target);
  if (badConstraint !== undefined) {
    return refusal('dependency-constraint', `${entry} ${badConstraint}`, context);
  }
  const { line } = context;
  return {
    requirement: { requires: 'package', repository: source, kind, apiVersion, constraint, line },
    findings: ignoredFieldFindings(fields, named, context),
  };
}

function constraintProblem(text: string, { version, rules }: Target): string | undefined {
  if (text === '') return 'has no `version`; write a constraint such as `>=v1.0.0`';
  if (isDigest(text)) {
    if (rules.digestDependencies) return undefined;
    return `names a digest, which Crossplane ${version} does not take as a version; it does from v1.18.0 on`;
  }
  const parsed = parseConstraint(text, rules.dialect);
  if (!parsed.invalid) return undefined;
  const why = `is no version constraint for Crossplane ${version} (${parsed.error})`;
  return `has \`version: ${text}\`, which ${why}; write a range such as \`>=v1.0.0\`, an exact version or a \`sha256:\` digest`;
}

/** Warns of fields that Crossplane ignores because it looks for others first. */
function ignoredFieldFindings(
  fields: JsonObject,
  named: NamedPackage,
  context: DependencyContext,
): Finding[] {
  const written = ['package', ...SHORT_FORMS.map(([key]) => key)].filter(
    (key) => typeof fields[key] === 'string',
  );
  const used = named.apiVersion === undefined ? named.kind.toLowerCase() : 'package';
  const ignored = written.filter((key) => key !== used);
  if (ignored.length === 0) return [];
  const message = `dependsOn entry has \`${used}\` and ${ignored.map((key) => `\`${key}\``).join(', ')}; Crossplane ${context.target.version} reads \`${used}: ${named.source}\` and ignores the rest; make it two entries`;
  return [warningFinding('dependency-ambiguous', message, context.line)];
}

function readWithoutPackage(fields: JsonObject, context: DependencyContext): DependencyReading {
  const crd = fields['crd'];
  if (crd !== undefined && crd !== null) return readCrd(crd, context);
  const { target } = context;
  const what = `dependsOn entry \`${describeDependency(fields)}\` names no package`;
  if (!target.rules.explicitDependencies && typeof fields['package'] === 'string') {
    const why = `Crossplane ${target.version} does not know \`apiVersion\`, \`kind\`, \`package\` (v1.19.0 and later do)`;
    return refusal('dependency-form', `${what}: ${why}; write \`provider: …\``, context);
  }
  const why =
    '(Crossplane: package dependencies must specify either a valid type, or an explicit apiVersion, kind, and package)';
  const advice = 'write `provider`, `configuration` or `function`, or all of the other three';
  return refusal('dependency-form', `${what} ${why}; ${advice}`, context);
}

function readCrd(crd: JsonValue, context: DependencyContext): DependencyReading {
  const text = typeof crd === 'string' ? crd : JSON.stringify(crd);
  const entry = `dependsOn entry \`crd: ${text}\``;
  if (!context.compat) {
    const why = 'is from old design documents, and no Crossplane release takes it';
    return refusal('dependency-crd', `${entry} ${why}; \`--compat\` reads it`, context);
  }
  const demand = parseCrdRef(crd);
  if (demand === undefined) {
    const advice =
      'write `plural.group`, `plural.group/version`, `*.group` for any of a group, or `group/version/Kind`';
    return refusal('dependency-crd', `${entry} names no CRD; ${advice}`, context);
  }
  const message = `${entry} is read because of \`--compat\`; Crossplane itself rejects it`;
  return {
    requirement: { requires: 'crd', demand, text, line: context.line },
    findings: [warningFinding('dependency-crd', message, context.line)],
  };
}

const STRING_FIELDS = ['configuration', 'provider', 'function', 'version'];
const EXPLICIT_FIELDS = ['apiVersion', 'kind', 'package'];

/** Returns why Go cannot decode an entry: fields are typed, and `version: 1.2` is not a string. */
export function decodeProblem(entry: JsonValue, { rules }: Target): string | undefined {
  if (entry === null) return undefined;
  if (!isMapping(entry)) return `dependsOn entry \`${JSON.stringify(entry)}\` is not a mapping`;
  const fields = rules.explicitDependencies
    ? [...EXPLICIT_FIELDS, ...STRING_FIELDS]
    : STRING_FIELDS;
  const wrong = fields.find((name) => typeof (entry[name] ?? '') !== 'string');
  if (wrong === undefined) return undefined;
  return `dependsOn entry \`${describeDependency(entry)}\`: \`${wrong}\` must be a string, not ${JSON.stringify(entry[wrong])}; put it in quotes`;
}

/** Whether a package kind exists in this API version; undefined stands for the default. */
export function servesPackages(apiVersion: string | undefined, kind: PackageKind): boolean {
  if (apiVersion === undefined || apiVersion === 'pkg.crossplane.io/v1') return true;
  return kind === 'Function' && apiVersion === 'pkg.crossplane.io/v1beta1';
}

function refusal(code: string, message: string, { line }: DependencyContext): DependencyReading {
  return { requirement: undefined, findings: [errorFinding(code, message, line)] };
}
