import { noStats } from '../../../driver/read-stats.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { pinFlags } from '../../flags/pin-flags.js';
import { outputFlag } from '../../flags/output-flag.js';
import { openSources, sourceFlags } from '../../flags/source/source-flags.js';
import { planFolder, writePlanFolder } from '../../io/bundle/plan-folder.js';
import { keptIn } from '../../io/lock-file.js';
import { withProgress } from '../../io/progress.js';
import { requireNamedLock } from '../../io/sides/named-lock.js';
import { stopovers, viaFlag } from '../../io/sides/stopovers.js';
import { noPlanJson, planJson } from '../../output/plan/plan-json.js';
import { planMarkdown } from '../../output/plan/plan-markdown.js';
import { noPlanLines, planLines } from '../../output/plan/plan-text.js';
import { planCommands } from '../../output/plan/step-commands.js';
import { plan } from '../../../usecases/plan/plan.js';

/** The folder that commands name, unless steps are written to another. */
const DEFAULT_FOLDER = 'plan';

const lockfile = (describe: string) => ({ type: 'string', demandOption: true, describe }) as const;

export const planCommand = command({
  positionals: {
    old: lockfile('The lockfile of what is installed: a file, `REVISION:PATH` of git, or oci://…'),
    new: lockfile('The lockfile to get to, likewise'),
  },
  flags: {
    ...sourceFlags,
    ...viaFlag,
    pin: {
      ...pinFlags.pin,
      describe: 'How objects name versions; locked: by tag, pulled by digest (default: tag)',
    },
    out: {
      type: 'string',
      requiresArg: true,
      describe: 'Folder to write the steps to, a folder each, as `render --plan` does',
    },
    output: {
      ...outputFlag.output,
      choices: ['text', 'json', 'markdown'],
      describe: 'How to print the answer; markdown is for a pull request',
    },
  },
  examples: [
    ['$0 plan HEAD:xpkg.lock.yaml xpkg.lock.yaml', 'from what is committed to what is about to be'],
    ['$0 plan HEAD xpkg.lock.yaml --out plan', 'the same, each step as a folder to apply'],
    ['$0 plan xpkg.lock.yaml HEAD:xpkg.lock.yaml', 'the way back'],
  ],
  epilogue:
    'Steps are made one after the other; what a step applies may be applied in any order. Sources are asked only where there is no order, for a version in between that would help.',
  run: async (args, io) => {
    const old = await requireNamedLock(args.old, args, io);
    const fresh = await requireNamedLock(args.new, args, io);
    const stats = noStats();
    const source = () => openSources(args, io, stats, keptIn(fresh.lockfile, fresh.shown));
    const pin = args.pin ?? 'tag';
    const answer = await withProgress(io, stats, async () => {
      const via = await stopovers(args.via, { old, fresh, source });
      return plan(old.lockfile, fresh.lockfile, { pin, via, source });
    });
    const folder = planFolder(args.out ?? DEFAULT_FOLDER);
    const options = { folder, pin };
    if (answer.status !== 'planned') {
      const helping = answer.between?.plan;
      const commands = helping === undefined ? [] : planCommands(helping, options);
      if (args.output === 'json') io.out(noPlanJson(answer, commands));
      else for (const line of noPlanLines(answer)) io.note(line);
      return answer.status === 'gave-up' ? EXIT.gaveUp : EXIT.unsolvable;
    }
    const commands = planCommands(answer, options);
    if (args.output === 'json') io.out(planJson(answer, commands));
    else if (args.output === 'markdown') io.out(planMarkdown(answer, commands));
    else for (const line of planLines(answer, commands)) io.out(`${line}\n`);
    for (const note of answer.notes) io.note(`note: ${note}`);
    if (answer.steps.length === 0) io.note('nothing is to be done');
    if (args.out !== undefined) {
      await writePlanFolder(folder, answer, pin, io);
      io.note(`wrote ${folder}/`);
    } else if (args.output === 'text' && answer.steps.length > 0) {
      io.note(
        `\`--out ${DEFAULT_FOLDER}\` writes what the steps apply, and scripts of all commands`,
      );
    }
    return EXIT.done;
  },
});
