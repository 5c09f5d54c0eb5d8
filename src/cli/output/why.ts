import type { LockedPackage } from '../../lock/lockfile.js';
import type { OwnedObject } from '../../model/owned-object.js';
import type { LockEdge } from '../../lock/lock-graph.js';
import type { Why } from '../../usecases/why.js';
import { shortVersion } from './packages.js';
import { jsonDocument } from './json-document.js';

/** Why a package is locked, and what of it was asked about; undefined: the package itself. */
export type Answered = Why & { readonly owned: OwnedObject | undefined };

/** The package, then every path to it, a step a line. */
export function whyLines({ locked, owned, paths, more }: Answered): string[] {
  const title = owned === undefined ? '' : ` owns ${owned.kind} ${owned.name}`;
  const lines = [`${nameOf(locked)}${title}`, ...paths.flatMap((path) => pathLines(locked, path))];
  return more ? [...lines, '  and by more paths than are listed'] : lines;
}

function pathLines(locked: LockedPackage, path: readonly LockEdge[]): string[] {
  const start = path[0]?.from ?? locked;
  return [
    `  ${nameOf(start)} ${askedHow(start)}`,
    ...path.map(({ to, constraint }, i) => {
      return `${' '.repeat(4 + 2 * i)}requires ${nameOf(to)} \`${constraint}\``;
    }),
  ];
}

function nameOf({ repository, version }: LockedPackage): string {
  return `${repository} ${shortVersion(version)}`;
}

function askedHow({ direct }: LockedPackage): string {
  return direct
    ? 'is asked for directly'
    : 'is asked for by no locked package: by a local one, for an API, or in place of another';
}

export function whyJson(answers: readonly Answered[]): string {
  return jsonDocument({
    answers: answers.map(({ locked, owned, paths, more }) => ({
      ...packageJson(locked),
      ...(owned !== undefined && { owns: { kind: owned.kind, name: owned.name } }),
      paths: paths.map((path) => [
        packageJson(path[0]?.from ?? locked),
        ...path.map(({ to, constraint }) => ({ ...packageJson(to), constraint })),
      ]),
      more,
    })),
  });
}

function packageJson({ repository, version, direct }: LockedPackage): object {
  return { source: repository, version, direct };
}
