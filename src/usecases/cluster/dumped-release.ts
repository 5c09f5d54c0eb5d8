import { validPackageReference } from '../../model/reference.js';
import type { ClusterDump } from '../../model/cluster/cluster-dump.js';
import { knownReleases, targetFor, type TargetRules } from '../../model/target/target.js';
import { mappingOf } from '../../text/json.js';

/** A Crossplane release that a dump was taken from. */
interface DumpedRelease {
  readonly version: string;
  /** Whether the dump names it; else it is the newest known one of which such a dump can be. */
  readonly isNamed: boolean;
}

export function releaseOfDump(dump: ClusterDump): DumpedRelease {
  if (dump.crossplane !== undefined) return { version: dump.crossplane.version, isNamed: true };
  const newestFirst = [...knownReleases()].reverse();
  const fitting = newestFirst.find((version) => canBeOf(dump, targetFor(version)!.rules));
  return { version: fitting ?? newestFirst[0]!, isNamed: false };
}

/** Whether a release with these rules could hold such objects. */
function canBeOf(dump: ClusterDump, rules: TargetRules): boolean {
  const { packages, lock, kept, activations, revisions } = dump;
  const fields = new Set(packages.flatMap(({ spec }) => Object.keys(spec)));
  const settings = new Set(
    kept.flatMap(({ object }) => Object.keys(mappingOf(object['spec']) ?? {})),
  );
  const functions = packages.filter(({ kind }) => kind === 'Function');
  const rows = lock?.rows ?? [];
  const hasMrds = revisions.some(({ objects }) =>
    objects.some(({ kind }) => kind === 'ManagedResourceDefinition'),
  );
  const health = revisions
    .flatMap(({ conditions }) => conditions.map(({ type }) => type))
    .filter((type) => type === 'Healthy' || type === 'RevisionHealthy');
  return (
    health.every((type) => type === rules.revisionHealth) &&
    functions.every(({ apiVersion }) => apiVersion === rules.functionApiVersion) &&
    (rows.length === 0 || rows.every(({ hasType }) => hasType) === (rules.lockRows === 'type')) &&
    (!rules.strictReferences || packages.every(({ reference }) => isStrict(reference))) &&
    (!fields.has('controllerConfigRef') || rules.controllerConfigRef) &&
    (!fields.has('commonAnnotations') || rules.commonAnnotations) &&
    (!kept.some(({ object }) => object['kind'] === 'ImageConfig') ||
      rules.imageConfig !== undefined) &&
    (!settings.has('rewriteImage') || rules.imageConfig?.rewrite === true) &&
    (!settings.has('runtime') || rules.imageConfig?.runtime === true) &&
    (!(hasMrds || activations.length > 0) ||
      'apiextensions.crossplane.io/v1alpha1' in rules.objectKinds)
  );
}

function isStrict(reference: string): boolean {
  return validPackageReference(reference, targetFor(knownReleases().at(-1)!)!);
}
