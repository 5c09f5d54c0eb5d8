import { ANY_VERSION, readRef } from '../../project/inputs/references.js';
import type { ListedPackage } from '../../project/edit/package-list.js';
import { formatOrigin, InputError } from '../../base/errors.js';
import {
  type PackageRootDraft,
  replacedRepository,
  type Request,
  type RootVersion,
  rootVersionText,
} from '../../project/inputs/request.js';
import { defineCommand } from '../../cli/kit/define-command.js';
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
    const wanted = named.map(rootOf);
    const edits: string[] = [];
    for (const root of wanted) {
      const there = set.list.entries.find(({ name }) => name === root.repository);
      if (there === undefined) refuseElsewhere(root, before);
      if (there === undefined || root.version !== ANY_VERSION) set.name(root.repository);
      if (there !== undefined)
        edits.push(changeEntry(set, there, { version: root.version, isWritten: args.write }));
    }
    const isNew = ({ repository }: PackageRootDraft) =>
      set.list.entries.every(({ name }) => name !== repository);
    const refs = named.filter((ref) => isNew(rootOf(ref)));
    if (refs.length > 0) {
      const refused = await addEntries(set, refs, { edits, isWritten: args.write });
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
function refuseElsewhere({ repository }: PackageRootDraft, { roots }: Request): void {
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
  there: ListedPackage,
  { version, isWritten }: { readonly version: RootVersion; readonly isWritten: boolean },
): string {
  const { name, origin } = there;
  const now = there.version ?? '*';
  const place = formatOrigin(origin);
  if (version === ANY_VERSION) {
    return `${name} is asked for already, at \`${now}\` (${place}); name a range to change that`;
  }
  const text = rootVersionText(version);
  if (text === now) return `${name} is asked for already, at \`${now}\` (${place})`;
  set.edit(set.list.operationsToChangeVersion(there, text));
  return `${isWritten ? 'changed' : 'would change'} ${name} from \`${now}\` to \`${text}\` (${place})`;
}

/** Adds packages with the kinds and versions found; returns the refusal if that fails. */
async function addEntries(
  set: EditedSet,
  refs: readonly string[],
  { edits, isWritten }: { readonly edits: string[]; readonly isWritten: boolean },
): Promise<AnswerValue | undefined> {
  const roots = refs.map(rootOf);
  const free = roots.filter(({ version }) => version === ANY_VERSION);
  const request = await set.request(refs);
  const unlock = new Set(free.map(({ repository }) => replacedRepository(request, repository)));
  const answer = await set.resolve(request, { unlock });
  if (answer.status !== 'solved') {
    const hinted = await set.takeHint(answer, refs);
    if (hinted === undefined) return set.refuse(answer, refs);
    for (const ref of hinted) set.name(rootOf(ref).repository);
    return addEntries(set, hinted, { edits, isWritten });
  }
  for (const { repository, version } of roots) {
    const installed = replacedRepository(request, repository);
    const locked = answer.lockfile.packages.find((each) => each.repository === installed)!;
    const range = version === ANY_VERSION ? `^${locked.version}` : rootVersionText(version);
    const prerelease = set.prereleases.includes(repository);
    set.edit(
      set.list.operationsToAdd({ repository, kind: locked.kind, version: range, prerelease }),
    );
    const verb = isWritten ? 'added' : 'would add';
    edits.push(`${verb} ${repository} at \`${range}\` to ${set.file}`);
  }
  return undefined;
}
