import { PACKAGE_KINDS } from '../../../model/package.js';
import { OWNED_KINDS } from '../../../model/owned-object.js';
import { count, flag, list, oneOf, record, text } from './parts.js';

/** Fields that more than one command prints. */
export const source = text('OCI repository of the package.');
export const version = text('Tag, or digest where the package is demanded by digest.');
export const crossplane = text('Crossplane release that it is about.');
export const kind = oneOf(PACKAGE_KINDS, 'Kind of the package.');
export const notes = list(text('A note.'), 'What is worth knowing.');

export const owned = record(
  {
    kind: oneOf(OWNED_KINDS, 'Kind of object; a claim is the CRD that an XRD adds.'),
    name: text('Its name.'),
  },
  'An object that a package owns.',
);

export const severity = oneOf(['error', 'warning', 'info'], 'How much it matters.');

export const place = {
  file: text('File that it stands in.'),
  'line?': count('Line in that file, from 1.'),
};

/** What is said of every locked package. */
export const locked = {
  source,
  version,
  direct: flag('Whether the user asks for it by name.'),
};

/** Which part of which run it is; all but `index` is the same in every part. */
export const shardFields = {
  index: count('Which part, from 1.'),
  of: count('Of how many parts.'),
  command: text('The command that was run.'),
  tool: text('Version of xpkg-resolve.'),
  flags: text('Digest of its arguments, and of flags that change the answer.'),
  inputs: text('Digest of what the files say that ask for packages.'),
};
