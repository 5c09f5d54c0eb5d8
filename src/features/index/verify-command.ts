import type { Repository } from '../../crossplane/packages/package.js';
import { fileIndex, sparseIndex, inconsistencies } from '../../sources/sparse-index/index-parts.js';
import {
  refreshPackages,
  versionChanges,
  type RefreshedPackage,
  type RefreshOptions,
} from '../../sources/index/refresh.js';
import { EXIT, type ExitCode, jsonDocument } from '../../cli/kit/command.js';
import type { Io } from '../../cli/terminal/io.js';
import { findIndex, type FoundIndex } from './index-place-command.js';
import type { RegistryArgs } from '../../cli/sources/registries.js';
import { counted } from '../../cli/terminal/package-text.js';
import { unknownPackage } from '../../cli/arguments/package-names.js';

/** A difference between an index and its packages. */
interface IndexMismatch {
  /** `new`: missing in the index. `content`: the index differs from the package. */
  readonly kind: 'tag-moved' | 'gone' | 'new' | 'content' | 'tables';
  readonly source?: Repository | undefined;
  readonly version?: string | undefined;
  readonly text: string;
}

interface Verifying {
  readonly text: string;
  /** Packages to compare; empty for all that the index lists. */
  readonly repositories: readonly Repository[];
  readonly options: RefreshOptions & { readonly concurrency: number };
}

/** `index verify`: checks an index against its sources, and every part of it. */
export async function verifyIndex(
  { text, repositories, options }: Verifying,
  args: RegistryArgs & { readonly output: 'text' | 'json' },
  io: Io,
): Promise<ExitCode> {
  const found = await findIndex(text, args, io);
  const held = found.kind === 'parts' ? sparseIndex(found.snapshot) : fileIndex(found.index);
  const asked = repositories.length > 0 ? repositories : await held.repositories();
  const tables = repositories.length > 0 ? [] : await tableMismatches(found);
  const looked = await refreshPackages(held, asked, options);
  const unknown = looked.find(({ before, after }) => before === undefined && after === undefined);
  if (unknown !== undefined) throw unknownPackage(unknown.repository);
  const mismatches = [...tables, ...looked.flatMap(mismatchesOf)];
  const digest = found.kind === 'parts' ? found.snapshot.digest : undefined;
  const isTrue = mismatches.length === 0;
  const status = isTrue ? 'verified' : 'mismatch';
  const exitCode = isTrue ? undefined : EXIT.lockMismatch;
  if (args.output === 'json') {
    const packages = asked.length;
    io.out(jsonDocument({ status, exitCode, place: text, digest, packages, mismatches }));
  } else if (isTrue) {
    const at = digest === undefined ? '' : ` (${digest})`;
    io.out(`verified ${counted(asked.length, 'package')} of ${text}${at}\n`);
  }
  for (const { source, version, text: what } of mismatches) {
    const subject = [source, version].filter((part) => part !== undefined).join(' ');
    io.note(`error: ${subject === '' ? '' : `${subject}: `}${what}`);
  }
  if (!isTrue) {
    io.note(
      'hint: `xpkg-resolve index update` takes over what is new, moved or gone, and keeps a package that no source knows; what an index says otherwise than its packages was not written from them: ask who wrote it, and write it anew',
    );
  }
  return exitCode ?? EXIT.done;
}

async function tableMismatches(found: FoundIndex): Promise<readonly IndexMismatch[]> {
  if (found.kind === 'file') return [];
  return (await inconsistencies(found.snapshot)).map((what) => ({
    kind: 'tables',
    text: `${what} does not follow from its packages`,
  }));
}

function mismatchesOf({ repository, before, after }: RefreshedPackage): readonly IndexMismatch[] {
  if (after === undefined) {
    return [{ kind: 'gone', source: repository, text: 'no source knows it' }];
  }
  const { added, removed, moved, told } = versionChanges(before, after);
  const each = (kind: IndexMismatch['kind'], versions: readonly string[], text: string) =>
    versions.map((version) => ({ kind, source: repository, version, text }));
  return [
    ...each('new', added, 'it is published, and the index does not list it'),
    ...each('gone', removed, 'the index lists it, and no source has it'),
    ...each('tag-moved', moved, 'its tag points at another image than the index says'),
    ...each('content', told, 'the package does not say what the index says of it'),
  ];
}
