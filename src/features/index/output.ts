import * as json from '../../cli/kit/json-schema.js';
import { EXIT, type JsonOutput } from '../../cli/kit/command.js';
import { amount } from '../../cli/terminal/package-text.js';
import { pushNote, type PushValue } from '../render/output.js';

const writtenSchema = json.outputSchema('index -o json', {
  file: json.text('File or folder that was written.'),
  'digest?': json.text('Of an index in parts: which state of it this is.'),
  packages: json.count('Packages in it.'),
  versions: json.count('Versions in it.'),
});

const updatedSchema = json.outputSchema('index update -o json', {
  place: json.text('Index that was updated.'),
  'digest?': json.text('Of an index in parts: which state of it this is.'),
  'sent?': json.count('Of an index in parts: parts that were written.'),
  packages: json.list(
    json.record({
      source: json.source,
      added: json.texts('Versions that are new.'),
      removed: json.texts('Versions that are gone.'),
      moved: json.texts(
        'Versions whose tag points at another image, or of which the index said otherwise.',
      ),
    }),
    'Packages that changed.',
  ),
});

const mismatch = json.record({
  kind: json.oneOf(['tag-moved', 'gone', 'new', 'content', 'tables'], 'Sort of difference.'),
  'source?': json.source,
  'version?': json.version,
  text: json.text('What differs.'),
});

const verifiedSchema = json.outputSchema('index verify -o json', {
  status: json.oneOf(['verified', 'mismatch'], 'Whether the index says what its sources say.'),
  'exitCode?': json.constant(EXIT.lockMismatch, 'Exit code of the process, where it is not 0.'),
  place: json.text('Index that was compared.'),
  'digest?': json.text('Of an index in parts: which state of it was compared.'),
  packages: json.count('Packages that were compared.'),
  mismatches: json.list(mismatch, 'Differences.'),
});

export type UpdatedIndex = json.Static<typeof updatedSchema>;
export type VerifiedIndex = json.Static<typeof verifiedSchema>;
/** A difference between an index and its packages. */
export type IndexMismatch = json.Static<typeof mismatch>;

/** The result of `index` and its verbs. */
export type IndexValue =
  | { readonly verb: 'write'; readonly document: json.Static<typeof writtenSchema> }
  | { readonly verb: 'push'; readonly document: PushValue }
  | { readonly verb: 'update'; readonly document: UpdatedIndex }
  | { readonly verb: 'verify'; readonly document: VerifiedIndex };

export const indexOutput: JsonOutput<IndexValue, unknown> = {
  // `index push` prints the document of `push`.
  schema: { anyOf: [writtenSchema, updatedSchema, verifiedSchema] },
  write: ({ document }) => document,
};

export function indexLines({ verb, document }: IndexValue): string[] {
  switch (verb) {
    case 'write':
      return [];
    case 'push':
      return [document.pinned];
    case 'update':
      return document.packages.flatMap(({ source: name, added, removed, moved }) => [
        ...added.map((tag) => `${name} ${tag} is new`),
        ...moved.map((tag) => `${name} ${tag} has moved`),
        ...removed.map((tag) => `${name} ${tag} is gone`),
      ]);
    case 'verify': {
      const { status, packages, place } = document;
      if (status === 'mismatch') return [];
      return [`verified ${amount(packages, 'package')} of ${place}${stateOf(document)}`];
    }
  }
}

export function indexNotes(
  { verb, document }: IndexValue,
  args: { readonly write: boolean },
): string[] {
  switch (verb) {
    case 'write': {
      const { file, packages, versions } = document;
      const counts = `${packages} packages, ${versions} versions`;
      return [`${args.write ? 'wrote' : 'would write'} ${file}: ${counts}${stateOf(document)}`];
    }
    case 'push':
      return [pushNote(document, args)];
    case 'update':
      return [updateNote(document, args)];
    case 'verify':
      return document.status === 'verified' ? [] : mismatchNotes(document);
  }
}

/** Returns the digest of an index in parts, in parentheses; an empty string for one file. */
function stateOf({ digest }: { readonly digest?: string | undefined }): string {
  return digest === undefined ? '' : ` (${digest})`;
}

function updateNote(
  { place, sent, packages }: UpdatedIndex,
  { write }: { readonly write: boolean },
): string {
  if (packages.length === 0) return `${place} is up to date`;
  const changed = amount(packages.length, 'package');
  if (!write) return `would update ${place}: ${changed} to change`;
  const parts = sent === undefined ? '' : `; ${amount(sent, 'part')} written`;
  return `updated ${place}: ${changed} changed${parts}`;
}

function mismatchNotes({ mismatches }: VerifiedIndex): string[] {
  return [
    ...mismatches.map(({ source: name, version: tag, text: what }) => {
      const subject = [name, tag].filter((part) => part !== undefined).join(' ');
      return `error: ${subject === '' ? '' : `${subject}: `}${what}`;
    }),
    'hint: `xpkg-resolve index update` takes over what is new, moved or gone, and keeps a package that no source knows; what an index says otherwise than its packages was not written from them: ask who wrote it, and write it anew',
  ];
}
