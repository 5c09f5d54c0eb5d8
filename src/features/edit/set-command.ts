import { isPackageSet } from '../../project/edit/package-list.js';
import { targetFor } from '../../crossplane/releases/target.js';
import { defineCommand } from '../../cli/kit/command.js';
import { refuseTwoOutputs } from '../../cli/arguments/common-flags.js';
import { flagConflictError } from '../../cli/arguments/argument-errors.js';
import { EditedSet, editFlags, withEdits } from './edit-project-command.js';
import { answerPrinting } from '../resolve/answer-command.js';
import { shellWord } from '../../base/escape.js';

export const setCommand = defineCommand({
  positionals: {
    field: { choices: ['crossplane'], demandOption: true, describe: 'What to set' },
    value: {
      demandOption: true,
      describe: 'A Crossplane release, or a range of which the newest that works is taken',
    },
  },
  flags: editFlags,
  examples: [['$0 set crossplane v2.0.2', 'and move what has to move for it']],
  epilogue: 'Where the packages do not work there, nothing is written (exit code 3).',
  run: async (args, io) => {
    refuseTwoOutputs(args);
    if (args.crossplane !== undefined) throw flagConflictError('set crossplane', '--crossplane');
    const value = targetFor(args.value)?.version ?? args.value;
    const set = await EditedSet.open(args, io);
    set.edit(set.list.operationsToSetCrossplane(value));
    set.isReleaseNamed = true;
    // The file of a package states which releases it admits, not which one to resolve for.
    const isSet = isPackageSet(set.list);
    if (!isSet) set.resolveFor(value);
    const edit = `${args.write ? 'set' : 'would set'} Crossplane to \`${value}\` in ${set.file}`;
    const result = withEdits(await set.finish(), [edit], args);
    if (isSet || result.closing === undefined) return result;
    const hint = `hint: \`resolve --crossplane ${shellWord(value)}\` resolves for it; \`${set.file}\` says what the package admits`;
    return { ...result, closing: [...result.closing, hint] };
  },
  ...answerPrinting,
});
