import type { ClusterFinding } from '../cluster-finding.js';
import { skipsResolution, type InstalledCluster } from '../installed-cluster.js';

/** The command whose output holds all that is asked about. */
export const DUMP_COMMAND =
  'kubectl get providers,configurations,functions,providerrevisions,configurationrevisions,functionrevisions,locks,imageconfigs,deploymentruntimeconfigs -o yaml';

/** What a dump is silent about, so that silence is not taken for "there is none". */
export function incompleteDump({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const origin = packages[0]?.origin ?? { file: 'the dump' };
  const fix = `\`${DUMP_COMMAND}\``;
  const rule = 'incomplete-dump';
  const told: ClusterFinding[] = [];
  if (dump.lock === undefined) {
    const text = 'the dump has no Lock, which tells what depends on what';
    told.push({ rule, severity: 'info', origin, text, fix });
  }
  if (dump.revisions.length === 0) {
    const text =
      'the dump has no revisions, which tell what runs, of which bytes, and what it owns';
    told.push({ rule, severity: 'info', origin, text, fix });
  }
  if (packages.length > 0 && packages.every(skipsResolution)) {
    const text =
      'every package skips dependency resolution, so that the Lock is empty, and tells of no dependency';
    told.push({ rule, severity: 'info', origin, text, fix: 'name sources with `--from`' });
  }
  return packages.length === 0 ? [] : told;
}

/** Secrets are never read; that the file holds some is worth knowing. */
export function passedOverSecrets({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const count = dump.passedOver.get('Secret') ?? 0;
  if (count === 0) return [];
  const text = `the dump holds ${count === 1 ? 'a Secret, which was' : `${count} Secrets, which were`} not read`;
  return [
    {
      rule: 'secrets-in-dump',
      severity: 'info',
      origin: packages[0]?.origin ?? { file: 'the dump' },
      text,
      fix: 'keep the file out of version control, and dump no Secrets',
    },
  ];
}
