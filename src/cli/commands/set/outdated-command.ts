import { DEFAULT_FILES } from '../../../inputs/input-files.js';
import { lockGraph } from '../../../lock/lock-graph.js';
import type { LockedPackage, Lockfile } from '../../../lock/lockfile.js';
import type { KeptObject, PackageRoot, Request, RootVersion } from '../../../model/request.js';
import { targetFor } from '../../../model/target/target.js';
import { parseVersion } from '../../../semver/version.js';
import { isDigest } from '../../../text/digest.js';
import { outdated } from '../../../usecases/outdated.js';
import { noStats } from '../../../driver/read-stats.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { formatFlag } from '../../reporting/format-flag.js';
import { eachFlags } from '../../each/each-flags.js';
import { readRequestIfAny } from '../../flags/input-flags.js';
import { keptIn, requireLock } from '../../io/lock-file.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { outputFlag } from '../../flags/output-flag.js';
import { resolveFlags, resolveOptions } from '../../flags/resolve-flags.js';
import { withProgress } from '../../io/progress.js';
import { counted } from '../../output/counted.js';
import { outdatedJson, outdatedLines } from '../../output/outdated.js';
import { openSources } from '../../flags/source/source-flags.js';

export const outdatedCommand = command({
  positionals: {},
  // Those of `update`, which is asked what it would do.
  flags: {
    ...resolveFlags,
    ...lockFlag(),
    ...outputFlag,
    ...formatFlag,
    ...eachFlags,
    'exit-code': { type: 'boolean', default: false, describe: 'Exit 6 if anything is outdated' },
  },
  each: { showsData: true },
  examples: [['$0 outdated --exit-code', 'in CI, on a schedule: is there anything to update?']],
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile } = lock;
    const asked = await readRequestIfAny(args, io, { skip: [args.lock] });
    if (asked === undefined) {
      io.note(`note: there is no \`${DEFAULT_FILES[0]}\`: only locked packages say what fits`);
    }
    const request = asked ?? whatIsLocked(lockfile, keptIn(lockfile, args.lock));
    const stats = noStats();
    const source = await openSources(args, io, stats, request.kept);
    const options = resolveOptions(args, source, io);
    const report = await withProgress(io, stats, () => outdated(lockfile, request, options));
    io.report?.(async () => {
      const { outdatedReport } = await import('../../output/findings/outdated-report.js');
      const { LockPlaces } = await import('../../output/findings/lock-places.js');
      return outdatedReport(report, await LockPlaces.read(args.lock, io), args.exitCode);
    });
    for (const note of report.notes) io.note(`note: ${note}`);
    if (args.output === 'json') io.out(outdatedJson(report, lockfile.crossplane));
    else for (const line of outdatedLines(report)) io.out(`${line}\n`);
    const { length: count } = report.packages;
    io.headline(count === 0 ? 'nothing newer' : `${counted(count, 'package')} not at the newest`);
    if (count === 0) {
      io.note('nothing newer than what is locked');
      return EXIT.done;
    }
    return args.exitCode ? EXIT.findings : EXIT.done;
  },
});

/** For a set that was resolved from references: what no locked package requires, or newer. */
function whatIsLocked(lockfile: Lockfile, kept: readonly KeptObject[]): Request {
  const origin = { file: 'the lockfile' };
  return {
    crossplane: { text: lockfile.crossplane, origin },
    roots: lockGraph(lockfile).starts.map((locked) => orNewer(locked, lockfile)),
    overrides: [],
    replace: [],
    exclude: [],
    defaults: {},
    kept,
  };
}

function orNewer(locked: LockedPackage, { crossplane, ...lockfile }: Lockfile): PackageRoot {
  const { repository, kind, version, object } = locked;
  const { dialect } = targetFor(crossplane)!.rules;
  const wanted: RootVersion = isDigest(version)
    ? { form: 'digest', digest: version }
    : parseVersion(version, dialect) === undefined
      ? { form: 'tag', tag: version }
      : { form: 'text', text: `>=${version}` };
  return {
    root: 'package',
    repository,
    kind,
    version: wanted,
    name: undefined,
    spec: {},
    object: undefined,
    ignoreCrossplaneConstraints: object.spec['ignoreCrossplaneConstraints'] === true,
    skipDependencyResolution: lockfile.skipDependencyResolution.length > 0,
    origin: { file: 'the lockfile' },
  };
}
