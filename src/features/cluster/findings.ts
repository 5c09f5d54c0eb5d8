import {
  type ClusterFinding,
  type ClusterRule,
  DUMP_COMMAND,
  type InstalledCluster,
  skipsResolution,
} from './installed-cluster.js';
import { LOCK_ROW_RULES } from './lock-row-rules.js';
import { NAME_RULES } from './name-rules.js';
import { PACKAGE_RULES } from './package-rules.js';
import { REVISION_RULES } from './revision-rules.js';
import { byCodePoint } from '../../base/collections.js';
import { formatOrigin, redactCredentials } from '../../base/errors.js';

const RULES: readonly ClusterRule[] = [
  ...PACKAGE_RULES,
  ...LOCK_ROW_RULES,
  ...NAME_RULES,
  ...REVISION_RULES,
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

/** Reports information that the dump lacks, because absence is otherwise read as "there is none". */
function incompleteDump({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const [first] = packages;
  if (first === undefined) return [];
  const finding = (text: string, fix = `\`${DUMP_COMMAND}\``): ClusterFinding => {
    return { rule: 'incomplete-dump', severity: 'info', origin: first.origin, text, fix };
  };
  const findings: ClusterFinding[] = [];
  if (dump.lock === undefined) {
    findings.push(finding('the dump has no Lock, which tells what depends on what'));
  }
  if (dump.revisions.length === 0) {
    const text =
      'the dump has no revisions, which tell what runs, of which bytes, and what it owns';
    findings.push(finding(text));
  }
  if (packages.every(skipsResolution)) {
    const text =
      'every package skips dependency resolution, so that the Lock is empty, and tells of no dependency';
    findings.push(finding(text, 'name sources with `--from`'));
  }
  return findings;
}

/** Reports that the dump contains Secrets. They are never read. */
function ignoredSecrets({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const count = dump.ignored.get('Secret') ?? 0;
  if (count === 0) return [];
  const origin = packages[0]?.origin ?? { file: 'the dump' };
  const text = `the dump holds ${count === 1 ? 'a Secret, which was' : `${count} Secrets, which were`} not read`;
  const fix = 'keep the file out of version control, and dump no Secrets';
  return [{ rule: 'secrets-in-dump', severity: 'info', origin, text, fix }];
}
