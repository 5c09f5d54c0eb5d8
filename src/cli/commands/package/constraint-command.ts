import { adviceFor, surprises } from '../../../semver/constraint-advice.js';
import { admitsPrereleases, parseConstraint, type Constraint } from '../../../semver/constraint.js';
import { InputError } from '../../../model/input-error.js';
import { meaningOf } from '../../../semver/constraint-meaning.js';
import type { Target } from '../../../model/target/target.js';
import { parseVersion } from '../../../semver/version.js';
import { whyNot } from '../../../semver/constraint-why-not.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { constraintReportText, type ConstraintReport } from '../../output/package/constraint.js';
import { outputFlag } from '../../flags/output-flag.js';
import { crossplaneFlag, exactTarget } from '../../flags/target-flag.js';
import { answerLines } from './constraint-lines.js';
import { jsonDocument } from '../../output/json-document.js';

export const constraintCommand = command({
  positionals: {
    range: { type: 'string', describe: 'A constraint, such as ">=v1.2.0, <v2"' },
    versions: { type: 'string', array: true, describe: 'Versions to try' },
  },
  examples: [
    ["$0 constraint '^v0.2.0' v0.3.0 --crossplane v2.2.1", 'yes there, and no from v2.3 on'],
  ],
  flags: {
    ...crossplaneFlag('Crossplane release that reads the range (default: the newest known)'),
    stdin: {
      type: 'boolean',
      default: false,
      describe: 'Answer JSON lines {"constraint","version","crossplane"} one by one',
    },
    ...outputFlag,
  },
  run: async (args, io) => {
    const target = exactTarget(args.crossplane, io);
    if (args.stdin) {
      if (args.range !== undefined) {
        throw new InputError('`--stdin` reads constraints from standard input; give no RANGE');
      }
      await answerLines(io, target);
      return EXIT.done;
    }
    const report = reportOn(parsed(args.range, target), args.versions ?? [], target);
    io.out(args.output === 'json' ? jsonDocument(report) : constraintReportText(report));
    return EXIT.done;
  },
});

function parsed(range: string | undefined, target: Target): Constraint {
  if (range === undefined) {
    throw new InputError('no range given', {
      hint: "try `xpkg-resolve constraint '>=v1.2.0' v1.3.0`, or `--stdin` for many at once",
    });
  }
  const constraint = parseConstraint(range, target.rules.dialect);
  if (!constraint.invalid) return constraint;
  throw new InputError(
    `\`${range}\` is not a range on Crossplane ${target.version}: ${constraint.error}`,
    { hint: adviceFor(constraint) },
  );
}

function reportOn(
  range: Constraint,
  versions: readonly string[],
  target: Target,
): ConstraintReport {
  return {
    constraint: range.text,
    crossplane: target.version,
    semver: range.dialect,
    means: meaningOf(range),
    prereleases: admitsPrereleases(range),
    notes: surprises(range),
    versions: versions.map((text) => {
      const version = parseVersion(text, range.dialect);
      if (version === undefined) {
        return { version: text, validVersion: false, satisfied: false, reason: 'not a version' };
      }
      const reason = whyNot(range, version);
      return { version: text, validVersion: true, satisfied: reason === undefined, reason };
    }),
  };
}
