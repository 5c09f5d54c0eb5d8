import { targetFor, type Target } from '../../../model/target/target.js';
import { InputError } from '../../../model/input-error.js';
import type { Mismatch } from '../../../usecases/mismatch.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { eachFlags } from '../../each/each-flags.js';
import { DEFAULT_OUT, outFlag } from '../../flags/bundle-flags.js';
import { clash } from '../../flags/clash.js';
import { chosenLayout, layoutFlags } from '../../flags/layout/layout-flags.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { networkFlags } from '../../flags/source/network-flags.js';
import { outputFlag } from '../../flags/output-flag.js';
import { pinFlags } from '../../flags/pin-flags.js';
import { crossplaneFlag } from '../../flags/target-flag.js';
import { BundleFolder } from '../../io/bundle/bundle-folder.js';
import { requireLock } from '../../io/lock-file.js';
import { renderAgain } from '../../io/bundle/render-again.js';
import { writeOutputs } from '../../io/bundle/write-outputs.js';
import { jsonDocument } from '../../output/json-document.js';
import { reportMismatches } from '../../output/lock/mismatches.js';
import { renderingNotes } from '../../output/lock/rendering.js';

export const renderCommand = command({
  positionals: {},
  flags: {
    ...networkFlags,
    ...lockFlag(),
    ...pinFlags,
    ...outFlag('Folder to write to, or - to print what would be applied'),
    ...layoutFlags,
    ...crossplaneFlag('Crossplane release to render for (default: that of the lockfile)'),
    check: {
      type: 'boolean',
      default: false,
      describe: 'Write nothing, and exit 4 unless the bundle is there and as it would be rendered',
    },
    plan: {
      type: 'string',
      requiresArg: true,
      describe: 'Write the steps from --old to the lockfile instead, a folder each, into this one',
    },
    old: {
      type: 'string',
      requiresArg: true,
      describe: 'With --plan: the lockfile of what is installed (default: as committed in HEAD)',
    },
    ...outputFlag,
    ...eachFlags,
  },
  each: { showsData: false },
  examples: [
    ['$0 render --check', 'in CI: is `rendered/` what the lockfile renders?'],
    ['$0 render --argocd --split', 'for Argo CD, with waves, a file for each object'],
    ['$0 render --flux clusters/prod/packages', 'for Flux, in layers that wait for each other'],
    ['$0 render --helm chart', 'as a Helm chart'],
    ['$0 render --plan plan', 'how to get there from what is committed, step by step'],
  ],
  run: async (args, io) => {
    const { out, modes } = chosenLayout(args, DEFAULT_OUT, io);
    if (args.check && args.out === '-') throw clash('--check', '--out -');
    if (args.output === 'json' && args.out === '-') throw clash('-o json', '--out -');
    if (args.check && args.plan !== undefined) throw clash('--check', '--plan');
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile } = lock;
    if (args.plan !== undefined) {
      const { renderSteps } = await import('./render-steps.js');
      return renderSteps({ ...args, plan: args.plan }, lockfile, io);
    }
    const target = args.crossplane === undefined ? undefined : releaseOf(args.crossplane);
    const folder = await BundleFolder.of({ out }, io);
    const { pin, applyLock } = args;
    const given = { pin, applyLock, ...modes };
    const { rendering, kept } = renderAgain(lockfile, given, folder, target);
    for (const line of renderingNotes({ rendering, kept }, { out })) io.note(line);
    if (folder === undefined) {
      io.out(rendering.stream);
      return EXIT.done;
    }
    const files = [...rendering.files.keys()].map((name) => `${folder.named}/${name}`).sort();
    const told = { crossplane: target?.version ?? lockfile.crossplane, files };
    if (args.check) {
      const differs = folder.isEmpty ? [absent(folder)] : folder.mismatches(rendering);
      if (differs.length > 0) return reportMismatches(differs, args, io);
      io.headline(`${folder.named}/ is what ${args.lock} renders`);
      if (args.output === 'json') io.out(jsonDocument({ status: 'matched', ...told }));
      else io.note(`${folder.named}/ is what ${args.lock} renders`);
      return EXIT.done;
    }
    const { text: before } = lock;
    await writeOutputs(
      { lock: { named: args.lock, text: undefined, before }, rendering, folder },
      io,
    );
    io.headline(`${folder.named}/ rendered for Crossplane ${told.crossplane}`);
    if (args.output === 'json') io.out(jsonDocument({ status: 'rendered', ...told }));
    return EXIT.done;
  },
});

function absent({ named }: BundleFolder): Mismatch {
  return { kind: 'bundle', file: named, text: 'no bundle is there' };
}

function releaseOf(version: string): Target {
  const target = targetFor(version);
  if (target !== undefined) return target;
  throw new InputError(`\`--crossplane ${version}\` is not an exact version`, {
    hint: 'a range is for `xpkg-resolve resolve`, which picks a release; here it must be known',
  });
}
