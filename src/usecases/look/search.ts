import { isRejection, judge } from '../../admission/judge.js';
import type { Lockfile } from '../../lock/lockfile.js';
import { pluralsOf } from '../../model/definition.js';
import type { OwnedObject } from '../../model/owned-object.js';
import type { PackageKind, Repository } from '../../model/package.js';
import type { PackageSource } from '../../model/package-source.js';
import type { Target } from '../../model/target/target.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { publishedVersions } from './published.js';

/** A package that a search found. */
export interface FoundPackage {
  readonly repository: Repository;
  /** The newest, or what is locked where no source that can be searched has it. */
  readonly version: string;
  readonly kind: PackageKind;
  /** The word is in its name. */
  readonly named: boolean;
  /** What it owns by that word: a CRD by its name, its plural or its group. */
  readonly owns: readonly OwnedObject[];
}

export interface SearchOptions {
  readonly source: PackageSource;
  readonly target: Target;
  /** Searched, too. */
  readonly lockfile?: Lockfile | undefined;
}

/**
 * Packages that have a word in their name, or own an object of that name or kind, by repository.
 *
 * Sources are searched that can list what they hold; of each package, its newest version. A source
 * may leave out those that it knows to have nothing of that word.
 */
export async function search(word: string, options: SearchOptions): Promise<FoundPackage[]> {
  const { source, lockfile } = options;
  const asked = word.toLowerCase();
  const listed = (await source.repositories?.(asked)) ?? [];
  const read = await Promise.all(listed.map((repository) => newest(repository, options)));
  const known = new Map<Repository, Searched>(
    read.flatMap((each) => (each ? [[each.repository, each]] : [])),
  );
  for (const locked of lockfile?.packages ?? []) {
    if (!known.has(locked.repository)) known.set(locked.repository, locked);
  }
  return [...known.values()]
    .map(({ repository, version, kind, owns, kinds }) => ({
      repository,
      version,
      kind,
      named: repository.toLowerCase().includes(asked),
      owns: owns.filter((owned) => kinds?.get(owned.name) === asked || isCalled(owned, asked)),
    }))
    .filter(({ named, owns }) => named || owns.length > 0)
    .sort((a, b) => byCodePoint(a.repository, b.repository));
}

interface Searched extends Pick<FoundPackage, 'repository' | 'version' | 'kind' | 'owns'> {
  /** By the name of a CRD the kind that it defines, in lower case; undefined: not known. */
  readonly kinds?: ReadonlyMap<string, string> | undefined;
}

/** undefined: it has no version that the target takes. */
async function newest(
  repository: Repository,
  { source, target }: SearchOptions,
): Promise<Searched | undefined> {
  const tags = (await source.tags(repository, target)) ?? [];
  const published = publishedVersions(tags, target);
  const stable = published.find(({ prerelease }) => prerelease === '') ?? published[0];
  if (stable === undefined) return undefined;
  const found = await source.fetch({ repository, version: stable.raw }, target);
  const judged = found && judge(found.contents, target);
  if (judged === undefined || isRejection(judged)) return undefined;
  const kinds = new Map(
    found!.contents.objects.flatMap(({ name, defines }) =>
      defines === undefined ? [] : [[name, defines.kind.toLowerCase()]],
    ),
  );
  return { repository, version: stable.raw, kind: judged.kind, owns: judged.owns, kinds };
}

/** `buckets.s3.aws.example.org` by its whole name, by `bucket` (a kind), or by its group. */
function isCalled({ name }: OwnedObject, asked: string): boolean {
  const [plural, ...group] = name.toLowerCase().split('.');
  if (name.toLowerCase() === asked || group.join('.') === asked) return true;
  return plural === asked || pluralsOf(asked).includes(plural!);
}
