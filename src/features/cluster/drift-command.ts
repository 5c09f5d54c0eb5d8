import type { Difference } from './differences.js';
import { type Drift, findDrift } from './drift.js';
import { dumpArgument, dumpFlags, readDumps } from './read-dump-command.js';
import { formatOrigin } from '../../base/errors.js';
import { lockFlag, outputFlag } from '../../cli/arguments/common-flags.js';
import { requireLock } from '../../cli/files/lock-file.js';
import { command, EXIT, jsonDocument } from '../../cli/kit/command.js';
import { networkFlags } from '../../cli/sources/network-flags.js';
import { counted } from '../../cli/terminal/package-text.js';
import { findingLines, findingsJson } from '../lint/project-output.js';

export const driftCommand = command({
  positionals: dumpArgument,
  flags: { ...dumpFlags, ...lockFlag('Lockfile to compare with'), ...outputFlag, ...networkFlags },
  examples: [
    ['$0 drift cluster.yaml', 'what is otherwise than locked, and what to do about it'],
    ['kubectl get pkg,pkgrev,locks -o yaml | $0 drift -', 'straight from a cluster'],
  ],
  epilogue:
    'Exit code 6 where the cluster is otherwise than locked, or something is wrong with it by itself. No cluster and no source is asked.',
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile } = lock;
    const drift = findDrift(lockfile, await readDumps(args, io));
    for (const note of drift.notes) io.note(`note: ${note}`);
    if (args.output === 'json') io.out(driftJson(drift, lockfile.crossplane));
    else for (const line of driftLines(drift, lockfile.crossplane)) io.out(`${line}\n`);
    return hasDrifted(drift) ? EXIT.findings : EXIT.done;
  },
});

/** Whether the cluster is otherwise than locked, or something is wrong with it: information is not. */
function hasDrifted({ differences, findings }: Drift): boolean {
  return differences.length > 0 || findings.some(({ severity }) => severity !== 'info');
}

/** Returns differences, then problems of the cluster itself, each with its fix. */
function driftLines(drift: Drift, crossplane: string): string[] {
  const { differences, findings } = drift;
  return [
    ...differences.flatMap(({ origin, kind, text, fix }) => [
      `${origin === undefined ? '' : `${formatOrigin(origin)}: `}differs: ${text} [${kind}]`,
      `  fix: ${fix}`,
    ]),
    ...findingLines(findings),
    hasDrifted(drift)
      ? `the cluster has drifted from the lockfile for Crossplane ${crossplane}: ${counted(differences.length, 'difference')}, ${counted(findings.length, 'finding')}`
      : `the cluster is as locked for Crossplane ${crossplane}`,
  ];
}

function driftJson(drift: Drift, crossplane: string): string {
  return jsonDocument({
    status: hasDrifted(drift) ? 'drifted' : 'same',
    crossplane,
    differences: drift.differences.map(differenceJson),
    findings: findingsJson(drift.findings),
    notes: drift.notes,
  });
}

function differenceJson({ kind, repository, origin, text, locked, found, fix }: Difference) {
  const place = { file: origin?.file, line: origin?.line };
  return { kind, source: repository, ...place, text, locked, found, fix };
}
