import { ANY_VERSION, readRef } from '../../project/inputs/references.js';
import type { ListedPackage } from '../../project/edit/package-list.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { formatOrigin, InputError } from '../../base/errors.js';
import {
  type PackageRootDraft,
  replacedRepository,
  type Request,
  type RootVersion,
  rootVersionText,
} from '../../project/inputs/request.js';
import { lockedIn } from '../../project/lockfile/lockfile.js';
import { defineCommand } from '../../cli/kit/command.js';
import { refuseTwoOutputs } from '../../cli/arguments/common-flags.js';
import { fullReference } from '../../cli/arguments/package-names.js';
import { EditedSet, editFlags, withEdits } from './edit-project-command.js';
import { type AnswerValue, answerPrinting } from '../resolve/answer-command.js';

export const addCommand = defineCommand({
  positionals: {
    refs: {
      array: true,
      demandOption: true,
      describe: 'Packages: SOURCE, SOURCE@CONSTRAINT, SOURCE:TAG, SOURCE@sha256:…',
    },
  },
  flags: editFlags,
  examples: [
    ['$0 add xpkg.crossplane.io/acme/provider-a', 'at `^` of the newest version that fits'],
    [
      "$0 add xpkg.crossplane.io/acme/provider-a@'~v1.2.0'",
      'at that range; where the package is asked for already, its range is changed',
    ],
  ],
  epilogue:
    'Comments, order and quotes of the file stay. Where the packages do not fit, nothing is ' +
    'written (exit code 3). A `crossplane.yaml` gets a `dependsOn` entry.',
  run: async (args, io) => {
    refuseTwoOutputs(args);
    const set = await EditedSet.open(args, io);
    const before = await set.request();
    const known = { lockfile: set.lock?.lockfile, source: await set.source(before) };
    const named = await Promise.all(args.refs.map((ref) => fullReference(ref, known)));
    const edits: string[] = [];
    const newRefs: string[] = [];
    for (const ref of named) {
      const { repository, version } = rootOf(ref);
      const entry = set.list.entries.find(({ name }) => name === repository);
      if (entry === undefined || version !== ANY_VERSION) set.named.add(repository);
      if (entry !== undefined) edits.push(changeEntry(set, entry, version, args));
      else {
        refuseElsewhere(repository, before);
        newRefs.push(ref);
      }
    }
    if (newRefs.length > 0) {
      const refused = await addEntries(set, newRefs, { edits, isWritten: args.write });
      if (refused !== undefined) return refused;
    }
    return withEdits(await set.finish(), edits, args);
  },
  ...answerPrinting,
});

function rootOf(ref: string): PackageRootDraft {
  return readRef(ref).roots!.find((root) => root.root === 'package')!;
}

/** Throws if another file or an object already requires the package. */
function refuseElsewhere(repository: Repository, { roots }: Request): void {
  const other = roots.find((root) => root.root === 'package' && root.repository === repository);
  if (other === undefined) return;
  throw new InputError(`\`${repository}\` is asked for already`, {
    origin: other.origin,
    hint: 'change its version there',
  });
}

/** Changes the version of an entry, and returns what happened. */
function changeEntry(
  set: EditedSet,
  entry: ListedPackage,
  version: RootVersion,
  { write }: { readonly write: boolean },
): string {
  const { name } = entry;
  const now = entry.version ?? '*';
  const place = formatOrigin(entry.origin);
  if (version === ANY_VERSION) {
    return `${name} is asked for already, at \`${now}\` (${place}); name a range to change that`;
  }
  const text = rootVersionText(version);
  if (text === now) return `${name} is asked for already, at \`${now}\` (${place})`;
  set.edit(set.list.operationsToChangeVersion(entry, text));
  return `${write ? 'changed' : 'would change'} ${name} from \`${now}\` to \`${text}\` (${place})`;
}

/** Adds packages with the kinds and versions found; returns the refusal if that fails. */
async function addEntries(
  set: EditedSet,
  refs: readonly string[],
  { edits, isWritten }: { readonly edits: string[]; readonly isWritten: boolean },
): Promise<AnswerValue | undefined> {
  const roots = refs.map(rootOf);
  const request = await set.request(refs);
  const unlocked = roots.filter(({ version }) => version === ANY_VERSION);
  const unlock = new Set(unlocked.map((root) => replacedRepository(request, root.repository)));
  const answer = await set.resolve(request, unlock);
  if (answer.status !== 'solved') {
    const hinted = await set.takeHint(answer, refs);
    if (hinted === undefined) return set.refuse(answer, refs);
    for (const ref of hinted) set.named.add(rootOf(ref).repository);
    return addEntries(set, hinted, { edits, isWritten });
  }
  for (const { repository, version } of roots) {
    const locked = lockedIn(answer.lockfile, replacedRepository(request, repository))!;
    const range = version === ANY_VERSION ? `^${locked.version}` : rootVersionText(version);
    const prerelease = set.prereleases.includes(repository);
    const entry = { repository, kind: locked.kind, version: range, prerelease };
    set.edit(set.list.operationsToAdd(entry));
    const verb = isWritten ? 'added' : 'would add';
    edits.push(`${verb} ${repository} at \`${range}\` to ${set.file}`);
  }
  return undefined;
}
