import { formatOrigin } from '../../model/input-error.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { redactCredentials } from '../../text/redact-credentials.js';
import type { ClusterFinding, ClusterRule } from './cluster-finding.js';
import type { InstalledCluster } from './installed-cluster.js';
import { activationPolicies, idlePatterns } from './rules/activations.js';
import { incompleteDump, passedOverSecrets } from './rules/dump.js';
import {
  brokenConstraints,
  duplicateRows,
  missingRows,
  orphanedRows,
  staleRows,
  unresolvedLock,
} from './rules/lock-rows.js';
import {
  digestsAndRanges,
  oddNames,
  twoSpellings,
  twoTags,
  unreadableReferences,
} from './rules/names.js';
import {
  duplicateSources,
  pausedObjects,
  skipMixture,
  unhealthyPackages,
} from './rules/packages.js';
import {
  inactivePackages,
  orphanedRevisions,
  severalActive,
  twoOwners,
  waitingRevisions,
} from './rules/revisions.js';

const RULES: readonly ClusterRule[] = [
  duplicateSources,
  duplicateRows,
  orphanedRows,
  staleRows,
  missingRows,
  unresolvedLock,
  brokenConstraints,
  skipMixture,
  unreadableReferences,
  twoTags,
  digestsAndRanges,
  oddNames,
  twoSpellings,
  severalActive,
  twoOwners,
  inactivePackages,
  waitingRevisions,
  orphanedRevisions,
  unhealthyPackages,
  pausedObjects,
  idlePatterns,
  activationPolicies,
  incompleteDump,
  passedOverSecrets,
];

const SEVERITY_ORDER = ['error', 'warning', 'info'];

/** What is worth telling about a cluster by itself, worst first, then by place. */
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
