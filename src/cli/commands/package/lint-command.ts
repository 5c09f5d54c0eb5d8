import { advise } from '../../../admission/advice.js';
import { judge } from '../../../admission/judge.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { openPackage, packageArgument, packageFlags } from '../../flags/package-argument.js';
import { lintReport, lintReportText } from '../../output/lint.js';
import { exactTarget } from '../../flags/target-flag.js';
import { jsonDocument } from '../../output/json-document.js';

export const lintCommand = command({
  positionals: packageArgument,
  flags: {
    ...packageFlags,
    strict: { type: 'boolean', default: false, describe: 'Let warnings count as errors do' },
  },
  run: async (args, io) => {
    const target = exactTarget(args.crossplane, io);
    const { contents, originOf } = await openPackage(args, io, target);
    const { findings } = judge(contents, target, { compat: args.compat });
    const report = lintReport(args.package, target, {
      findings: [...findings, ...advise(contents, target)],
      originOf,
    });
    io.out(args.output === 'json' ? jsonDocument(report) : lintReportText(report));
    const counted = report.errors + (args.strict ? report.warnings : 0);
    return counted > 0 ? EXIT.findings : EXIT.done;
  },
});
