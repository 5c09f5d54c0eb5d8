import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { refuseTwoOutputs } from '../../flags/bundle-flags.js';
import { clash } from '../../flags/clash.js';
import { tell } from './add-command.js';
import { EditedSet, editFlags } from './edited-set.js';

export const setCommand = command({
  positionals: {
    field: { choices: ['crossplane'], demandOption: true, describe: 'What to set' },
    value: {
      type: 'string',
      demandOption: true,
      describe: 'A Crossplane release, or a range of which the newest that works is taken',
    },
  },
  flags: editFlags,
  examples: [['$0 set crossplane v2.0.2', 'and move what has to move for it']],
  epilogue: 'Where the packages do not work there, nothing is written (exit code 3).',
  run: async (args, io) => {
    refuseTwoOutputs(args);
    if (args.crossplane !== undefined) throw clash('set crossplane', '--crossplane');
    const set = await EditedSet.open(args, io);
    await set.edit(set.list.settingCrossplane(args.value));
    // The file of a package says which releases it admits; which to resolve for, a flag does.
    if (!set.isPackageSet) set.resolveFor(args.value);
    const code = await set.finish();
    if (code !== EXIT.done) return code;
    tell([`set Crossplane to \`${args.value}\``], set.file, args.write, io);
    if (!set.isPackageSet) {
      io.note(
        `hint: \`resolve --crossplane ${args.value}\` resolves for it; \`${set.file}\` says what the package admits`,
      );
    }
    return code;
  },
});
