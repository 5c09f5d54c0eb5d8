import { readDependencies } from './dependency.js';
import { crossplaneConstraint, lintContents, packageKind, type JudgeOptions } from './lint.js';
import { ownedObjects } from './owned.js';
import type { PackageContents } from '../model/package-contents.js';
import type { Finding, PackageMeta, Rejection } from '../model/package-meta.js';
import type { Target } from '../model/target/target.js';

/** What the target makes of a package: fit to install, or refused and why. */
export function judge(
  contents: PackageContents,
  target: Target,
  options: JudgeOptions = {},
): PackageMeta | Rejection {
  const linted = lintContents(contents, target, options);
  const [meta] = contents.metas;
  const kind = meta && packageKind(meta);
  if (meta === undefined || kind === undefined) return { rejected: true, findings: linted };
  const { requirements, findings: dependencies } = readDependencies(meta.dependsOn, {
    target,
    compat: options.compat ?? false,
    lines: meta.dependsOnLines,
    line: meta.line,
  });
  const findings = [...linted, ...dependencies];
  if (findings.some(isError)) return { rejected: true, findings };
  return {
    kind,
    name: meta.name,
    labels: meta.labels,
    crossplane: crossplaneConstraint(meta),
    requirements,
    owns: ownedObjects(contents.objects, kind, target),
    findings,
  };
}

export function isRejection(judged: PackageMeta | Rejection): judged is Rejection {
  return 'rejected' in judged;
}

function isError(finding: Finding): boolean {
  return finding.severity === 'error';
}
