import { installsKind } from './owned-objects.js';
import type { CompositeDefinition, PackageObject } from './package-contents.js';
import { type Finding, warningFinding } from './package-meta.js';
import type { PackageKind } from './package.js';
import type { Target } from '../releases/target.js';

/** Code of findings about objects that the API of a release refuses. */
export const API_REFUSED = 'api-refused';

/** Returns the objects of a package that the API of the target refuses, in the given order. */
export function refusedObjects<T extends PackageObject>(
  objects: readonly T[],
  kind: PackageKind,
  target: Target,
): { readonly object: T; readonly message: string; readonly serverMessage: string }[] {
  return restrictedCompositions(objects, kind, target).flatMap((object) => {
    const { mode = 'Pipeline', pipeline } = object.composition ?? { pipeline: true };
    if (mode === 'Pipeline' && pipeline) return [];
    const release = `Crossplane ${target.version}`;
    const [what, serverMessage] =
      mode === 'Pipeline'
        ? [
            `has no \`pipeline\`, which ${release} requires`,
            'spec: Invalid value: an array of pipeline steps is required in Pipeline mode',
          ]
        : [
            `has \`mode: ${mode}\`, and ${release} accepts only \`mode: Pipeline\``,
            `spec.mode: Unsupported value: "${mode}": supported values: "Pipeline"`,
          ];
    const fix = 'run its resources in a `pipeline`, with function-patch-and-transform';
    const message = `Composition \`${object.name}\` ${what} (API server: ${serverMessage}); ${fix}`;
    return [{ object, message, serverMessage }];
  });
}

/** Returns the objects that could not be checked because the source does not contain enough. */
export function uncheckedObjects(
  objects: readonly PackageObject[],
  kind: PackageKind,
  target: Target,
): PackageObject[] {
  return restrictedCompositions(objects, kind, target).filter((each) => !each.composition);
}

/** Returns the message that some objects were not checked against the API of the target. */
export function uncheckedText(what: string, { version }: Pick<Target, 'version'>): string {
  return `not checked: whether Crossplane ${version} accepts ${what}; the source does not state their \`mode\` and \`pipeline\``;
}

/** Returns the installed Compositions if the API of the target restricts them. */
function restrictedCompositions<T extends PackageObject>(
  objects: readonly T[],
  kind: PackageKind,
  target: Target,
): T[] {
  const applies =
    target.rules.pipelineCompositionsOnly && installsKind({ kind: 'Composition' }, kind, target);
  return applies ? objects.filter((object) => object.kind === 'Composition') : [];
}

/** Returns warnings about XRDs that their CRD refuses. */
export function compositeFindings(object: PackageObject, target: Target): Finding[] {
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
    const text = `sets \`scope: ${scope}\`, which Crossplane ${target.version} does not know and ignores`;
    return scope === undefined || scope === 'LegacyCluster' ? [] : [text];
  }
  const scopes =
    version === 'v2' ? ['Namespaced', 'Cluster'] : ['LegacyCluster', 'Namespaced', 'Cluster'];
  const problems =
    scope === undefined || scopes.includes(scope)
      ? []
      : [`has \`scope: ${scope}\`; the API server takes ${scopes.join(', ')}`];
  if (version === 'v1' && (scope ?? 'LegacyCluster') === 'LegacyCluster') return problems;
  const why = version === 'v2' ? 'in `v2`' : `with \`scope: ${scope}\``;
  const where = 'only `apiextensions.crossplane.io/v1` with `scope: LegacyCluster` has them';
  const legacyFields = Object.entries({ claimNames, connectionSecretKeys });
  const refused = legacyFields.filter(([, isPresent]) => isPresent).map(([field]) => field);
  return [
    ...problems,
    ...refused.map((field) => `has \`${field}\` ${why}, which the API server refuses; ${where}`),
  ];
}
