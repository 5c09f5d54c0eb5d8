import type { CompositeDefinition, PackageObject } from '../model/package-contents.js';
import type { Finding } from '../model/package-meta.js';
import type { Target } from '../model/target/target.js';
import { warningFinding } from './finding.js';

/** What the CRD of CompositeResourceDefinitions refuses when a package is installed. */
export function compositeRules(object: PackageObject, target: Target): Finding[] {
  const { apiVersion, name, composite, defines, line } = object;
  if (composite === undefined) return [];
  const version = apiVersion?.split('/')[1];
  const problems = [
    ...scopeProblems(composite, version, target),
    ...nameProblems(name, composite, defines?.group),
  ];
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

function nameProblems(
  name: string,
  { plural }: CompositeDefinition,
  group: string | undefined,
): string[] {
  if (plural === undefined || group === undefined || name === `${plural}.${group}`) return [];
  return [`must be named \`${plural}.${group}\`, after its plural and group`];
}
