import { projectTarget } from '../../cli/arguments/target-flag.js';
import { defineCommand } from '../../cli/kit/command.js';
import { openPackage, packageArgument, packageFlags } from '../../cli/sources/package-argument.js';
import {
  crossplaneConstraint,
  isRejection,
  judge,
  packageKind,
} from '../../crossplane/packages/admission.js';
import { ownedObjects } from '../../crossplane/packages/owned-objects.js';
import { ownsByGroup } from '../../project/lockfile/format-lockfile.js';
import { inspectLines, inspectOutput, type InspectReport } from './output.js';

export const inspectCommand = defineCommand({
  positionals: packageArgument,
  flags: packageFlags,
  examples: [
    ['$0 inspect xpkg.crossplane.io/acme/provider-a', 'its newest version'],
    ['$0 inspect package.yaml', 'a package that is being developed'],
  ],
  run: async (args, io): Promise<InspectReport> => {
    const target = await projectTarget(args, io);
    const { contents, digest, candidate } = await openPackage(args, io, target);
    const judged = judge(contents, target, { compat: args.compat });
    const [meta] = contents.metas;
    const kind = meta && packageKind(meta);
    return {
      package: args.package,
      target: target.version,
      accepted: !isRejection(judged),
      version: candidate?.version,
      digest,
      apiVersion: meta?.apiVersion,
      kind: meta?.kind,
      name: meta?.name,
      crossplane: meta && crossplaneConstraint(meta),
      labels: meta?.labels ?? {},
      annotations: meta?.annotations ?? {},
      capabilities: meta?.capabilities ?? [],
      dependsOn: meta?.dependsOn ?? [],
      requirements: isRejection(judged) ? [] : judged.requirements,
      owns: ownsByGroup(kind === undefined ? [] : ownedObjects(contents.objects, kind, target)),
      findings: judged.findings,
    };
  },
  json: () => inspectOutput,
  text: inspectLines,
});
