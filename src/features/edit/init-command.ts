import { existsSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { ownMetadata, withoutApiDefaults } from '../../project/manifests/object-template.js';
import { andList } from '../../base/messages.js';
import { writeTransaction } from '../../base/files/transaction.js';
import { ANY_VERSION } from '../../project/inputs/references.js';
import { DEFAULT_FILES } from '../../project/inputs/input-files.js';
import { readInputs } from '../../project/inputs/read-inputs.js';
import { lockGraph } from '../../project/lockfile/lock-graph.js';
import { lockedIn } from '../../project/lockfile/lockfile.js';
import { InputError } from '../../base/errors.js';
import { objectNameOf } from '../../crossplane/packages/object-names.js';
import {
  combine,
  type Request,
  replacedRepository,
  rootVersionText,
} from '../../project/inputs/request.js';
import { knownReleases, targetFor } from '../../crossplane/releases/target.js';
import { mappingOf, type JsonObject } from '../../base/json.js';
import type { Solved } from '../../resolver/resolve/answer.js';
import { resolve } from '../../resolver/resolve/resolve.js';
import { type ArgsOf, defineCommand, type Flags } from '../../cli/kit/command.js';
import * as json from '../../cli/kit/json-schema.js';
import { writeFlag, editedOutputFlag, switchFlag } from '../../cli/arguments/common-flags.js';
import { fileFlag } from '../../cli/arguments/input-flags.js';
import { refsArgument, resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { openSources } from '../../cli/sources/source-flags.js';
import { fullReference, isShort } from '../../cli/arguments/package-names.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { unsolvedResult } from '../resolve/answer-command.js';
import { newProjectText, projectName, type NewProject } from './new-project.js';

const FILE = DEFAULT_FILES[0]!;

const { lock: _lock, ...askingFlags } = resolveFlags;

const flags = {
  ...askingFlags,
  ...fileFlag('Start from package objects, a dump of a cluster or a crossplane.yaml'),
  ...editedOutputFlag,
  explain: switchFlag('Argue step by step why there is no answer'),
  ...writeFlag,
} as const satisfies Flags;

type Args = ArgsOf<typeof flags & typeof refsArgument>;

export const initCommand = defineCommand({
  positionals: refsArgument,
  flags,
  isInWorkingFolder: true,
  examples: [
    ['$0 init --crossplane v2.0.2', 'an empty set, to `add` to'],
    ['$0 init xpkg.crossplane.io/acme/provider-a', 'at `^` of the newest version that fits'],
    ['$0 init -f crossplane.yaml', 'for a package under development'],
    ['kubectl get pkg -o yaml | $0 init -f -', 'what a cluster has installed'],
  ],
  epilogue: `Writes \`${FILE}\`, which resolves as it is, and never over one that is there. Where what is asked for does not fit, nothing is written (exit code 3).`,
  run: async (args, io) => {
    if (existsSync(resolvePath(io.cwd, FILE))) {
      throw new InputError(`\`${FILE}\` is there already, and is left as it is`, {
        hint: '`xpkg-resolve add` and `set crossplane` change it',
      });
    }
    const given = args.crossplane ?? (await askForRelease(io));
    const crossplane = given && (targetFor(given)?.version ?? given);
    const request = await requestOf(args, io);
    const source = await openSources(args, io, request.kept);
    const options = {
      ...resolveOptions(args, source, io),
      crossplane: crossplane ?? constraintOf(request),
    };
    const answer = await withProgress(io, source.stats, () => resolve(request, options));
    if (answer.status !== 'solved') throw await unsolvedResult(answer, source.stats, args, io);
    for (const warning of answer.warnings) io.note(`warning: ${warning}`);
    const project = newProjectText({
      name: projectName(io.cwd),
      crossplane: crossplane ?? answer.target.version,
      ...contentsOf(request, answer),
    });
    noteOmitted(request, io);
    if (args.write) {
      const change = { path: resolvePath(io.cwd, FILE), content: project };
      await writeTransaction([change], { project: io.cwd });
    }
    return project;
  },
  json: () => initOutput,
  text: (project, { output, write }) => (output === 'yaml' || !write ? project : []),
  closingNotes: (_project, { write }) =>
    write
      ? [`wrote ${FILE}`, 'hint: `xpkg-resolve resolve` locks it, `xpkg-resolve add` adds to it']
      : [],
});

const schema = json.outputSchema('init -o json', {
  status: json.constant('solved', 'What it asks for has an answer.'),
  file: json.text('File that is written.'),
  text: json.text('What is in it.'),
});

const initOutput = json.jsonOutput(schema, (project: string): json.Static<typeof schema> => ({
  status: 'solved',
  file: FILE,
  text: project,
}));

/** Returns the answer of the user; undefined without a terminal, or for the default. */
async function askForRelease(io: RunIo): Promise<string | undefined> {
  const newest = knownReleases().at(-1)!;
  const answer = await io.ask?.(`Crossplane release, or a range of releases [${newest}]: `);
  return answer?.trim() || undefined;
}

/** Returns the request of files and references; without any, the package of this folder or nothing. */
async function requestOf(args: Args, io: RunIo): Promise<Request> {
  const { file: files = [], strict, compat } = args;
  const refs = await fullReferences(args, io);
  const exists = (name: string) => existsSync(resolvePath(io.cwd, name));
  if (files.length + refs.length === 0 && !DEFAULT_FILES.some(exists)) return combine([]);
  const options = { files, refs, cwd: io.cwd, stdin: () => io.stdin(), strict, compat };
  const { request, warnings, notes } = await readInputs(options);
  for (const warning of warnings) io.note(`warning: ${warning}`);
  for (const note of notes) io.note(`note: ${note}`);
  const { overrides, replace, exclude, roots } = request;
  const set = [...overrides, ...replace, ...exclude, ...roots.filter(({ root }) => root === 'crd')];
  if (set.length === 0) return request;
  throw new InputError('is a PackageSet already, and more than a list of packages', {
    origin: set[0]!.origin,
    hint: '`xpkg-resolve init` without it, then name the file in `spec.include`',
  });
}

/** Returns the named packages. A source is opened to complete short names. */
async function fullReferences(args: Args, io: RunIo): Promise<readonly string[]> {
  const { refs = [] } = args;
  if (!refs.some(isShort)) return refs;
  const known = { lockfile: undefined, source: await openSources(args, io) };
  return Promise.all(refs.map((ref) => fullReference(ref, known)));
}

/** Returns the range of releases that a package under development admits. */
function constraintOf({ roots }: Request): string | undefined {
  return roots.flatMap((root) => (root.root === 'local' ? (root.crossplane ?? []) : []))[0];
}

function contentsOf(
  request: Request,
  { lockfile, target }: Solved,
): Pick<NewProject, 'include' | 'packages' | 'required'> {
  const graph = lockGraph(lockfile);
  const entries = request.roots.flatMap((root) => {
    if (root.root !== 'package') return [];
    const repository = replacedRepository(request, root.repository);
    const locked = lockedIn(lockfile, repository)!;
    const spec = withoutApiDefaults(locked.object.spec);
    const entry: JsonObject = {
      [locked.kind.toLowerCase()]: root.repository,
      version: root.version === ANY_VERSION ? `^${locked.version}` : rootVersionText(root.version),
      ...(locked.name !== objectNameOf(repository, target) && { name: locked.name }),
      ...(Object.keys(spec).length > 0 && { spec }),
    };
    // A named package is a root. An installed one may only be a dependency of other packages.
    const isRequired = root.object !== undefined && graph.requirersOf(repository).length > 0;
    return [{ entry, isRequired }];
  });
  return {
    include: filesToInclude(request),
    packages: entries.filter(({ isRequired }) => !isRequired).map(({ entry }) => entry),
    required: entries.filter(({ isRequired }) => isRequired).map(({ entry }) => entry),
  };
}

/** Files of packages under development, and files with only extra manifests. */
function filesToInclude({ roots, kept }: Request): readonly string[] {
  const listed = new Set(roots.filter(({ root }) => root !== 'local').map((r) => r.origin.file));
  const locals = roots.filter(({ root }) => root === 'local').map(({ origin }) => origin.file);
  const withManifests = kept.map(({ origin }) => origin.file).filter((file) => !listed.has(file));
  return [...new Set([...locals, ...withManifests])].filter((file) => file !== '-').sort();
}

/** Prints a note about objects and fields that a PackageSet cannot express. */
function noteOmitted(request: Request, io: RunIo): void {
  const included = new Set(filesToInclude(request));
  for (const root of request.roots) {
    if (root.root !== 'package' || root.object === undefined) continue;
    const own = Object.keys(ownMetadata(mappingOf(root.object['metadata']) ?? {})).sort();
    if (own.length === 0) continue;
    io.note(
      `note: ${andList(own)} of ${root.kind} \`${root.name}\` are not in it: to keep them, leave its entry out, and include a file with the object`,
    );
  }
  for (const { object, origin } of request.kept) {
    if (included.has(origin.file)) continue;
    const { kind, metadata } = object as { kind: string; metadata: { name: string } };
    io.note(`note: ${kind} \`${metadata.name}\` is not in it: keep it in a file, and include that`);
  }
}
