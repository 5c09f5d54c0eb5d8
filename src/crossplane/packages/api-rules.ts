import { isInstalled } from './owned-objects.js';
import type { CompositeDefinition, PackageObject } from './package-contents.js';
import { type Finding, warningFinding } from './package-meta.js';
import type { PackageKind } from './package.js';
import type { Target } from '../releases/target.js';

/** Code of findings about objects that the API of a release refuses. */
export const API_REFUSED = 'api-refused';

/** An API rule of some releases for objects of packages. */
interface ApiRule {
  readonly kind: string;
  /** Whether the release has this rule. */
  readonly applies: (target: Target) => boolean;
  /** Whether the source of the package contains what the rule needs. */
  readonly isChecked: (object: PackageObject) => boolean;
  /** Returns why the API server refuses the object, or undefined if it accepts it. */
  readonly violation: (object: PackageObject, target: Target) => Violation | undefined;
}

interface Violation {
  /** What the object has, and what the release accepts instead. */
  readonly what: string;
  readonly reply: string;
  readonly fix: string;
}

const RULES: readonly ApiRule[] = [
  {
    kind: 'Composition',
    applies: ({ rules }) => rules.pipelineCompositionsOnly,
    isChecked: ({ composition }) => composition !== undefined,
    violation: ({ composition }, { version }) => {
      if (composition === undefined) return undefined;
      const { mode = 'Pipeline', pipeline } = composition;
      const fix = 'run its resources in a `pipeline`, with function-patch-and-transform';
      if (mode !== 'Pipeline') {
        return {
          what: `has \`mode: ${mode}\`, and Crossplane ${version} accepts only \`mode: Pipeline\``,
          reply: `spec.mode: Unsupported value: "${mode}": supported values: "Pipeline"`,
          fix,
        };
      }
      if (pipeline) return undefined;
      return {
        what: `has no \`pipeline\`, which Crossplane ${version} requires`,
        reply: 'spec: Invalid value: an array of pipeline steps is required in Pipeline mode',
        fix,
      };
    },
  },
];

/** Returns the objects of a package that the API of the target refuses, in the given order. */
export function refusedObjects<T extends PackageObject>(
  objects: readonly T[],
  kind: PackageKind,
  target: Target,
): { readonly object: T; readonly message: string; readonly reply: string }[] {
  return objectsWithRule(objects, kind, target).flatMap(({ object, rule }) => {
    const violation = rule.violation(object, target);
    if (violation === undefined) return [];
    const { what, reply, fix } = violation;
    const message = `${object.kind} \`${object.name}\` ${what} (API server: ${reply}); ${fix}`;
    return [{ object, message, reply }];
  });
}

/** Returns the objects that could not be checked because the source does not contain enough. */
export function uncheckedObjects(
  objects: readonly PackageObject[],
  kind: PackageKind,
  target: Target,
): PackageObject[] {
  return objectsWithRule(objects, kind, target).flatMap(({ object, rule }) =>
    rule.isChecked(object) ? [] : [object],
  );
}

/** Returns the message that some objects were not checked against the API of the target. */
export function uncheckedText(what: string, { version }: Pick<Target, 'version'>): string {
  return `not checked: whether Crossplane ${version} accepts ${what}; the source does not state their \`mode\` and \`pipeline\``;
}

/** Returns the installed objects, each with a rule of the target for its kind. */
function objectsWithRule<T extends PackageObject>(
  objects: readonly T[],
  kind: PackageKind,
  target: Target,
): { readonly object: T; readonly rule: ApiRule }[] {
  return RULES.filter(
    (rule) => rule.applies(target) && isInstalled({ kind: rule.kind }, kind, target),
  ).flatMap((rule) =>
    objects.flatMap((object) => (object.kind === rule.kind ? [{ object, rule }] : [])),
  );
}

/** Returns warnings about XRDs that their CRD refuses. */
export function compositeRules(object: PackageObject, target: Target): Finding[] {
  const { apiVersion, name, composite, defines, line } = object;
  if (composite === undefined) return [];
  const version = apiVersion?.split('/')[1];
  const problems = scopeProblems(composite, version, target);
  const expected = `${composite.plural}.${defines?.group}`;
  if (composite.plural !== undefined && defines !== undefined && name !== expected) {
    problems.push(`must be named \`${expected}\`, after its plural and group`);
  }
  return problems.map((problem) =>
    warningFinding('xrd', `CompositeResourceDefinition \`${name}\` ${problem}`, line),
  );
}

function scopeProblems(
  { scope, claimNames, connectionSecretKeys }: CompositeDefinition,
  version: string | undefined,
  target: Target,
): string[] {
  if (version === 'v1' && !target.rules.compositeScopes) {
    if (scope === undefined || scope === 'LegacyCluster') return [];
    return [
      `sets \`scope: ${scope}\`, which Crossplane ${target.version} does not know and ignores`,
    ];
  }
  const scopes =
    version === 'v2' ? ['Namespaced', 'Cluster'] : ['LegacyCluster', 'Namespaced', 'Cluster'];
  const problems =
    scope === undefined || scopes.includes(scope)
      ? []
      : [`has \`scope: ${scope}\`; the API server takes ${scopes.join(', ')}`];
  const legacy = version === 'v1' && (scope ?? 'LegacyCluster') === 'LegacyCluster';
  if (legacy) return problems;
  const why = version === 'v2' ? 'in `v2`' : `with \`scope: ${scope}\``;
  const where = 'only `apiextensions.crossplane.io/v1` with `scope: LegacyCluster` has them';
  if (claimNames)
    problems.push(`has \`claimNames\` ${why}, which the API server refuses; ${where}`);
  if (connectionSecretKeys) {
    problems.push(`has \`connectionSecretKeys\` ${why}, which the API server refuses; ${where}`);
  }
  return problems;
}
