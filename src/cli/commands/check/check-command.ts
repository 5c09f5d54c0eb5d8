import { noStats } from '../../../driver/read-stats.js';
import { command } from '../../command.js';
import { allowUndigestedFlag, bundleFlag, outFlag } from '../../flags/bundle-flags.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { outputFlag } from '../../flags/output-flag.js';
import { refsArgument, resolveFlags } from '../../flags/resolve-flags.js';
import {
  checkComplaints,
  checkExitCode,
  checkJson,
  checkReport,
  checkTable,
} from '../../output/check/check.js';
import { SEVERITIES } from '../../output/set-lint.js';
import { formatFlag } from '../../reporting/format-flag.js';
import { CheckRun } from './check-run.js';

export const checkCommand = command({
  positionals: refsArgument,
  flags: {
    ...resolveFlags,
    ...lockFlag('Lockfile to check'),
    ...outputFlag,
    ...formatFlag,
    skip: {
      type: 'string',
      array: true,
      nargs: 1,
      choices: ['rendered', 'verify', 'lint', 'matrix'],
      describe: 'Step to leave out; may be repeated',
    },
    'fail-on': {
      choices: SEVERITIES,
      requiresArg: true,
      default: 'error',
      describe: 'Let lint fail from this severity up',
    },
    ...outFlag('Folder of the bundle to compare with what the lockfile renders'),
    ...bundleFlag('Do not look at the bundle'),
    ...allowUndigestedFlag('Let the lockfile be without digests that its sources have'),
  },
  examples: [
    ['$0 check', 'in CI: is everything as it should be?'],
    ['$0 check --format github --format sarif=xpkg.sarif', 'with annotations, and a file'],
  ],
  epilogue:
    'Reads what is asked for (inputs), resolves with --locked (locked), compares the bundle (rendered), ' +
    'holds the lockfile against its sources (verify), lints the set (lint), and resolves for the ' +
    'releases that `spec.crossplanes` names (matrix). Sources are opened once, and what is locked is ' +
    'read once. The exit code is that of the first step in the table that failed.',
  run: async (args, io) => {
    const stats = noStats();
    const checked = await new CheckRun(args, io, stats).run();
    const code = checkExitCode(checked);
    io.report?.(async () => checkReport(checked));
    for (const line of checkComplaints(checked)) io.note(line);
    if (args.output === 'json') io.out(checkJson(checked, stats.bytes));
    else for (const line of checkTable(checked)) io.out(`${line}\n`);
    return code;
  },
});
