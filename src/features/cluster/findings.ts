import { formatOrigin, redactCredentials } from '../../base/errors.js';
import { byCodePoint } from '../../base/collections.js';
import {
  type ClusterFinding,
  type ClusterRule,
  type InstalledCluster,
  incompleteDump,
  ignoredSecrets,
} from './installed-cluster.js';
import {
  activationPolicies,
  unmatchedPatterns,
  duplicateSources,
  pausedObjects,
  mixedSkipResolution,
  unhealthyPackages,
} from './package-rules.js';
import {
  brokenConstraints,
  duplicateRows,
  missingRows,
  orphanedRows,
  staleRows,
  unresolvedLock,
} from './lock-row-rules.js';
import {
  digestsAndRanges,
  unexpectedNames,
  duplicateSpellings,
  tagsWithDigests,
  unreadableReferences,
} from './name-rules.js';
import {
  inactivePackages,
  orphanedRevisions,
  multipleActiveRevisions,
  objectsWithTwoOwners,
  pendingRevisions,
} from './revision-rules.js';

const RULES: readonly ClusterRule[] = [
  duplicateSources,
  duplicateRows,
  orphanedRows,
  staleRows,
  missingRows,
  unresolvedLock,
  brokenConstraints,
  mixedSkipResolution,
  unreadableReferences,
  tagsWithDigests,
  digestsAndRanges,
  unexpectedNames,
  duplicateSpellings,
  multipleActiveRevisions,
  objectsWithTwoOwners,
  inactivePackages,
  pendingRevisions,
  orphanedRevisions,
  unhealthyPackages,
  pausedObjects,
  unmatchedPatterns,
  activationPolicies,
  incompleteDump,
  ignoredSecrets,
];

const SEVERITY_ORDER = ['error', 'warning', 'info'];

/** Returns the findings of all rules, sorted by severity, then by place in the dump. */
export function clusterFindings(cluster: InstalledCluster): readonly ClusterFinding[] {
  return RULES.flatMap((rule) => rule(cluster))
    .map((finding) => ({ ...finding, text: redactCredentials(finding.text) }))
    .sort(
      (a, b) =>
        SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity) ||
        byCodePoint(a.origin.file, b.origin.file) ||
        (a.origin.line ?? 0) - (b.origin.line ?? 0) ||
        byCodePoint(a.rule, b.rule) ||
        byCodePoint(`${formatOrigin(a.origin)} ${a.text}`, `${formatOrigin(b.origin)} ${b.text}`),
    );
}
