import { combine, type CombineOptions, type Contribution } from './combine.js';
import type { InputDocument } from './document.js';
import {
  DEFAULT_FILES,
  findInputFiles,
  type InputFile,
  type InputFileOptions,
} from './input-files.js';
import { readPackageSet } from './package-set.js';
import {
  type FileReadOptions,
  type FileContribution,
  assignOwnedObjects,
  readFiles,
} from './read-files.js';
import { readRef } from './references.js';
import type { LocalRoot, Request } from './request.js';
import { formatOrigin, InputError } from '../../base/errors.js';
import type { JsonValue } from '../../base/json.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';

export interface InputReadOptions extends InputFileOptions, FileReadOptions {}

export interface InputOptions extends InputReadOptions, CombineOptions {
  /** Package references on the command line. */
  readonly refs: readonly string[];
  /** Whether ignored documents and unknown fields of a package are errors. */
  readonly strict?: boolean | undefined;
}

/** The project that the input files describe. */
export interface InputSet {
  /** Name of the PackageSet or package; undefined if it has none. */
  readonly name: string | undefined;
  /** Paths of the files that require packages, as the user writes them, without included files. */
  readonly files: readonly string[];
}

export interface Inputs {
  readonly request: Request;
  /** Mistakes in packages under development that Crossplane ignores. */
  readonly warnings: readonly string[];
  /** Notes for the user on ignored documents and on surprising interpretations. */
  readonly notes: readonly string[];
  readonly set: InputSet;
  /** Text of each file that requires packages, by path as in an `Origin`. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads all inputs of a run into one request. */
export async function readInputs(options: InputOptions): Promise<Inputs> {
  const files = await filesOf(options);
  if (files.length === 0 && options.refs.length === 0) throw noInputsError(options);
  const read = await readFiles(files, options);
  const fromFiles = assignOwnedObjects(read);
  const contributions = [...fromFiles, ...options.refs.map(readRef)];
  const ignored = contributions.flatMap((contribution) => contribution.ignored ?? []);
  if (options.strict === true && ignored.length > 0) throw ignoredError(ignored[0]!);
  const unknown = contributions
    .flatMap(({ roots = [] }) => roots)
    .flatMap((root) => (root.root === 'local' ? (root.unknownFields ?? []) : []));
  if (options.strict === true && unknown.length > 0) throw unknownFieldsError(unknown);
  const notes = [
    ...defaultFileNotes(options, files),
    ...contributions.flatMap((contribution) => contribution.notes ?? []),
    ...ignoredNotes(ignored),
  ];
  // An empty PackageSet counts: it requires nothing on purpose.
  if (contributions.every(({ roots }) => roots === undefined))
    throw noPackagesError(files, ignored);
  const requiring = read.filter(({ contribution }) => contribution.ignored === undefined);
  const texts = new Map(requiring.map(({ file, text }) => [file.path, text]));
  const warnings = unknown.map(({ message, origin }) => `${formatOrigin(origin)}: ${message}`);
  const set = projectOf(files, read);
  return { request: combine(contributions, options), warnings, notes, texts, set };
}

/** Returns the project of the files that were read directly, without included files. */
function projectOf(files: readonly InputFile[], read: readonly FileContribution[]): InputSet {
  const own = read.filter(
    ({ file, contribution }) => files.includes(file) && contribution.roots !== undefined,
  );
  const names = own.map(({ contribution: { name, roots = [] } }) => {
    const local = roots.find((root) => root.root === 'local');
    return name ?? local?.name;
  });
  const paths = own.map(({ file }) => file.path).filter((path) => path !== '-');
  return { name: names.find((name) => name !== undefined), files: [...new Set(paths)] };
}

/** Returns the input files, then the unsaved texts that have no file yet. */
async function filesOf(options: InputOptions): Promise<readonly InputFile[]> {
  const found = await findInputFiles(options);
  const paths = new Set(found.map(({ path }) => path));
  const others = [...(options.unsaved?.keys() ?? [])].filter((path) => !paths.has(path));
  return [...found, ...others.map((path) => ({ path, folder: undefined }))];
}

/** Returns the ImageConfigs in the named files. Other objects are ignored. */
export async function readImageConfigs(options: InputReadOptions): Promise<readonly KeptObject[]> {
  const read = await readFiles(await findInputFiles(options), options);
  const imageConfigs = read
    .flatMap(({ contribution }) => contribution.kept ?? [])
    .filter(({ object }) => object['kind'] === 'ImageConfig');
  if (imageConfigs.length > 0) return combine([{ kept: imageConfigs }]).kept;
  const named = options.files.map((path) => `\`${path}\``).join(', ');
  throw new InputError(`no ImageConfig is in ${named}`, {
    hint: 'a `pkg.crossplane.io` ImageConfig says where to pull from; `--pull-secret` takes Secrets',
  });
}

/** Returns the request of a PackageSet that is already parsed. */
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
  if (contribution.include?.length) {
    throw new InputError('`spec.include` names files, and this PackageSet is none', {
      origin: { file: name },
      hint: 'read the file with `readInputs`',
    });
  }
  return combine([contribution]);
}

type Ignored = NonNullable<Contribution['ignored']>;

/** Returns one note per file and kind: a dump of a cluster has many objects of a kind. */
function ignoredNotes(ignored: readonly Ignored[]): readonly string[] {
  const groups = new Map<string, Ignored[]>();
  for (const each of ignored) {
    const key = JSON.stringify([each.origin.file, each.what]);
    const others = groups.get(key);
    if (others === undefined) groups.set(key, [each]);
    else others.push(each);
  }
  return [...groups.values()].map((each) => {
    const { what, origin } = each[0]!;
    const more = each.length > 1 ? `, and ${each.length - 1} more of them in this file` : '';
    return `${formatOrigin(origin)}: ignored ${what}${more}`;
  });
}

/** Returns a note for each default file that is read in addition to package references. */
function defaultFileNotes(
  { files, refs }: InputOptions,
  found: readonly InputFile[],
): readonly string[] {
  if (files.length > 0 || refs.length === 0) return [];
  return found.map(({ path }) => `\`${path}\` of this folder is read too`);
}

function ignoredError({ what, origin }: Ignored): InputError {
  return new InputError(`${what} asks for no package`, {
    origin,
    hint: 'without `--strict` it is ignored',
  });
}

/** Returns an error with all unknown fields; the first is the message. */
function unknownFieldsError(unknown: NonNullable<LocalRoot['unknownFields']>): InputError {
  const [first, ...others] = unknown;
  const lines = others.map(({ message, origin }) => `${formatOrigin(origin)}: ${message}`);
  return new InputError([first!.message, ...lines].join('\n'), { origin: first!.origin });
}

function noInputsError({ cwd, files }: InputOptions): InputError {
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

function noPackagesError(files: readonly InputFile[], ignored: readonly Ignored[]): InputError {
  // Only a text with a reason helps here.
  const explained = ignored.find(({ what }) => what.includes(', which'));
  const where = files.length === 1 ? `\`${files[0]!.path}\`` : `the ${files.length} files read`;
  return new InputError(`nothing to resolve: no document in ${where} asks for a package`, {
    hint:
      explained === undefined
        ? 'a PackageSet, a pkg.crossplane.io object or a crossplane.yaml does'
        : `${formatOrigin(explained.origin)} holds ${explained.what}`,
  });
}
