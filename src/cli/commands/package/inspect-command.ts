import { judge } from '../../../admission/judge.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { openPackage, packageArgument, packageFlags } from '../../flags/package-argument.js';
import { inspectReport, inspectReportText } from '../../output/package/inspect.js';
import { exactTarget } from '../../flags/target-flag.js';
import { jsonDocument } from '../../output/json-document.js';

export const inspectCommand = command({
  positionals: packageArgument,
  flags: packageFlags,
  examples: [
    ['$0 inspect xpkg.crossplane.io/acme/provider-a', 'its newest version'],
    ['$0 inspect package.yaml', 'a package that is being developed'],
  ],
  run: async (args, io) => {
    const target = exactTarget(args.crossplane, io);
    const { contents, digest, candidate } = await openPackage(args, io, target);
    const judged = judge(contents, target, { compat: args.compat });
    const report = inspectReport(args.package, target, {
      contents,
      version: candidate?.version,
      digest,
      judged,
    });
    io.out(args.output === 'json' ? jsonDocument(report) : inspectReportText(report));
    return EXIT.done;
  },
});
