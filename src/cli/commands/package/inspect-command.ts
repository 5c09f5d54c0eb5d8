import { judge } from '../../../admission/judge.js';
import type { Command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { openPackage, packageFlags, type PackageArgs } from '../../flags/package-argument.js';
import { inspectReport, renderInspect } from '../../output/inspect.js';
import { exactTarget } from '../../flags/target-flag.js';

export const inspectCommand: Command<PackageArgs> = {
  builder: (yargs) => packageFlags(yargs),
  run: async (args, io) => {
    const target = exactTarget(args.crossplane, io);
    const { contents, digest } = await openPackage(args, io, target);
    const judged = judge(contents, target, { compat: args.compat });
    const report = inspectReport(args.package, target, { contents, digest, judged });
    io.out(args.output === 'json' ? `${JSON.stringify(report, null, 2)}\n` : renderInspect(report));
    return EXIT.done;
  },
};
