import { dirname, isAbsolute, join, posix } from 'node:path';
import { type InputDocument, parseDocuments } from './document.js';
import {
  DEFAULT_FILES,
  findInputFiles,
  type InputFile,
  type InputFileOptions,
  readText,
  realPath,
} from './input-files.js';
import { readPackageSet } from './package-set.js';
import { readDocument } from './read-document.js';
import { ANY_VERSION, readRef } from './references.js';
import {
  combine,
  type CombineOptions,
  type Contribution,
  type LocalObject,
  type LocalRoot,
  type PackageRootDraft,
  type Request,
} from './request.js';
import { getOrCreate, groupBy } from '../../base/collections.js';
import { formatOrigin, InputError, type Origin } from '../../base/errors.js';
import type { JsonValue } from '../../base/json.js';
import { thousands } from '../../base/messages.js';
import { ValueTotal } from '../../base/size-limits.js';
import { OutOfTime, type TimeBudget } from '../../base/time.js';
import { WRITTEN_MARK } from '../../base/yaml/write-yaml.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';
import type { Repository } from '../../crossplane/packages/package.js';

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
  if (contributions.every(({ roots }) => roots === undefined)) {
    throw noPackagesError(files, ignored);
  }
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
  const names = own.map(({ contribution }) => contribution.name ?? localOf(contribution)?.name);
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
  const origin = { file: name };
  const contribution = readPackageSet({
    number: 0,
    value,
    originOf: () => origin,
    spellingOf: () => undefined,
  });
  if (contribution.include?.length) {
    const what = '`spec.include` names files, and this PackageSet is none';
    throw new InputError(what, { origin, hint: 'read the file with `readInputs`' });
  }
  return combine([contribution]);
}

type Ignored = NonNullable<Contribution['ignored']>;

/** Returns one note per file and kind: a dump of a cluster has many objects of a kind. */
function ignoredNotes(ignored: readonly Ignored[]): readonly string[] {
  const groups = groupBy(ignored, ({ origin, what }) => JSON.stringify([origin.file, what]));
  return [...groups.values()].map((each) => {
    const { what, origin } = each[0]!;
    const more = each.length > 1 ? `, and ${each.length - 1} more of them in this file` : '';
    return `${formatOrigin(origin)}: ignored ${what}${more}`;
  });
}

/** Returns a note for each default file that is read in addition to package references. */
function defaultFileNotes({ files, refs }: InputOptions, found: readonly InputFile[]) {
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

export interface FileReadOptions {
  readonly cwd: string;
  /** Reads standard input, for `-`. */
  readonly stdin: () => Promise<string>;
  readonly compat?: boolean | undefined;
  /** Time limit of the run. Throws `OutOfTime` when it is up. */
  readonly time?: Pick<TimeBudget, 'seconds' | 'isUp'> | undefined;
  /** Texts to use instead of the content of files, by path: edits that are not written yet. */
  readonly unsaved?: Pick<ReadonlyMap<string, string>, 'get' | 'keys'> | undefined;
}

/** Reads files and those that they include. A file that is both is read once. */
async function readFiles(files: readonly InputFile[], options: FileReadOptions) {
  const reader = new FileReader(options);
  const read = [];
  for (const file of files) read.push({ file, from: await reader.read(file, []) });
  const identities = await Promise.all(files.map(({ path }) => realPath(options.cwd, path)));
  return read.flatMap(({ from }, i) => (reader.included.has(identities[i]!) ? [] : from));
}

/** The maximum length of a list in a PackageSet. */
const MAX_REQUIRED = 10_000;
/** Maximum number of objects in all files, including ignored ones. */
const MAX_DOCUMENTS = 100_000;

/** A file that is being read, and the place of its next include. */
interface Includer {
  readonly identity: string;
  readonly origin: Origin;
}

class FileReader {
  /** Real paths of the included files. */
  readonly included = new Set<string>();
  readonly #options: FileReadOptions;
  #hasRead = false;
  readonly #values = new ValueTotal();
  #required = 0;
  #documents = 0;

  constructor(options: FileReadOptions) {
    this.#options = options;
  }

  async read(file: InputFile, above: readonly Includer[]): Promise<readonly FileContribution[]> {
    const { compat = false, time } = this.#options;
    // The first file is always read: its size is limited, and the search stops right after it.
    if (this.#hasRead && time?.isUp() === true) {
      throw new OutOfTime(time.seconds, `\`${file.path}\` to be read`);
    }
    this.#hasRead = true;
    const text = await this.#textOf(file);
    // A folder may contain manifests and lockfiles of earlier runs, which require nothing.
    if (file.folder !== undefined && text.startsWith(WRITTEN_MARK)) return [];
    const found: FileContribution[] = [];
    let isCounted = false;
    for (const document of parseDocuments(text, file.path)) {
      for (const contribution of await readDocument(document, { compat })) {
        this.#checkLimits(contribution, document, file.path);
        if (contribution.ignored === undefined) {
          if (!isCounted) this.#values.addText(text, file.path);
          isCounted = true;
          found.push(...(await this.#withIncluded({ file, text, contribution }, above)));
        } else {
          const { what, origin } = contribution.ignored;
          // A substring would keep the text of an ignored file in memory.
          const ignored = { what: Buffer.from(what).toString(), origin };
          found.push({ file, text: '', contribution: { ignored } });
        }
      }
    }
    return found;
  }

  /** Throws an `InputError` if there are too many packages, or too many values for the memory. */
  #checkLimits({ roots, kept }: Contribution, document: InputDocument, file: string): void {
    this.#required += roots?.length ?? 0;
    if (this.#required > MAX_REQUIRED) {
      const most = thousands(MAX_REQUIRED);
      throw tooManyError(
        document,
        `requires, with the documents before it, more than ${most} packages, the most that is read`,
      );
    }
    this.#documents += 1;
    if (this.#documents > MAX_DOCUMENTS) {
      const most = thousands(MAX_DOCUMENTS);
      throw tooManyError(document, `is after ${most} other documents, the most that are read`);
    }
    if (roots !== undefined || kept !== undefined) this.#values.add(document.value, file);
  }

  async #textOf({ path }: InputFile): Promise<string> {
    const { cwd, stdin, unsaved } = this.#options;
    return unsaved?.get(path) ?? (path === '-' ? stdin() : readText(path, cwd));
  }

  async #withIncluded(
    own: FileContribution,
    above: readonly Includer[],
  ): Promise<readonly FileContribution[]> {
    const { file, text, contribution: top } = own;
    const includedFiles: FileContribution[] = [];
    for (const include of top.include ?? []) {
      includedFiles.push(...(await this.#include(include, file, above)));
    }
    if (includedFiles.length === 0) return [own];
    const bases = includedFiles.map(({ contribution }) => contribution);
    return [
      ...includedFiles.map((each) => ({
        ...each,
        contribution: withoutOverridden(each.contribution, top),
      })),
      { file, text, contribution: withoutIncluded(top, bases) },
    ];
  }

  async #include(
    { path, origin }: NonNullable<Contribution['include']>[number],
    from: InputFile,
    above: readonly Includer[],
  ): Promise<readonly FileContribution[]> {
    const { cwd } = this.#options;
    const folder = from.path === '-' ? '.' : dirname(from.path);
    const file = { path: isAbsolute(path) ? path : join(folder, path), folder: undefined };
    const [identity, own] = await Promise.all([realPath(cwd, file.path), realPath(cwd, from.path)]);
    const includeChain = [...above, { identity: own, origin }];
    const loop = includeChain.findIndex((each) => each.identity === identity);
    if (loop >= 0) throw includeCycleError(file, includeChain.slice(loop));
    if (this.included.has(identity)) return [];
    this.included.add(identity);
    try {
      return await this.read(file, includeChain);
    } catch (error) {
      throw error instanceof InputError && above.length === 0 ? includeError(error, origin) : error;
    }
  }
}

function tooManyError(document: InputDocument, what: string): InputError {
  const hint = 'resolve fewer files at once';
  return new InputError(what, { origin: document.originOf([]), hint });
}

function includeCycleError({ path }: InputFile, way: readonly Includer[]): InputError {
  const places = way.map(({ origin }) => formatOrigin(origin));
  return new InputError(`\`${path}\` includes itself, by way of ${places.join(', then ')}`, {
    origin: way.at(-1)!.origin,
    hint: 'take one of these lines out',
  });
}

/** Returns the error with the place of the include added. */
function includeError(error: InputError, origin: Origin): InputError {
  const { message, origin: place, hint } = error;
  const prefix = place === undefined ? '' : `${formatOrigin(place)}: `;
  const what = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  const included = `${what} (included at ${formatOrigin(origin)})`;
  return new InputError(included, { origin: place, hint, cause: error });
}

/*
 * A PackageSet overrides the PackageSets that it includes field by field. In lists, entries about
 * the same package are merged.
 */

/** Returns an included contribution without the parts that `top` overrides. */
function withoutOverridden(base: Contribution, top: Contribution): Contribution {
  const overriding = new Map(packagesOf(top).map((root) => [root.repository, root]));
  return {
    ...base,
    crossplane: top.crossplane === undefined ? base.crossplane : undefined,
    crossplanes: top.crossplanes === undefined ? base.crossplanes : undefined,
    allowUndigested: top.allowUndigested === undefined ? base.allowUndigested : undefined,
    defaults: top.defaults === undefined ? base.defaults : undefined,
    overrides: withoutRepositories(base.overrides, top.overrides),
    replace: withoutRepositories(base.replace, top.replace),
    ...(base.roots !== undefined && {
      roots: base.roots.map((root) => {
        const overridingRoot =
          root.root === 'package' ? overriding.get(root.repository) : undefined;
        return root.root === 'package' && overridingRoot !== undefined
          ? mergedRoot(root, overridingRoot)
          : root;
      }),
    }),
  };
}

/** Returns the contribution of a PackageSet without the packages that its includes have. */
function withoutIncluded(top: Contribution, bases: readonly Contribution[]): Contribution {
  const includedRepositories = new Set(
    bases.flatMap(packagesOf).map(({ repository }) => repository),
  );
  const defaults = bases.map((base) => base.defaults?.spec);
  return {
    ...top,
    ...(top.defaults !== undefined && {
      defaults: { ...top.defaults, spec: Object.assign({}, ...defaults, top.defaults.spec) },
    }),
    ...(top.roots !== undefined && {
      roots: top.roots.filter(
        (root) => root.root !== 'package' || !includedRepositories.has(root.repository),
      ),
    }),
  };
}

function withoutRepositories<T extends { readonly repository: Repository }>(
  rules: readonly T[] = [],
  others: readonly T[] = [],
): readonly T[] {
  return rules.filter((rule) => others.every(({ repository }) => repository !== rule.repository));
}

function packagesOf({ roots = [] }: Contribution): readonly PackageRootDraft[] {
  return roots.filter((root) => root.root === 'package');
}

function mergedRoot(base: PackageRootDraft, top: PackageRootDraft): PackageRootDraft {
  if (base.kind !== undefined && top.kind !== undefined && base.kind !== top.kind) {
    const place = formatOrigin(base.origin);
    throw new InputError(
      `\`${top.repository}\` is a ${top.kind} here and a ${base.kind} at ${place}, which is included`,
      { origin: top.origin, hint: 'name the kind that the package has, or write `package:`' },
    );
  }
  const keepsVersion = top.version === ANY_VERSION;
  return {
    ...base,
    kind: top.kind ?? base.kind,
    version: keepsVersion ? base.version : top.version,
    name: top.name ?? base.name,
    spec: { ...base.spec, ...top.spec },
    origin: keepsVersion ? base.origin : top.origin,
  };
}

interface FileContribution {
  readonly file: InputFile;
  /** Text of the whole file. */
  readonly text: string;
  readonly contribution: Contribution;
}

/**
 * Assigns each XRD, Composition and CRD to a local package: to the one in the same file, otherwise
 * to the one in the nearest parent folder within the folder of `-f`. Other objects are ignored.
 */
function assignOwnedObjects(all: readonly FileContribution[]): readonly Contribution[] {
  const locals = all.filter(({ contribution }) => localOf(contribution) !== undefined);
  const objects = new Map<Contribution, LocalObject[]>();
  const rest = all.map((each): Contribution => {
    const { owned, kept, notes = [] } = each.contribution;
    if (owned === undefined) return each.contribution;
    const owner = ownerOf(each.file, locals);
    if (owner === undefined && kept !== undefined) return { kept, notes };
    if (owner === undefined) {
      const { apiVersion, kind, name } = owned.object;
      const what = `${apiVersion} ${kind} \`${name}\`, which is part of no package given`;
      return { ignored: { what, origin: owned.origin } };
    }
    getOrCreate(objects, owner, () => []).push({ ...owned.object, origin: owned.origin });
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

function ownerOf(file: InputFile, locals: readonly FileContribution[]): Contribution | undefined {
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
