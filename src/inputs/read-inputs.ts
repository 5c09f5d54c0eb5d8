import { formatOrigin, InputError } from '../model/input-error.js';
import type { JsonValue } from '../text/json.js';
import type { KeptObject, Request } from '../model/request.js';
import { combine, type CombineOptions } from './combine.js';
import { readRef } from './command-line-ref.js';
import type { Contribution } from './contribution.js';
import type { InputDocument } from './document.js';
import {
  DEFAULT_FILES,
  findInputFiles,
  type InputFileOptions,
  type InputFile,
} from './input-files.js';
import { giveOwnObjects } from './documents/own-objects.js';
import { readFiles, type FileReadOptions } from './read-files.js';
import { readPackageSet } from './documents/package-set.js';

export interface InputReadOptions extends InputFileOptions, FileReadOptions {}

export interface InputOptions extends InputReadOptions, CombineOptions {
  /** Packages named on the command line. */
  readonly refs: readonly string[];
  /** A document that asks for nothing is an error, not a note. */
  readonly strict?: boolean | undefined;
}

export interface Inputs {
  readonly request: Request;
  /** For the user: what was ignored, and what was read in a way that may surprise. */
  readonly notes: readonly string[];
  /** The text of each file that asks for something, by path as in an `Origin`. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads everything the user named into one request. */
export async function readInputs(options: InputOptions): Promise<Inputs> {
  const files = await filesOf(options);
  if (files.length === 0 && options.refs.length === 0) throw nothingNamed(options);
  const read = await readFiles(files, options);
  const fromFiles = giveOwnObjects(read);
  const contributions = [...fromFiles, ...options.refs.map(readRef)];
  const ignored = contributions.flatMap((contribution) => contribution.ignored ?? []);
  if (options.strict === true && ignored.length > 0) throw notIgnored(ignored[0]!);
  const notes = [
    ...alsoRead(options, files),
    ...contributions.flatMap((contribution) => contribution.notes ?? []),
    ...notesOn(ignored),
  ];
  if (!contributions.some(asksForPackages)) {
    throw nothingAsked(
      files.map(({ path }) => path),
      ignored,
    );
  }
  const asking = read.filter(({ contribution }) => contribution.ignored === undefined);
  const texts = new Map(asking.map(({ file, text }) => [file.path, text]));
  return { request: combine(contributions, options), notes, texts };
}

/** The files named, then those that have a text and are not there yet. */
async function filesOf(options: InputOptions): Promise<readonly InputFile[]> {
  const found = await findInputFiles(options);
  const paths = new Set(found.map(({ path }) => path));
  const others = [...(options.unsaved?.keys() ?? [])].filter((path) => !paths.has(path));
  return [...found, ...others.map((path) => ({ path, folder: undefined }))];
}

/** The ImageConfigs in the files named; whatever else is in them is passed over. */
export async function readImageConfigs(options: InputReadOptions): Promise<readonly KeptObject[]> {
  const read = await readFiles(await findInputFiles(options), options);
  const kept = read
    .flatMap(({ contribution }) => contribution.kept ?? [])
    .filter(({ object }) => object['kind'] === 'ImageConfig');
  if (kept.length > 0) return combine([{ kept }]).kept;
  const named = options.files.map((path) => `\`${path}\``).join(', ');
  throw new InputError(`no ImageConfig is in ${named}`, {
    hint: 'a `pkg.crossplane.io` ImageConfig says where to pull from; `--pull-secret` takes Secrets',
  });
}

/** A request from a PackageSet that is a value already; the library's short way in. */
export async function requestFromPackageSet(
  value: JsonValue,
  name = 'PackageSet',
): Promise<Request> {
  const document: InputDocument = {
    number: 0,
    value,
    originOf: () => ({ file: name }),
    spellingOf: () => undefined,
  };
  const contribution = readPackageSet(document);
  if (contribution.include !== undefined) {
    throw new InputError('`spec.include` names files, and this PackageSet is none', {
      origin: { file: name },
      hint: 'read the file with `readInputs`',
    });
  }
  return combine([contribution]);
}

type Ignored = NonNullable<Contribution['ignored']>;

/** An empty PackageSet asks for nothing, on purpose. */
function asksForPackages({ roots }: Contribution): boolean {
  return roots !== undefined;
}

/** One note for each file and kind: a dump of a cluster holds many of a kind. */
function notesOn(ignored: readonly Ignored[]): readonly string[] {
  const alike = new Map<string, Ignored[]>();
  for (const each of ignored) {
    const key = JSON.stringify([each.origin.file, each.what]);
    alike.set(key, [...(alike.get(key) ?? []), each]);
  }
  return [...alike.values()].map((each) => {
    const { what, origin } = each[0]!;
    const more = each.length > 1 ? `, and ${each.length - 1} more of them in this file` : '';
    return `${formatOrigin(origin)}: ignored ${what}${more}`;
  });
}

/** A note for each default file that is read although packages were named as arguments. */
function alsoRead({ files, refs }: InputOptions, found: readonly InputFile[]): readonly string[] {
  if (files.length > 0 || refs.length === 0) return [];
  return found.map(({ path }) => `\`${path}\` of this folder is read too`);
}

function notIgnored({ what, origin }: Ignored): InputError {
  return new InputError(`${what} asks for no package`, {
    origin,
    hint: 'without `--strict` it is ignored',
  });
}

function nothingNamed({ cwd, files }: InputOptions): InputError {
  if (files.length > 0) {
    const named = files.map((path) => `\`${path}\``).join(', ');
    return new InputError(`nothing to resolve: no file to read in ${named}`, {
      hint: 'of a folder its `*.yaml`, `*.yml` and `*.json` are read, what this command writes aside',
    });
  }
  const names = DEFAULT_FILES.map((name) => `\`${name}\``).join(', ');
  return new InputError(`nothing to resolve: none of ${names} is in \`${cwd}\``, {
    hint: 'name files with `-f`, or packages as arguments; `xpkg-resolve init` writes a first `xpkg.yaml`',
  });
}

function nothingAsked(paths: readonly string[], ignored: readonly Ignored[]): InputError {
  // What says more than its kind says why it asks for nothing.
  const told = ignored.find(({ what }) => what.includes(', which'));
  const where = paths.length === 1 ? `\`${paths[0]}\`` : `the ${paths.length} files read`;
  return new InputError(`nothing to resolve: no document in ${where} asks for a package`, {
    hint:
      told === undefined
        ? 'a PackageSet, a pkg.crossplane.io object or a crossplane.yaml does'
        : `${formatOrigin(told.origin)} holds ${told.what}`,
  });
}
