import { posix } from 'node:path';
import type { PackageObject } from '../../model/package-contents.js';
import type { LocalRoot } from '../../model/request.js';
import type { Contribution } from '../contribution.js';
import type { InputFile } from '../input-files.js';

/** A contribution, and the file it is from. */
export interface FromFile {
  readonly file: InputFile;
  /** Of the whole file. */
  readonly text: string;
  readonly contribution: Contribution;
}

/**
 * Gives each XRD, Composition, CRD to the local package it is part of: the one in the same file,
 * else the one in the nearest folder above it, within the folder that `-f` named. What belongs to
 * none is ignored.
 */
export function giveOwnObjects(all: readonly FromFile[]): readonly Contribution[] {
  const locals = all.filter(({ contribution }) => localOf(contribution) !== undefined);
  const objects = new Map<Contribution, PackageObject[]>();
  const rest = all.map((each): Contribution => {
    const { owned } = each.contribution;
    if (owned === undefined) return each.contribution;
    const owner = ownerOf(each.file, locals);
    if (owner === undefined && each.contribution.kept !== undefined) {
      const { kept, notes = [] } = each.contribution;
      return { kept, notes };
    }
    if (owner === undefined) return { ignored: { what: describe(owned.object), ...owned } };
    const own = objects.get(owner) ?? [];
    objects.set(owner, own);
    own.push(owned.object);
    return {};
  });
  return rest.map((contribution) => {
    const own = objects.get(contribution);
    const local = localOf(contribution);
    return own === undefined || local === undefined
      ? contribution
      : { ...contribution, roots: [{ ...local, objects: own }] };
  });
}

function localOf(contribution: Contribution): LocalRoot | undefined {
  return contribution.roots?.find((root) => root.root === 'local');
}

function ownerOf(file: InputFile, locals: readonly FromFile[]): Contribution | undefined {
  const sameFile = locals.find((local) => local.file === file);
  if (sameFile !== undefined || file.folder === undefined) return sameFile?.contribution;
  const above = locals
    .filter((local) => local.file.folder === file.folder && isAbove(local.file.path, file.path))
    .sort((a, b) => folderOf(b.file.path).length - folderOf(a.file.path).length);
  return above[0]?.contribution;
}

function isAbove(one: string, other: string): boolean {
  const folder = folderOf(one);
  return folder === '' || folderOf(other) === folder || folderOf(other).startsWith(`${folder}/`);
}

function folderOf(path: string): string {
  const folder = posix.dirname(path.replaceAll('\\', '/'));
  return folder === '.' ? '' : folder;
}

function describe({ apiVersion, kind, name }: PackageObject): string {
  return `${apiVersion} ${kind} \`${name}\`, which is part of no package given`;
}
