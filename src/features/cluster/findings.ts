import {
  type ClusterFinding,
  type ClusterRule,
  DUMP_COMMAND,
  type InstalledCluster,
  skipsResolution,
} from './installed-cluster.js';
import { PACKAGE_RULES } from './package-rules.js';
import { REVISION_RULES } from './revision-rules.js';
import { redactCredentials } from '../../base/errors.js';
import { byPlace } from '../lint/linted-project.js';

const RULES: readonly ClusterRule[] = [
  ...PACKAGE_RULES,
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
        SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity) || byPlace(a, b),
    );
}

/** Reports information that the dump lacks, because absence is otherwise read as "there is none". */
function incompleteDump({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const [first] = packages;
  if (first === undefined) return [];
  const finding = (text: string, fix = `\`${DUMP_COMMAND}\``): ClusterFinding => {
    return { rule: 'incomplete-dump', severity: 'info', origin: first.origin, text, fix };
  };
  const noRevisions =
    'the dump has no revisions, which tell what runs, of which bytes, and what it owns';
  const emptyLock =
    'every package skips dependency resolution, so that the Lock is empty, and tells of no dependency';
  return [
    ...(dump.lock === undefined
      ? [finding('the dump has no Lock, which tells what depends on what')]
      : []),
    ...(dump.revisions.length === 0 ? [finding(noRevisions)] : []),
    ...(packages.every(skipsResolution) ? [finding(emptyLock, 'name sources with `--from`')] : []),
  ];
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
