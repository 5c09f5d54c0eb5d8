import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { referenceMistake, splitReference } from '../../project/inputs/references.js';
import { byCodePoint } from '../../base/collections.js';
import { DOT_REGISTRY, DOT_REGISTRY_API } from '../../crossplane/legacy/dot-registry.js';
import { InputError, type Origin } from '../../base/errors.js';
import type { Candidate } from '../../crossplane/packages/package.js';
import type { PackageContents } from '../../crossplane/packages/package-contents.js';
import type { FetchedPackage } from '../../sources/package-source.js';
import { isRepository } from '../../crossplane/packages/reference.js';
import { parseConstraint } from '../../crossplane/constraints/constraint.js';
import { exactTag } from '../../crossplane/constraints/version.js';
import { isDigest } from '../../base/digest.js';
import { installableVersions } from '../../crossplane/constraints/installable-versions.js';
import { printable } from '../../base/escape.js';
import type { Target } from '../../crossplane/releases/target.js';
import { readPackageYaml } from '../../crossplane/package-yaml/read-package-yaml.js';
import { readPackageOnDisk } from '../../sources/package-on-disk.js';
import { readError } from '../../base/files/file-system.js';
import type { ArgsOf, Flags, Positionals } from '../kit/command.js';
import type { RunIo } from '../terminal/io.js';
import { withProgress } from '../terminal/progress.js';
import { imageConfigFlag, imageConfigs, compatFlag } from '../arguments/input-flags.js';
import { outputFlag } from '../arguments/common-flags.js';
import { openSources, sourceFlags } from './source-flags.js';
import { projectTargetFlag } from '../arguments/target-flag.js';
import { SourceReader } from '../../resolver/driver/source-reader.js';

/** A package by its file or its reference. */
export const packageArgument = {
  package: {
    demandOption: true,
    describe:
      'A package.yaml, an .xpkg file, the folder of a crossplane.yaml (with `--compat`, of a .registry), `-` for standard input, or a package: SOURCE@VERSION, SOURCE@RANGE (the newest in it), SOURCE:TAG, SOURCE@sha256:…',
  },
} as const satisfies Positionals;

/** Flags of commands that inspect one package. */
export const packageFlags = {
  ...sourceFlags,
  ...imageConfigFlag,
  ...projectTargetFlag('Crossplane release that is to take it'),
  ...compatFlag,
  ...outputFlag,
} as const satisfies Flags;

/** How a package is printed does not matter to opening it. */
type PackageArgs = Omit<ArgsOf<typeof packageArgument & typeof packageFlags>, 'output'>;

/** The package that a command line names. */
export interface NamedPackage {
  readonly contents: PackageContents;
  readonly digest: string | undefined;
  /** The fetched repository and version; undefined for a file. */
  readonly candidate?: Candidate | undefined;
  readonly originOf: (line: number | undefined) => Origin;
}

export async function openPackage(
  args: PackageArgs,
  io: RunIo,
  target: Target,
): Promise<NamedPackage> {
  const shown = args.package;
  if (shown === '-') {
    const contents = await readPackageYaml(Buffer.from(await io.stdin()));
    return { contents, digest: undefined, originOf: (line) => ({ file: '-', line }) };
  }
  const path = resolve(io.cwd, shown);
  if (!existsSync(path)) return fetchReference(args, io, target);
  if (path.endsWith('.xpkg')) return openXpkg(path, shown, target);
  try {
    return { ...(await readPackageOnDisk(path, shown)), digest: undefined };
  } catch (error) {
    throw error instanceof Error && 'code' in error ? readError(shown, error) : error;
  }
}

/** An `.xpkg` file has no repository and no tag. Both are placeholders that are not shown. */
async function openXpkg(path: string, shown: string, target: Target): Promise<NamedPackage> {
  const { openXpkgSource } = await import('../../sources/images/image-source.js');
  const repository = 'xpkg.local/package';
  const source = await openXpkgSource(path, { shown, repository, tag: 'v0.0.0' });
  const reader = SourceReader.of(source);
  const found = await reader.fetch({ repository, version: 'v0.0.0' }, target);
  if (found === undefined) throw new InputError(`\`${shown}\` holds no package`);
  return asNamedPackage(found, shown);
}

export async function namedVersion(
  args: PackageArgs,
  io: RunIo,
  target: Target,
): Promise<Candidate> {
  return (await openReference(args, io, target)).candidate;
}

async function openReference(args: PackageArgs, io: RunIo, target: Target) {
  const requested = requestedReference(args);
  const reader = await openSources(args, io, await imageConfigs(args, io));
  const version = await newestAdmitted(requested, reader, target);
  return { reader, candidate: { repository: requested.repository, version } };
}

function requestedReference({ package: text }: PackageArgs): Candidate {
  const mistake = referenceMistake(text);
  if (mistake !== undefined) {
    throw new InputError(`\`${text}\` ${mistake.problem}`, { hint: mistake.hint });
  }
  const requested = requestedPackage(text);
  if (requested !== undefined) return requested;
  throw new InputError(`\`${text}\` is no file or folder on this machine, and no package`, {
    hint: 'name a package.yaml, a folder, or a package as `SOURCE@VERSION`',
  });
}

async function fetchReference(args: PackageArgs, io: RunIo, target: Target): Promise<NamedPackage> {
  const { reader, candidate } = await openReference(args, io, target);
  const found = await withProgress(io, reader.stats, () => reader.fetch(candidate, target));
  if (found === undefined) {
    throw new InputError(`no source has \`${args.package}\``, {
      hint: tagHint(await reader.tags(candidate.repository, target)),
    });
  }
  for (const note of found.notes ?? []) io.note(printable(`note: ${args.package}: ${note}`));
  return { ...asNamedPackage(found, args.package), candidate };
}

/** The version is a tag, a digest or a range, as written; undefined: not a reference to a package. */
function requestedPackage(text: string): Candidate | undefined {
  const reference = splitReference(text);
  if (reference !== undefined) {
    const { repository, digest, tag } = reference;
    return repository.includes('/') ? { repository, version: digest ?? tag ?? '*' } : undefined;
  }
  const at = text.indexOf('@');
  const [repository, version] = [text.slice(0, at), text.slice(at + 1).trim()];
  return at > 0 && version !== '' && isRepository(repository) ? { repository, version } : undefined;
}

/** The newest version that a range admits; a tag or a digest as it is. */
async function newestAdmitted(
  { repository, version }: Candidate,
  reader: SourceReader,
  target: Target,
): Promise<string> {
  const { dialect } = target.rules;
  if (isDigest(version) || exactTag(version, dialect) !== undefined) return version;
  const range = parseConstraint(version, dialect);
  const tags = range.invalid ? undefined : await reader.tags(repository, target);
  if (range.invalid || tags === undefined) return version;
  const newest = installableVersions(tags, target).find((each) => range.admits(each));
  return newest?.raw ?? version;
}

function tagHint(tags: readonly string[] | undefined): string {
  if (tags === undefined) return 'no source knows the repository; `--from` says where to look';
  const last = [...tags]
    .sort(byCodePoint)
    .slice(-5)
    .map((tag) => `\`${printable(tag)}\``);
  return last.length === 0 ? 'the repository has no tags' : `its tags end in ${last.join(', ')}`;
}

function asNamedPackage({ contents, digest }: FetchedPackage, shown: string): NamedPackage {
  const isLegacy = contents.metas[0]?.apiVersion === DOT_REGISTRY_API;
  const file = `${shown}: ${isLegacy ? `${DOT_REGISTRY}/app.yaml` : 'package.yaml'}`;
  return { contents, digest, originOf: (line) => ({ file, line }) };
}
