import { pushPlace } from '../registry/push-place.js';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { outputPath } from '../../../files/output-path.js';
import { cannotWrite } from '../../../files/cannot-write.js';
import { openArtifact } from '../../../image/artifact.js';
import type { IndexFile } from '../../../model/index-file.js';
import { InputError } from '../../../model/input-error.js';
import { parseIndex, readIndex } from '../../../sources/index/index-source.js';
import { folderPlace, registryPlace, type PartsPlace } from '../../../sources/parts/parts-place.js';
import type { PartsSnapshot } from '../../../sources/parts/parts-snapshot.js';
import { IndexFolder } from '../../../store/index-folder.js';
import type { Clock } from '../../../model/time/clock.js';
import type { TimeBudget } from '../../../model/time/time-budget.js';
import type { Io } from '../io.js';
import { isOciPath, parseOciPath } from '../registry/oci-path.js';
import {
  INDEX_TITLE,
  registriesFor,
  requireFile,
  type RegistryArgs,
} from '../registry/registries.js';

/** Whether a path names a folder, there or to be made: then it is for an index in parts. */
export async function isFolder(path: string, { cwd }: Pick<Io, 'cwd'>): Promise<boolean> {
  if (/[/\\]$/.test(path)) return true;
  const found = await stat(resolve(cwd, path)).catch(() => undefined);
  return found?.isDirectory() === true;
}

/** Where an index in parts is to be written: a folder, or `oci://REGISTRY/REPOSITORY:TAG`. */
export async function openPlace(text: string, args: RegistryArgs, io: Io): Promise<PartsPlace> {
  if (!isOciPath(text)) {
    const path = resolve(io.cwd, text);
    const folder = await outputPath(path, io.cwd).catch((error: unknown) => {
      throw cannotWrite(text, error);
    });
    return folderPlace(new IndexFolder(folder, text), text);
  }
  const { reference, registries } = await pushPlace(text, args, io);
  return registryPlace(registries, reference, text, withinBudget(io.clock, args.timeout));
}

/** Waits no longer than the run may take. */
function withinBudget(clock: Clock, budget: TimeBudget): Clock {
  return {
    now: () => clock.now(),
    random: () => clock.random(),
    sleep: (milliseconds, reason = 'other writers') =>
      budget.wait(reason, clock.sleep(milliseconds)),
  };
}

/** An index wherever it is: in parts, one state of it, or in one file. */
export type FoundIndex =
  | { readonly kind: 'parts'; readonly snapshot: PartsSnapshot }
  | { readonly kind: 'file'; readonly index: IndexFile };

/** Opens what a folder, a file or `oci://…` holds; throws where there is nothing. */
export async function findIndex(text: string, args: RegistryArgs, io: Io): Promise<FoundIndex> {
  if (isOciPath(text)) return atRegistry(text, args, io);
  const path = resolve(io.cwd, text);
  if (!(await isFolder(text, io))) return { kind: 'file', index: await readIndex(path, text) };
  const standing = await folderPlace(new IndexFolder(path, text), text).current();
  const snapshot = await standing?.snapshot();
  if (snapshot === undefined) throw noIndex(text);
  return { kind: 'parts', snapshot };
}

async function atRegistry(text: string, args: RegistryArgs, io: Io): Promise<FoundIndex> {
  const reference = parseOciPath(text);
  const registries = await registriesFor(args, io);
  if (registries === undefined) {
    throw new InputError(`\`${text}\`: \`--offline\` forbids the network, and there is no cache`);
  }
  const standing = await registryPlace(registries, reference, text).current();
  const snapshot = await standing?.snapshot();
  if (snapshot !== undefined) return { kind: 'parts', snapshot };
  const held =
    standing && (await openArtifact(registries.repository(reference), reference.identifier));
  if (held === undefined) throw noIndex(text);
  return { kind: 'file', index: parseIndex(await requireFile(held, INDEX_TITLE, text), text) };
}

export function noIndex(text: string): InputError {
  const make = isOciPath(text) ? 'index push' : 'index --out';
  return new InputError(`there is no index in parts at \`${text}\``, {
    hint: `\`xpkg-resolve ${make} ${text}\` makes one of what the sources hold`,
  });
}
