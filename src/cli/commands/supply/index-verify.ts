import type { Repository } from '../../../model/package.js';
import { heldInFile, heldInParts, untruths } from '../../../sources/parts/held-index.js';
import {
  refresh,
  versionChanges,
  type Refreshed,
  type RefreshOptions,
} from '../../../sources/parts/refresh.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import type { Io } from '../../io/io.js';
import { findIndex, type FoundIndex } from '../../io/parts/open-place.js';
import type { RegistryArgs } from '../../io/registry/registries.js';
import { counted } from '../../output/counted.js';
import { jsonDocument } from '../../output/json-document.js';
import { unknownPackage } from './unknown-package.js';

/** A difference between an index and what it is of. */
interface IndexMismatch {
  /** `new`: the index lacks it. `content`: the package does not say what the index says of it. */
  readonly kind: 'tag-moved' | 'gone' | 'new' | 'content' | 'tables';
  readonly source?: Repository | undefined;
  readonly version?: string | undefined;
  readonly text: string;
}

export interface Verifying {
  readonly text: string;
  /** Packages to compare; empty: all that the index lists. */
  readonly repositories: readonly Repository[];
  readonly options: RefreshOptions & { readonly concurrency: number };
}

/** `index verify`: whether an index says what its sources say, and every part of it is intact. */
export async function verifyIndex(
  { text, repositories, options }: Verifying,
  args: RegistryArgs & { readonly output: 'text' | 'json' },
  io: Io,
): Promise<ExitCode> {
  const found = await findIndex(text, args, io);
  const held = found.kind === 'parts' ? heldInParts(found.snapshot) : heldInFile(found.index);
  const asked = repositories.length > 0 ? repositories : await held.repositories();
  const tables = repositories.length > 0 ? [] : await tableMismatches(found);
  const looked = await refresh(held, asked, options);
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
  return (await untruths(found.snapshot)).map((what) => ({
    kind: 'tables',
    text: `${what} does not follow from its packages`,
  }));
}

function mismatchesOf({ repository, before, after }: Refreshed): readonly IndexMismatch[] {
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
