import type { ListedPackage } from '../../project/edit/package-list.js';
import { jsonPointer } from '../../base/json.js';
import { lockGraph } from '../../project/lockfile/lock-graph.js';
import { InputError } from '../../base/errors.js';
import type { Request } from '../../project/inputs/request.js';
import { didYouMean } from '../../base/messages.js';
import { defineCommand } from '../../cli/kit/command.js';
import { refuseTwoOutputs } from '../../cli/arguments/common-flags.js';
import { moreCount } from '../../cli/files/mismatches.js';
import { ambiguousNameError, lockedPackage } from '../../cli/arguments/package-names.js';
import { EditedSet, editFlags, withEdits } from './edit-project-command.js';
import { answerPrinting } from '../resolve/answer-command.js';
import { shellWord } from '../../base/escape.js';
import { packageName } from '../../crossplane/packages/repository-names.js';

export const removeCommand = defineCommand({
  positionals: {
    packages: {
      array: true,
      demandOption: true,
      describe: 'Packages, or CRDs asked for, each in full or by the end of its name',
    },
  },
  flags: editFlags,
  examples: [['$0 remove provider-a', 'and whatever only it required']],
  epilogue:
    'An entry goes with the comment directly above it. Where the rest does not fit ' +
    'without it, nothing is written (exit code 3).',
  run: async (args, io) => {
    refuseTwoOutputs(args);
    const set = await EditedSet.open(args, io);
    const request = await set.request();
    const entries = [...new Set(args.packages.map((typed) => entryNamed(typed, set, request)))];
    // The last entry first: removing one changes the paths of those after it.
    const paths = entries.map(({ path }) => path).sort((a, b) => place(b) - place(a));
    set.edit(paths.map((path) => ({ op: 'remove', path: jsonPointer(path) })));
    const verb = args.write ? 'removed' : 'would remove';
    const edits = entries.map(({ name }) => `${verb} ${name} from ${set.file}`);
    return withEdits(await set.finish(), edits, args);
  },
  ...answerPrinting,
});

function place(path: ListedPackage['path']): number {
  return Number(path.at(-1));
}

function entryNamed(
  typed: string,
  { list, file, lock }: EditedSet,
  { roots }: Request,
): ListedPackage {
  const { entries } = list;
  const exact = entries.find(({ name }) => name === typed);
  const close = entries.filter(({ name }) => name.endsWith(`/${typed}`));
  if (exact ?? close.length === 1) return exact ?? close[0]!;
  if (close.length > 1) {
    throw ambiguousNameError(
      typed,
      close.map(({ name }) => name),
    );
  }
  const elsewhere = roots.find(
    (root) =>
      root.root === 'package' &&
      (root.repository === typed || root.repository.endsWith(`/${typed}`)),
  );
  if (elsewhere !== undefined) {
    throw new InputError(`\`${file}\` does not ask for \`${typed}\`: it is asked for here`, {
      origin: elsewhere.origin,
      hint: 'take it out there',
    });
  }
  const locked = lock && lockedPackage(typed, lock.lockfile);
  if (lock !== undefined && locked !== undefined) {
    const by = lockGraph(lock.lockfile).requirersOf(locked.repository);
    const because =
      by.length > 0
        ? `: it is locked because ${by[0]!.from.repository}${moreCount(by.length)} requires it`
        : '';
    throw new InputError(`\`${file}\` does not ask for \`${locked.repository}\`${because}`, {
      hint: `\`xpkg-resolve why ${shellWord(typed)}\` says how it came to be locked`,
    });
  }
  const names = entries.flatMap(({ name }) => [name, packageName(name)]);
  const meant = didYouMean(typed, names);
  throw new InputError(`\`${file}\` does not ask for \`${typed}\``, {
    hint: meant === undefined ? 'it lists what can be removed' : `did you mean \`${meant}\`?`,
  });
}
