import type { Target } from '../../../model/target/target.js';
import type { ImportedCluster } from '../../../usecases/cluster/import-cluster.js';
import { counted } from '../counted.js';
import { jsonDocument } from '../json-document.js';
import { columns, shortVersion } from '../packages.js';
import { findingsJson } from '../set-lint.js';

/** One line a package: what, at which version, and whether it was pulled in. */
export function importLines({ lockfile, required }: ImportedCluster, target: Target): string[] {
  const rows = lockfile.packages.map(({ repository, version, kind, direct, digest }) => [
    repository,
    shortVersion(version),
    kind,
    !direct ? 'dependency' : required.has(repository) ? 'required, too' : '',
    digest === undefined ? 'no digest' : '',
  ]);
  return [
    `${counted(rows.length, 'package')} of a cluster with Crossplane ${target.version}`,
    ...columns(rows),
  ];
}

export function importJson(
  { lockfile, findings, undigested }: ImportedCluster,
  target: Target,
  files: readonly { readonly file: string; readonly text: string }[],
): string {
  return jsonDocument({
    status: 'imported',
    crossplane: target.version,
    packages: lockfile.packages.map(({ repository, version, digest, kind, name, direct }) => ({
      source: repository,
      version,
      digest,
      kind,
      name,
      direct,
    })),
    undigested,
    files,
    findings: findingsJson(findings),
  });
}
